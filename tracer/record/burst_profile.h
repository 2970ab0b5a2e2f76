#pragma once

#include "trace/model/run.h"
#include "tracer/counters/profile.h"

#include <cstddef>
#include <cstdint>
#include <vector>

/// What the bursts between calls count of the profiled events (TIMELESS_PROFILE), per kernel.
namespace timeless::tracer {

/// How many events are profiled; 0 when none are. Set before recording begins, and never again.
extern constinit std::size_t profiled_events;

/// Begins to profile the events of the list beside the counter, in the calling thread as in others; returns their
/// names. Throws as start_profile() does. What they count of the recorder's own readings is found out here, and
/// subtracted from every burst.
std::vector<std::string> profile_bursts(std::string_view list, const ActiveCounter& counter);

/// Ends the program's burst, as it has called MPI.
void end_burst() noexcept;
/// Begins the program's next burst, as it gets control back; unless the call was recorded, the last one goes on.
void begin_burst(bool recorded) noexcept;

/// Returns how many readings of the events have failed so far: a profile with some is too low.
std::uint64_t failed_profile_readings() noexcept;

/// The sums of one rank.
class KernelProfiles {
public:
  /// Adds the calling thread's burst that ended last to a kernel's sums.
  void add_burst(trace::KernelId kernel);
  /// Returns what has been added up so far.
  std::vector<trace::KernelProfile> sums() const;

private:
  std::vector<std::uint64_t> bursts_; ///< by kernel
  std::vector<std::uint64_t> sums_;   ///< by kernel and event
};

} // namespace timeless::tracer
