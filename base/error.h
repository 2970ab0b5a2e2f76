#pragma once

#include <stdexcept>
#include <string>

namespace timeless {

/// Why an operation failed; each value is the exit code of a command that ends with it.
enum class Failure : int {
  runtime = 1,            ///< the machine said no: disk full, permission, a child failed
  usage = 2,              ///< the request makes no sense
  invalid_input = 3,      ///< a trace, platform or other input is wrong or inconsistent
  missing_capability = 5, ///< this machine or this version cannot do that
  partial = 6,            ///< something was produced, but not all of it
};

/// The one exception type of the project: what happened, where, and what to do about it.
class Error : public std::runtime_error {
public:
  Error(Failure failure, std::string what, std::string where = {}, std::string advice = {});

  Failure failure() const noexcept { return failure_; }
  const std::string& description() const noexcept { return description_; }
  const std::string& where() const noexcept { return where_; }
  const std::string& advice() const noexcept { return advice_; }

private:
  Failure failure_;
  std::string description_;
  std::string where_;
  std::string advice_;
};

} // namespace timeless
