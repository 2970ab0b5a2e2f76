#include "replay/distributed/shares.h"

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
  std::vector<RankRange> shares;
  trace::Rank next = 0;
  for (int process = 0; process < processes; ++process) {
    RankRange share{next, next};
    const double part = left / (processes - process);
    double taken = 0;
    while (share.end < run.size) {
      const auto& record = run.ranks[static_cast<std::size_t>(share.end)];
      const double more = static_cast<double>(record.actions) + actions_of_idle_rank;
      // A rank belongs where the larger part of it lies.
      if (share.size() > 0 && taken + more / 2 > part) break;
      taken += more;
      ++share.end;
    }
    if (process + 1 == processes) share.end = run.size;
    left -= taken;
    next = share.end;
    shares.push_back(share);
  }
  return shares;
}

} // namespace timeless::replay
