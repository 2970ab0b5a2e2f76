#include "replay/engine/steady/cut_plan.h"

#include "trace/loops/changes.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace timeless::replay {

namespace {

using trace::Loop;

// Taken together, they shall stay this many.
constexpr std::uint64_t enough_iterations = 32;
// A cut costs a rank about as much as so many actions, divided by some.
constexpr std::uint64_t enough_actions = 64;
constexpr std::uint64_t most_as_one = 64;

/// Takes `times` iterations as one.
void take_as_one(Loop& loop, std::uint64_t times) {
  const std::uint64_t all = loop.actions * loop.iterations + loop.rest;
  loop.actions *= times;
  loop.iterations = all / loop.actions;
  loop.rest = all % loop.actions;
}

void take_as_one(CutLoop& loop, std::uint64_t times) {
  loop.iterations /= times;
  loop.as_one *= times;
  for (Loop& one : loop.ranks) {
    take_as_one(one, times);
    loop.iterations = std::min(loop.iterations, one.iterations);
  }
}

/// Returns how many of `more` iterations are one of `fewer`; 0 where that does not come out even. What goes before and
/// after a loop may look like its iterations, so one more or less is even.
std::uint64_t iteration_ratio(std::uint64_t more, std::uint64_t fewer) {
  const std::uint64_t times = (more + fewer / 2) / fewer;
  const std::uint64_t apart = more > times * fewer ? more - times * fewer : times * fewer - more;
  return times <= most_as_one && apart <= times ? times : 0;
}

/// Adds a rank's loop where it fits.
bool add_loop(CutLoop& all, Loop loop) {
  const bool more = loop.iterations >= all.iterations;
  const std::uint64_t times =
      more ? iteration_ratio(loop.iterations, all.iterations) : iteration_ratio(all.iterations, loop.iterations);
  if (times == 0) return false;
  if (more)
    take_as_one(loop, times);
  else
    take_as_one(all, times);
  all.iterations = std::min(all.iterations, loop.iterations);
  all.ranks.push_back(loop);
  return true;
}

/// Keeps those loops that the next rank has, too, in the same order: as long, or else fitting.
void match_loops(std::vector<CutLoop>& all, const std::vector<Loop>& loops) {
  std::vector<CutLoop> matched;
  auto next = loops.begin();
  for (CutLoop& one : all) {
    auto found = std::ranges::find(next, loops.end(), one.iterations, &Loop::iterations);
    if (found == loops.end())
      found = std::ranges::find_if(next, loops.end(), [&](const Loop& loop) {
        return iteration_ratio(std::max(loop.iterations, one.iterations), std::min(loop.iterations, one.iterations)) >
               0;
      });
    if (found == loops.end() || !add_loop(one, *found)) continue;
    next = std::next(found);
    matched.push_back(std::move(one));
  }
  all = std::move(matched);
}

void make_long_enough(CutLoop& loop) {
  const std::uint64_t actions = std::max<std::uint64_t>(loop.actions() / loop.ranks.size(), 1);
  const std::uint64_t wanted = (enough_actions + actions - 1) / actions;
  const std::uint64_t times = std::min(wanted, std::max<std::uint64_t>(loop.iterations / enough_iterations, 1));
  if (times > 1) take_as_one(loop, times);
}

} // namespace

std::uint64_t CutLoop::actions() const {
  std::uint64_t all = 0;
  for (const Loop& loop : ranks)
    all += loop.actions;
  return all;
}

bool CutLoop::begin_late() {
  bool moved = false;
  for (Loop& loop : ranks) {
    const std::uint64_t spare = (loop.iterations - iterations) * loop.actions + loop.rest;
    moved = moved || spare > 0;
    loop.first += spare;
    loop.iterations = iterations;
    loop.rest = 0;
  }
  return moved;
}

std::uint64_t all_actions(const std::vector<CutLoop>& loops) {
  std::uint64_t all = 0;
  for (const CutLoop& loop : loops)
    all += loop.iterations * loop.actions();
  return all;
}

std::vector<CutLoop> shared_loops(RankRange ranks, const std::function<std::vector<Loop>(trace::Rank)>& loops,
                                  bool apart) {
  std::vector<CutLoop> all;
  for (trace::Rank rank = ranks.begin; rank < ranks.end; ++rank) {
    const std::vector<Loop> own = loops(rank);
    if (rank == ranks.begin)
      for (const Loop& loop : own)
        all.push_back({.iterations = loop.iterations, .ranks = {loop}, .changes = {}, .volumes = {}});
    else
      match_loops(all, own);
    if (all.empty()) return all;
  }
  for (CutLoop& loop : all) {
    loop.recorded = loop.iterations;
    loop.as_one = 1;
    if (!apart) make_long_enough(loop);
  }
  return all;
}

std::vector<CutLoop> plan_cuts(const trace::Source& source, RankRange ranks, bool apart) {
  const auto loops = [&](trace::Rank rank) { return trace::loops(source, rank, least_iterations); };
  return shared_loops(ranks, loops, apart);
}

void find_changes(const trace::Source& source, RankRange ranks, CutLoop& loop) {
  loop.changes.clear();
  for (std::size_t number = 0; number < ranks.size(); ++number) {
    Loop own = loop.ranks[number];
    own.iterations = loop.iterations;
    std::ranges::copy(trace::changes(source, ranks.begin + static_cast<trace::Rank>(number), own),
                      std::back_inserter(loop.changes));
  }
  std::ranges::sort(loop.changes);
  loop.changes.erase(std::ranges::unique(loop.changes).begin(), loop.changes.end());
}

void take_periods_as_one(const trace::Source& source, RankRange ranks, CutLoop& loop) {
  if (2 * loop.changes.size() <= loop.iterations) return;
  std::uint64_t all = 1;
  for (std::size_t number = 0; number < ranks.size(); ++number) {
    Loop own = loop.ranks[number];
    own.iterations = loop.iterations;
    const auto period = trace::volume_period(source, ranks.begin + static_cast<trace::Rank>(number), own, most_as_one);
    if (period == 0) return;
    all = std::lcm(all, period);
    if (all > most_as_one || loop.iterations / all < least_iterations) return;
  }
  if (all == 1) return;
  take_as_one(loop, all);
  find_changes(source, ranks, loop);
}

} // namespace timeless::replay
