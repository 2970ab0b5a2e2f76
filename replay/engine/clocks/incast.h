#pragma once

#include <algorithm>
#include <limits>

namespace timeless::replay {

/// How far a receiver would fall behind whose messages came in one after the other, in a replay where they do not: for
/// each time its port would be busy, by how much the port is busy longer than until its last message is in.
class IncastWatch {
public:
  /// Notes a message that reaches the rank at `come`, takes `seconds` to come in, and is in at `in`.
  void see(double come, double in, double seconds) {
    if (in <= begin_) return;
    if (come >= end_) {
      behind_ += std::max(end_ - last_, 0.0);
      begin_ = end_ = come;
      last_ = in;
    }
    const double before = std::max(begin_ - come, 0.0);
    begin_ -= before;
    end_ += seconds - before;
    last_ = std::max(last_, in);
  }

  double seconds() const { return behind_ + std::max(end_ - last_, 0.0); }

  /// Counts what the port is behind by, and begins anew, with an idle port. Returns what there is so far, to be taken.
  double& close() {
    behind_ += std::max(end_ - last_, 0.0);
    begin_ = end_ = last_ = -std::numeric_limits<double>::max();
    return behind_;
  }

private:
  double begin_ = 0;
  double end_ = 0;
  double last_ = 0;
  double behind_ = 0;
};

} // namespace timeless::replay
