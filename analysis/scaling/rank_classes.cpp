#include "analysis/scaling/rank_classes.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace timeless::analysis {

namespace {

/// Ranks differ where their kernels' volumes are this much of all off the mean, and positions explain it where they
/// leave at most half. With more sides, fewer ranks share a position, which explains some by chance: a grid has to
/// explain this much more than one before it.
constexpr double least_spread = 1e-6;
constexpr double least_explained = 0.5;
constexpr double sides_explain = 0.02;

RankPositions positions_in(const RankGrid& grid, trace::Rank ranks) {
  RankPositions positions;
  std::map<std::string, std::uint32_t> numbers;
  for (trace::Rank rank = 0; rank < ranks; ++rank) {
    const auto [number, fresh] =
        numbers.try_emplace(position(grid, rank), static_cast<std::uint32_t>(positions.names.size()));
    if (fresh) positions.names.push_back(number->first);
    positions.of_rank.push_back(number->second);
  }
  return positions;
}

/// Returns positions of which all ranks have the same.
RankPositions one_position(trace::Rank ranks) {
  return {{""}, std::vector<std::uint32_t>(static_cast<std::size_t>(ranks))};
}

/// Returns the mean of the ranks in each position.
std::vector<double> means_of(const RankPositions& positions, std::span<const double> by_rank) {
  std::vector<double> means(positions.names.size());
  std::vector<double> counts(positions.names.size());
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    means[positions.of_rank[rank]] += by_rank[rank];
    counts[positions.of_rank[rank]] += 1;
  }
  for (std::size_t number = 0; number < means.size(); ++number)
    means[number] /= counts[number];
  return means;
}

/// Returns the sum of what ranks differ by from the mean of their position, over all kernels of a run.
double spread_within(const RunFigures& run, const RankPositions& positions) {
  double spread = 0;
  for (const auto& [key, kernel] : run.kernels) {
    const std::vector<double> means = means_of(positions, kernel.by_rank);
    for (std::size_t rank = 0; rank < kernel.by_rank.size(); ++rank)
      spread += std::abs(kernel.by_rank[rank] - means[positions.of_rank[rank]]);
  }
  return spread;
}

double volume_of(const RunFigures& run) {
  return run.volume.mean * run.ranks;
}

trace::Rank ranks_of(const RunFigures& run) {
  return static_cast<trace::Rank>(run.ranks);
}

/// A way to make grids of all runs.
struct GridCandidate {
  std::string assumption;
  std::optional<GridRule> rule;
  std::vector<RankGrid> grids;
};

std::vector<GridCandidate> candidates(std::span<const RunFigures* const> runs) {
  std::vector<GridCandidate> all;
  if (std::ranges::all_of(runs, [](const RunFigures* run) { return run->grid.has_value(); })) {
    all.push_back({"the recorded grid", {}, {}});
    for (const RunFigures* run : runs)
      all.back().grids.push_back(*run->grid);
  }
  for (const GridRule& rule : grid_rules()) {
    all.push_back({rule.text(), rule, {}});
    for (const RunFigures* run : runs)
      all.back().grids.push_back(rule.grid(ranks_of(*run)));
  }
  return all;
}

} // namespace

std::optional<double> RankClasses::mean(std::size_t run, const std::string& position,
                                        std::span<const double> by_rank) const {
  const std::vector<std::string>& names = runs[run].names;
  const auto found = std::ranges::find(names, position);
  if (found == names.end()) return std::nullopt;
  return means_of(runs[run], by_rank)[static_cast<std::size_t>(found - names.begin())];
}

std::optional<RankGrid> RankClasses::grid_of(trace::Rank ranks) const {
  return rule ? rule->grid(ranks) : grid_like(grids, ranks);
}

std::vector<RankClasses> possible_rank_classes(std::span<const RunFigures* const> runs) {
  double all = 0;
  for (const RunFigures* run : runs)
    all += spread_within(*run, one_position(ranks_of(*run)));
  std::vector<RankClasses> possible;
  for (const GridCandidate& candidate : candidates(runs)) {
    RankClasses& classes = possible.emplace_back();
    classes = {.assumption = candidate.assumption, .grids = candidate.grids, .rule = candidate.rule};
    double left = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      classes.runs.push_back(positions_in(candidate.grids[run], ranks_of(*runs[run])));
      left += spread_within(*runs[run], classes.runs.back());
    }
    classes.explained = all > 0 ? 1 - left / all : 0;
  }
  return possible;
}

std::optional<RankClasses> rank_classes(std::span<const RunFigures* const> runs) {
  double all = 0;
  double volume = 0;
  for (const RunFigures* run : runs) {
    all += spread_within(*run, one_position(ranks_of(*run)));
    volume += volume_of(*run);
  }
  if (!(all > least_spread * volume)) return std::nullopt;
  std::optional<RankClasses> best;
  for (RankClasses& classes : possible_rank_classes(runs)) {
    if (classes.explained < least_explained) continue;
    if (!best || classes.explained > best->explained + sides_explain) best = std::move(classes);
  }
  return best;
}

} // namespace timeless::analysis
