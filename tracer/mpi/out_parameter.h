#pragma once

#include <limits>

namespace timeless::tracer {

/// A number that MPI answers with, to look at. The program's own is set only where MPI has set this one: a call that
/// fails may leave it alone, and a program that calls wrongly may have no place for it.
class OutNumber {
public:
  explicit OutNumber(int* wanted) : wanted_(wanted) {}
  ~OutNumber() {
    if (given() && wanted_ != nullptr) *wanted_ = value_;
  }
  OutNumber(const OutNumber&) = delete;
  OutNumber& operator=(const OutNumber&) = delete;

  /// Returns where MPI is to put it: nowhere, and MPI says so, when the program has no place.
  int* get() { return wanted_ != nullptr ? &value_ : nullptr; }
  bool given() const { return value_ != none; }
  int operator*() const { return value_; }

private:
  static constexpr int none = std::numeric_limits<int>::min();

  int* wanted_;
  int value_ = none;
};

} // namespace timeless::tracer
