#pragma once

#include "trace/model/run.h"
#include "tracer/counters/workers.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tracer {

/// A counter that runs: what it is, how to read it, and what reading costs in its own unit.
struct ActiveCounter {
  trace::Counter identity;
  /// Returns the volume of the calling thread so far. Rises; starts anywhere. Threads need not be announced; one that
  /// was a worker may cease to be one by its first reading.
  std::uint64_t (*read)() noexcept = nullptr;
  /// The volume between two reads back to back, calibrated: the least of many. To be subtracted from every difference
  /// of two reads, never below 0.
  std::uint64_t skew = 0;
  /// How it counts other threads than the calling one; null when it counts nothing.
  const WorkerCounter* workers = nullptr;
};

/// Starts the counter that `choice` names, as TIMELESS_COUNTER does: "auto" (or nothing), "papi", "papi:EVENT",
/// "icount", "cputime", "walltime", "none".
///
/// "auto" is icount when the process runs under its tool, else PAPI_TOT_INS when that passes a self-test, else an
/// error: time is never taken for instructions silently. Throws Error(missing_capability) when the counter cannot count
/// here, Error(usage) for a choice that does not exist; both name the remedies. To be called once per process.
ActiveCounter start_counter(std::string_view choice);

/// Reads that failed so far, in any thread (each returned the thread's last value): a trace with some is not exact.
std::uint64_t failed_reads() noexcept;

/// Returns in words what this counter could not count so far; none as a rule.
std::vector<std::string> shortcomings(const ActiveCounter& counter);

} // namespace timeless::tracer
