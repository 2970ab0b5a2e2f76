#pragma once

#include "analysis/scaling/law.h"
#include "analysis/scaling/rank_classes.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// What figures of the ranks come to on more of them, rank by rank: by the position that each has in the grid, and by
/// its share of the points that are shared out along the sides.
namespace timeless::analysis {

/// A figure of the ranks of each run; null: of a run that lacks it.
using FigureByRank = std::vector<const std::vector<double>*>;

/// What the ranks in one position have of a figure at the target.
struct PositionForecast {
  std::string position = {};
  std::size_t ranks = 0;
  double mean = 0;      ///< of the figure
  bool exact = false;   ///< the law meets all ranks of all runs, one of which it is not from
  double error = 0;     ///< how far off it may be, no bound: see Forecast
  std::string law = {}; ///< as a formula
};

/// What the ranks have of a figure at the target.
struct RankForecast {
  ScalePrediction mean = {};
  ScalePrediction most = {};
  bool exact = false;                           ///< in all positions
  std::vector<PositionForecast> positions = {}; ///< those with the largest means first

  /// Returns how far off the mean and the most may be, the larger of the two, relative.
  double error() const;
  /// Returns whether it says what is there: it is exact, or may be a twentieth off.
  bool reaches() const { return exact || error() <= 0.05; }
};

/// The most ranks that figures are forecast for.
inline constexpr double most_forecast_ranks = 16384;

/// Forecasts figures of so many ranks from runs by rising number of ranks, the first of those of `classes`. `learn`:
/// the figures that are whole multiples of what a point takes, bytes, which tell how many points there are. Nothing of
/// a figure where some position of the target is in fewer than two of the runs, or follows no law.
std::vector<std::optional<RankForecast>> rank_forecasts(const RankClasses& classes, std::size_t runs, trace::Rank ranks,
                                                        const std::vector<FigureByRank>& figures,
                                                        const std::vector<FigureByRank>& learn);

} // namespace timeless::analysis
