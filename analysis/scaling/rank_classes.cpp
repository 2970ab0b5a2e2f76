#include "analysis/scaling/rank_classes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace timeless::analysis {

namespace {

/// Ranks differ where their kernels' volumes are this much of all off the mean, and positions explain it where they
/// leave at most half. With more sides, fewer ranks share a position, which explains some by chance: a grid has to
/// explain this much more than one before it.
constexpr double least_spread = 1e-6;
constexpr double least_explained = 0.5;
constexpr double sides_explain = 0.02;

using Positions = std::vector<std::string>;

Positions positions_in(const RankGrid& grid, trace::Rank ranks) {
  Positions positions;
  for (trace::Rank rank = 0; rank < ranks; ++rank)
    positions.push_back(position(grid, rank));
  return positions;
}

/// Returns the sum of what ranks differ by from the mean of those with the same name, over all kernels of a run.
double spread_within(const RunFigures& run, const Positions& names) {
  double spread = 0;
  for (const auto& [key, kernel] : run.kernels) {
    std::map<std::string, std::pair<double, double>> sums;
    for (std::size_t rank = 0; rank < kernel.by_rank.size(); ++rank) {
      auto& [sum, count] = sums[names[rank]];
      sum += kernel.by_rank[rank];
      count += 1;
    }
    for (std::size_t rank = 0; rank < kernel.by_rank.size(); ++rank) {
      const auto& [sum, count] = sums[names[rank]];
      spread += std::abs(kernel.by_rank[rank] - sum / count);
    }
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
  std::vector<RankGrid> grids;
};

std::vector<GridCandidate> candidates(std::span<const RunFigures* const> runs) {
  std::vector<GridCandidate> all;
  if (std::ranges::all_of(runs, [](const RunFigures* run) { return run->grid.has_value(); })) {
    all.push_back({"the recorded grid", {}});
    for (const RunFigures* run : runs)
      all.back().grids.push_back(*run->grid);
  }
  for (const GridRule& rule : grid_rules()) {
    all.push_back({rule.text(), {}});
    for (const RunFigures* run : runs)
      all.back().grids.push_back(rule.grid(ranks_of(*run)));
  }
  return all;
}

} // namespace

std::optional<double> RankClasses::mean(std::size_t run, const std::string& position,
                                        std::span<const double> by_rank) const {
  double sum = 0;
  double count = 0;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    if (positions[run][rank] != position) continue;
    sum += by_rank[rank];
    count += 1;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<RankClasses> rank_classes(std::span<const RunFigures* const> runs) {
  double all = 0;
  double volume = 0;
  for (const RunFigures* run : runs) {
    all += spread_within(*run, Positions(static_cast<std::size_t>(run->ranks)));
    volume += volume_of(*run);
  }
  if (!(all > least_spread * volume)) return std::nullopt;
  std::optional<RankClasses> best;
  for (const GridCandidate& candidate : candidates(runs)) {
    RankClasses classes{.assumption = candidate.assumption};
    double left = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      classes.positions.push_back(positions_in(candidate.grids[run], ranks_of(*runs[run])));
      left += spread_within(*runs[run], classes.positions.back());
    }
    classes.explained = 1 - left / all;
    if (classes.explained < least_explained) continue;
    if (!best || classes.explained > best->explained + sides_explain) best = std::move(classes);
  }
  return best;
}

} // namespace timeless::analysis
