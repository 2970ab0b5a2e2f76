#pragma once

#include "analysis/trace/summary.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace timeless::analysis {

/// How long one kind of call took while the trace was taken, over all ranks.
struct MeasuredCall {
  std::uint64_t count = 0;
  double seconds = 0;
  double longest = 0; ///< one call, in seconds
};

/// What a trace with times says of the time its ranks took, in seconds.
struct Measured {
  double end = 0; ///< of the rank where that was longest, per_rank
  Spread
      per_rank; ///< RankRecord::recorded_time; where a rank was killed, or that is not known, when its last call ended
  double computing = 0; ///< between calls, over all ranks; 0 where none was counted
  /// In calls between two actions that leave none: tests and probes that found nothing, above all. Over all ranks;
  /// nothing where the counter is not the clock `walltime`, since they are a part of `computing` then.
  std::optional<double> polling{};
  double in_calls = 0; ///< in recorded calls, over all ranks
  /// The recorder's own, and what it was not to record, over all ranks; what was computed uncounted, too.
  double elsewhere = 0;
  std::map<std::string, MeasuredCall> calls{}; ///< by MPI name, without "MPI_"
  std::vector<trace::Rank> ranks_without{};    ///< that have actions and no times: they were killed
};

/// Returns the times of the run, or nothing when no times were recorded. Reads the whole run once; `progress`, if
/// given, is called now and then with the actions read.
std::optional<Measured> measured(const trace::Source& source, const std::function<void(std::uint64_t)>& progress = {});

/// Returns seconds that the recording was on, of the rank where that was longest; nothing when no times were recorded,
/// or not of all ranks to their end.
std::optional<double> measured_time(const trace::Run& run);

/// Returns why a measured time cannot be compared with a prediction; empty when it can.
std::string why_incomparable(const trace::Run& run);
/// Returns measured_time() where it can be compared with a prediction.
std::optional<double> comparable_time(const trace::Run& run);
/// Returns a predicted makespan over that time; nothing where there is none.
std::optional<double> over_measured(double makespan, const trace::Run& run);

} // namespace timeless::analysis
