#include "analysis/scaling/rank_forecasts.h"

#include "analysis/scaling/forecast.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace timeless::analysis {

namespace {

using trace::Rank;

/// The ranks in one position, at the target and in the runs.
struct ForecastPosition {
  std::string name;
  std::vector<Rank> there;
  std::vector<std::vector<Rank>> in_runs;
};

std::vector<ForecastPosition> forecast_positions(const RankClasses& classes, std::size_t runs, const RankGrid& target) {
  std::vector<ForecastPosition> all;
  std::map<std::string, std::size_t> numbers;
  for (Rank rank = 0; rank < target.ranks(); ++rank) {
    const std::string name = position(target, rank);
    const auto [found, fresh] = numbers.try_emplace(name, all.size());
    if (fresh) all.push_back({name, {}, std::vector<std::vector<Rank>>(runs)});
    all[found->second].there.push_back(rank);
  }
  for (std::size_t run = 0; run < runs; ++run) {
    const RankPositions& positions = classes.runs[run];
    for (std::size_t rank = 0; rank < positions.of_rank.size(); ++rank)
      if (const auto found = numbers.find(positions.names[positions.of_rank[rank]]); found != numbers.end())
        all[found->second].in_runs[run].push_back(static_cast<Rank>(rank));
  }
  return all;
}

/// A figure as the ranks in a position have it.
struct FigureAt {
  FigureId id = no_observations;
  std::size_t runs = 0; ///< that have it
  bool zero = true;     ///< on all these ranks
};

/// Adds what the ranks in a position have of a figure; not of the first runs, where they have nothing of it.
FigureAt add_figure(FigureTable& table, const FigureByRank& figure, const ForecastPosition& at) {
  FigureAt added;
  for (std::size_t run = 0; run < at.in_runs.size(); ++run) {
    const auto value = [&](Rank rank) {
      return figure[run] == nullptr
                 ? 0
                 : static_cast<std::uint64_t>(std::llround((*figure[run])[static_cast<std::size_t>(rank)]));
    };
    const bool nothing = std::ranges::all_of(at.in_runs[run], [&](Rank rank) { return value(rank) == 0; });
    if (added.zero && nothing && run + 1 < at.in_runs.size()) continue;
    added.zero = added.zero && nothing;
    if (!at.in_runs[run].empty()) ++added.runs;
    for (const Rank rank : at.in_runs[run])
      added.id = table.add(added.id, {.run = static_cast<std::uint32_t>(run), .rank = rank, .value = value(rank)});
  }
  return added;
}

/// A figure's forecast as positions are added.
class ForecastSum {
public:
  /// Adds a position; where nothing is known of one, nothing is of the figure.
  void add(const ForecastPosition& at, const FigureAt& figure, const Forecast* found, const RankGrid& grid) {
    const bool enough = figure.zero || figure.runs >= fewest_runs_of_constant;
    if (found == nullptr || found->law.empty() || !enough) {
      known_ = false;
      return;
    }
    PositionForecast one{.position = at.name,
                         .ranks = at.there.size(),
                         .exact = found->exact && (figure.zero || figure.runs >= fewest_runs_of_law),
                         .error = found->exact ? 0 : found->error,
                         .law = found->law};
    double most = 0;
    for (const Rank rank : at.there) {
      const auto value = static_cast<double>(found->there.on(grid, rank, 0));
      one.mean += value;
      most = std::max(most, value);
    }
    ranks_ += at.there.size();
    sum_ += one.mean;
    error_ += one.error * static_cast<double>(at.there.size());
    forecast_.most.value = std::max(forecast_.most.value, most);
    forecast_.most.low = std::max(forecast_.most.low, most - one.error);
    forecast_.most.high = std::max(forecast_.most.high, most + one.error);
    one.mean /= static_cast<double>(at.there.size());
    exact_ = exact_ && one.exact;
    forecast_.positions.push_back(std::move(one));
  }

  std::optional<RankForecast> finish() {
    if (!known_) return std::nullopt;
    const auto ranks = static_cast<double>(ranks_);
    forecast_.mean = {
        .value = sum_ / ranks, .low = std::max(0.0, sum_ - error_) / ranks, .high = (sum_ + error_) / ranks};
    forecast_.exact = exact_;
    std::ranges::stable_sort(forecast_.positions, std::greater{}, &PositionForecast::mean);
    return std::move(forecast_);
  }

private:
  RankForecast forecast_;
  bool known_ = true;
  bool exact_ = true;
  std::size_t ranks_ = 0;
  double sum_ = 0;
  double error_ = 0;
};

} // namespace

double RankForecast::error() const {
  const auto relative = [](const ScalePrediction& one) {
    return one.value > 0 ? std::max(one.high - one.value, one.value - one.low) / one.value : one.high > 0 ? 1 : 0;
  };
  return std::max(relative(mean), relative(most));
}

std::vector<std::optional<RankForecast>> rank_forecasts(const RankClasses& classes, std::size_t runs, Rank ranks,
                                                        const std::vector<FigureByRank>& figures,
                                                        const std::vector<FigureByRank>& learn) {
  std::vector<std::optional<RankForecast>> none(figures.size());
  const std::optional<RankGrid> target = classes.grid_of(ranks);
  if (!target) return none;
  const std::vector<ForecastPosition> positions = forecast_positions(classes, runs, *target);
  for (const ForecastPosition& at : positions)
    if (std::ranges::count_if(at.in_runs, [](const auto& of) { return !of.empty(); }) <
        static_cast<std::ptrdiff_t>(fewest_runs_of_constant))
      return none;
  Forecaster forecaster({classes.grids.begin(), classes.grids.begin() + static_cast<std::ptrdiff_t>(runs)}, *target,
                        false, false);
  FigureTable table;
  for (const FigureByRank& figure : learn)
    for (const ForecastPosition& at : positions)
      if (const FigureAt added = add_figure(table, figure, at); added.runs >= fewest_runs_of_law && !added.zero)
        forecaster.learn_points(table.observations(added.id));
  std::vector<ForecastSum> sums(figures.size());
  for (const ForecastPosition& at : positions) {
    forecaster.of_class(at.there);
    for (std::size_t figure = 0; figure < figures.size(); ++figure) {
      const FigureAt added = add_figure(table, figures[figure], at);
      sums[figure].add(at, added, added.runs == 0 ? nullptr : &forecaster(added.id, table), *target);
    }
  }
  std::vector<std::optional<RankForecast>> all;
  for (ForecastSum& sum : sums)
    all.push_back(sum.finish());
  return all;
}

} // namespace timeless::analysis
