#include "replay/result.h"

namespace timeless::replay {

namespace {

constexpr double RankTimes::*const fields[] = {&RankTimes::end,       &RankTimes::compute, &RankTimes::memory_copy,
                                               &RankTimes::overhead,  &RankTimes::wait,    &RankTimes::latency,
                                               &RankTimes::bandwidth, &RankTimes::files};

} // namespace

RankTimes mean(const LaneResult& lane) {
  RankTimes average;
  if (lane.ranks.empty()) return average;
  for (double RankTimes::*const field : fields) {
    for (const RankTimes& rank : lane.ranks)
      average.*field += rank.*field;
    average.*field /= static_cast<double>(lane.ranks.size());
  }
  return average;
}

Shares shares(const LaneResult& lane) {
  const RankTimes average = mean(lane);
  if (average.end <= 0) return {};
  const auto percent = [&](double seconds) { return 100 * seconds / average.end; };
  return {.computation = percent(average.compute + average.memory_copy),
          .overhead = percent(average.overhead),
          .wait = percent(average.wait),
          .latency = percent(average.latency),
          .bandwidth = percent(average.bandwidth),
          .files = percent(average.files)};
}

} // namespace timeless::replay
