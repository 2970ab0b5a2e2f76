#include "analysis/validation.h"

#include "analysis/trace/measured.h"

#include "base/error.h"

namespace timeless::analysis {

LaunchTimes launch_times(const trace::Source& launch) {
  const std::optional<Measured> times = measured(launch);
  if (!times || launch.run().counter.name != "walltime")
    throw Error(Failure::invalid_input, "a launch without the times of its calls and computations",
                "counter " + launch.run().counter.name, "record it with --counter walltime --timestamps");
  const auto ranks = static_cast<double>(std::max<std::size_t>(1, launch.run().ranks.size()));
  LaunchTimes result{.makespan = times->end,
                     .mean_end = times->per_rank.mean,
                     .computing = times->computing / ranks,
                     .polling = times->polling.value_or(0) / ranks};
  for (const auto& [name, call] : times->calls)
    result.calls[name] = call.seconds / ranks;
  return result;
}

ValidatedTime validated_time(double predicted, std::span<const double> launches) {
  ValidatedTime compared{.predicted = predicted};
  if (launches.empty()) return compared;
  compared.measured = median(launches);
  if (launches.size() > 1) compared.measured_interval = median_interval(launches);
  return compared;
}

} // namespace timeless::analysis
