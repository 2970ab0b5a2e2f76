#pragma once

#include <optional>
#include <string>

namespace timeless::tracer {

/// While it lives, hwloc does not say on stderr that it cannot ask the processor under Valgrind, as it otherwise does
/// in MPI_Init: a recorded program's output is its own. Does nothing outside of Valgrind.
class QuietHwloc {
public:
  QuietHwloc();
  ~QuietHwloc();
  QuietHwloc(const QuietHwloc&) = delete;
  QuietHwloc& operator=(const QuietHwloc&) = delete;

private:
  bool changed_ = false;
  std::optional<std::string> before_;
};

} // namespace timeless::tracer
