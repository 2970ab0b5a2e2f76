#include "replay/distributed/rank_division.h"

#include <algorithm>
#include <cstdint>

namespace timeless::replay {

namespace {

/// Beginning, and being on the list, costs a rank something even if it does nothing.
constexpr double actions_of_idle_rank = 16;

} // namespace

std::vector<RankRange> divide_ranks(const trace::Run& run, int processes) {
  double left = 0;
  for (const trace::RankRecord& record : run.ranks)
    left += static_cast<double>(record.actions) + actions_of_idle_rank;
  std::vector<RankRange> ranges;
  trace::Rank next = 0;
  for (int process = 0; process < processes; ++process) {
    RankRange range{next, next};
    const double part = left / (processes - process);
    double taken = 0;
    while (range.end < run.size) {
      const auto& record = run.ranks[static_cast<std::size_t>(range.end)];
      const double more = static_cast<double>(record.actions) + actions_of_idle_rank;
      // A rank belongs where the larger part of it lies.
      if (range.size() > 0 && taken + more / 2 > part) break;
      taken += more;
      ++range.end;
    }
    if (process + 1 == processes) range.end = run.size;
    left -= taken;
    next = range.end;
    ranges.push_back(range);
  }
  return ranges;
}

std::uint64_t actions_of(const trace::Run& run, const RankRange& ranks) {
  std::uint64_t all = 0;
  for (trace::Rank rank = ranks.begin; rank < ranks.end; ++rank)
    all += run.ranks[static_cast<std::size_t>(rank)].actions;
  return all;
}

} // namespace timeless::replay
