#include "replay/engine/explanation/path_repeats.h"

#include <numeric>

namespace timeless::replay {

PathFrame::PathFrame(const std::vector<ExactSeconds>& passed) {
  for (std::size_t i = 0; i < numbers; ++i)
    sums_[i] = passed[i];
}

Traced PathFrame::absolute(const Traced& moment) const {
  return {.time = sums_[0].plus(moment.time),
          .first = sums_[1].plus(moment.first),
          .second = sums_[2].plus(moment.second),
          .computation = sums_[3].plus(moment.computation),
          .node = moment.node};
}

PathFrame PathFrame::since(const PathFrame& other) const {
  PathFrame all = *this;
  for (std::size_t i = 0; i < numbers; ++i)
    all.sums_[i].subtract(other.sums_[i]);
  return all;
}

PathFrame PathFrame::later(const PathFrame& period, std::uint64_t times) const {
  PathFrame all = *this;
  for (std::size_t i = 0; i < numbers; ++i)
    all.sums_[i].add(period.sums_[i], times);
  return all;
}

std::vector<std::uint32_t> PathPeriod::composed(std::uint64_t times) const {
  std::vector<std::uint32_t> all(chains.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::uint32_t> power;
  for (const Chain& chain : chains)
    power.push_back(chain.from);
  const auto after = [](const std::vector<std::uint32_t>& map, const std::vector<std::uint32_t>& next) {
    std::vector<std::uint32_t> both;
    for (const std::uint32_t moment : map)
      both.push_back(moment == nowhere ? nowhere : next[moment]);
    return both;
  };
  for (; times > 0; times /= 2) {
    if (times % 2 == 1) all = after(all, power);
    power = after(power, power);
  }
  return all;
}

} // namespace timeless::replay
