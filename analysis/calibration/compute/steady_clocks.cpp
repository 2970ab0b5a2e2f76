#include "analysis/calibration/compute/steady_clocks.h"

#include "analysis/statistics/clocks.h"

#include <fmt/format.h>

#include <cstdint>

namespace timeless::analysis {

namespace {

/// Seconds by which an action ended before it began; 0 where none did. Times before MPI_Init count down from 2^64.
double step_back(const trace::Source& launch, trace::Rank rank) {
  const auto stream = launch.open(rank);
  trace::ActionBlock block;
  while (stream->next(block)) {
    stream->read_times(block);
    for (const trace::ActionTimes& times : block.times())
      if (const auto took = static_cast<std::int64_t>(times.exit - times.entry); took < 0)
        return -static_cast<double>(took) * 1e-9;
  }
  return 0;
}

} // namespace

std::string clock_jump(const trace::Source& launch, double elapsed) {
  for (const trace::RankRecord& record : launch.run().ranks) {
    if (const double back = step_back(launch, record.rank); back > 0)
      return fmt::format("the clock of rank {} went back by {:.3f} s", record.rank, back);
    const double recorded = static_cast<double>(record.recorded_time) * 1e-9;
    if (jumped_ahead(recorded, elapsed))
      return fmt::format("the clock of rank {} jumped: it went on by {:.3f} s in a launch of {:.3f} s", record.rank,
                         recorded, elapsed);
  }
  return {};
}

} // namespace timeless::analysis
