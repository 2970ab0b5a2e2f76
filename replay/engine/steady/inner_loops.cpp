#include "replay/engine/steady/inner_loops.h"

namespace timeless::replay {

bool changes_often(const CutLoop& loop) {
  return 4 * loop.changes.size() > loop.iterations;
}

std::vector<CutLoop> plan_inner_cuts(const trace::Source& source, RankRange ranks, const CutLoop& outer) {
  const auto within = [&](trace::Rank rank) {
    const trace::Loop& own = outer.ranks[static_cast<std::size_t>(rank - ranks.begin)];
    return trace::loops_within(source, rank, own, least_iterations);
  };
  std::vector<CutLoop> inner = shared_loops(ranks, within, false);
  if (2 * all_actions(inner) < outer.actions()) inner.clear();
  return inner;
}

CutLoop inner_loop_at(const CutLoop& outer, std::uint64_t iteration, const CutLoop& inner) {
  CutLoop here = inner;
  for (std::size_t rank = 0; rank < here.ranks.size(); ++rank)
    here.ranks[rank].first += outer.cut(rank, iteration);
  return here;
}

InnerVolumes::InnerVolumes(const trace::Source& source, RankRange ranks) {
  ranks_.reserve(ranks.size());
  for (trace::Rank rank = ranks.begin; rank < ranks.end; ++rank)
    ranks_.emplace_back(source, rank);
}

void InnerVolumes::find_changes(CutLoop& loop) {
  loop.volumes.assign(loop.iterations, {});
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    trace::Loop own = loop.ranks[rank];
    own.iterations = loop.iterations;
    const std::vector<trace::VolumesDigest> digests = ranks_[rank].of(own);
    for (std::size_t iteration = 0; iteration < digests.size(); ++iteration)
      loop.volumes[iteration].add(digests[iteration]);
  }
  loop.changes.clear();
  for (std::uint64_t iteration = 1; iteration < loop.iterations; ++iteration)
    if (loop.volumes[iteration] != loop.volumes[iteration - 1]) loop.changes.push_back(iteration);
}

} // namespace timeless::replay
