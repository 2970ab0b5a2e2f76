#pragma once

#include "trace/model/times.h"

#include <cstdint>

/// Times beside the actions, for those who want to compare a prediction with what was measured (TIMELESS_TIMESTAMPS).
namespace timeless::tracer {

/// Whether times are recorded. Set before recording begins, and never again.
extern constinit bool timestamps;

/// Makes now the time 0: from here on, times are recorded.
void start_clock() noexcept;
/// Returns nanoseconds since start_clock(), by CLOCK_MONOTONIC.
std::uint64_t now() noexcept;

/// When a thread went from the program into MPI and back.
struct CallTimes {
  std::uint64_t entry = 0; ///< of the call it is in
  std::uint64_t back = 0;  ///< when the program got control back from the last call that was recorded
  bool given = false;      ///< the call's time has been given to an action

  void enter() noexcept {
    entry = now();
    given = false;
  }
  void leave(bool recorded) noexcept {
    if (recorded) back = now();
  }
  trace::ActionTimes computation() const { return {back, entry}; }
};

} // namespace timeless::tracer
