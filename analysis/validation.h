#pragma once

#include "analysis/statistics/quantiles.h"
#include "trace/model/source.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::analysis {

/// What one launch with times took, in seconds; means are over ranks.
struct LaunchTimes {
  double makespan = 0;                   ///< of the rank that was longest
  double mean_end = 0;                   ///< from the end of MPI_Init to the recording's end
  double computing = 0;                  ///< between calls, by the counter walltime
  double polling = 0;                    ///< in tests and probes that found nothing
  std::map<std::string, double> calls{}; ///< by MPI name without "MPI_"
};

/// Reads a launch that was recorded with the counter walltime and times. Throws Error(invalid_input) for another.
LaunchTimes launch_times(const trace::Source& launch);

/// A predicted time beside what several launches took.
struct ValidatedTime {
  double predicted = 0;
  std::optional<Interval> predicted_interval = {}; ///< by what the prediction rests on
  double measured = 0;                             ///< the median of the launches
  std::optional<Interval> measured_interval = {};  ///< of that median; nothing: one launch, whose spread nobody knows

  /// Returns the error, signed, relative to what was measured; 0 where nothing was.
  double error() const { return measured > 0 ? predicted / measured - 1 : 0; }
  /// Returns false where the prediction is as good as another launch: inside the measurement's own interval. True where
  /// that is not known.
  bool distinguishable() const {
    return !measured_interval || predicted < measured_interval->low || predicted > measured_interval->high;
  }
};

ValidatedTime validated_time(double predicted, std::span<const double> launches);

} // namespace timeless::analysis
