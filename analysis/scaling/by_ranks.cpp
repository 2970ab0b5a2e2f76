#include "analysis/scaling/by_ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace timeless::analysis {

namespace {

/// A metric with what the ranks of each run have of it.
struct MetricByRank {
  ScaledMetric* metric = nullptr;
  FigureByRank of_ranks = {};
};

template <typename Key, typename Of>
FigureByRank by_rank_of(const Scaling& scaling, std::map<Key, Of> RunFigures::*map, const Key& key,
                        const std::vector<double>* (*values)(const Of&)) {
  FigureByRank figure;
  for (const ScaledRun& run : scaling.runs) {
    const auto found = (run.figures.*map).find(key);
    figure.push_back(found == (run.figures.*map).end() ? nullptr : values(found->second));
  }
  return figure;
}

const std::vector<double>* kernel_volumes(const KernelOfRun& kernel) {
  return &kernel.by_rank;
}

const std::vector<double>* calls_by_rank(const CallOfRun& call) {
  return &call.by_rank.at("calls");
}

const std::vector<double>* bytes_by_rank(const CallOfRun& call) {
  return &call.by_rank.at("bytes");
}

/// Returns what all kernels of each run take of its ranks.
std::vector<std::vector<double>> whole_by_rank(const Scaling& scaling) {
  std::vector<std::vector<double>> all;
  for (const ScaledRun& run : scaling.runs) {
    std::vector<double>& whole = all.emplace_back(static_cast<std::size_t>(run.figures.ranks));
    for (const auto& [key, kernel] : run.figures.kernels)
      std::ranges::transform(whole, kernel.by_rank, whole.begin(), std::plus{});
  }
  return all;
}

bool sure_by_ranks_alone(const ScaledMetric& metric) {
  return metric.mean.fit.sure() && metric.most.fit.sure();
}

/// Returns how far a prediction leaves its value open, relative.
double openness(const std::optional<ScalePrediction>& there) {
  if (!there || there->ended) return std::numeric_limits<double>::infinity();
  const double open = std::max(there->high - there->value, there->value - there->low);
  return there->value > 0 ? open / there->value : open > 0 ? std::numeric_limits<double>::infinity() : 0;
}

double miss_of(const ScalePrediction& said, double measured) {
  return said.value == measured ? 0 : (said.value - measured) / (measured == 0 ? 1 : measured);
}

/// Returns whether what ranks come to one by one is closer to the check run than the laws are: by the rank that has
/// most, and where that is the same, by the mean.
bool closer_to_check(const ScaledMetric& metric, const RankForecast& said) {
  const auto law = [](const ScaledFigure& figure) {
    return figure.check ? std::abs(figure.check->residual) : std::numeric_limits<double>::infinity();
  };
  return std::pair(std::abs(miss_of(said.most, *metric.most.checked)),
                   std::abs(miss_of(said.mean, *metric.mean.checked))) < std::pair(law(metric.most), law(metric.mean));
}

/// Returns whether what ranks come to misses the check run by so much that it is no law.
bool far_off_check(const ScaledMetric& metric, const RankForecast& said) {
  const auto far = [](const ScaledFigure& figure, const ScalePrediction& there) {
    return !figure.fit.sure() && std::abs(miss_of(there, *figure.checked)) > still_a_law;
  };
  return far(metric.mean, said.mean) || far(metric.most, said.most);
}

bool less_open(const ScaledMetric& metric, const RankForecast& said, std::size_t target) {
  return said.error() < std::max(openness(metric.mean.there[target]), openness(metric.most.there[target])) ||
         (said.exact && !sure_by_ranks_alone(metric));
}

/// Widens what is said of a place by how far the check run was missed, grown as predict() has intervals grow.
void widen(ScalePrediction& there, double miss, double spans_beyond) {
  const double factor = std::pow(1 + std::abs(miss), 1 + 2 * spans_beyond);
  there.low = std::min(there.low, there.value / factor);
  there.high = std::max(there.high, there.value * factor);
}

/// Takes forecasts for what a metric comes to, at their places.
void take(ScaledMetric& metric, const Scaling& scaling, std::vector<PlacedForecast> forecasts) {
  metric.by_ranks = std::move(forecasts);
  const auto checked_at = scaling.check
                              ? std::ranges::find(metric.by_ranks, scaling.check->place, &PlacedForecast::place)
                              : metric.by_ranks.end();
  if (checked_at != metric.by_ranks.end()) {
    const auto check = [&](ScaledFigure& figure, ScalePrediction RankForecast::*said) {
      if (figure.fit.sure()) return;
      const double miss = miss_of(checked_at->forecast.*said, *figure.checked);
      figure.check = LawCheck{.exact = std::abs(miss) <= scaling.tolerance, .residual = miss};
      if (figure.check->exact) return;
      const LawFit runs{.least = scaling.runs.front().place, .largest = scaling.check->place};
      for (PlacedForecast& one : metric.by_ranks)
        if (one.place != scaling.check->place) widen(one.forecast.*said, miss, runs.spans_beyond(one.place));
    };
    check(metric.mean, &RankForecast::mean);
    check(metric.most, &RankForecast::most);
  }
  set_targets(metric, scaling.targets);
}

std::vector<MetricByRank> metrics_by_rank(Scaling& scaling, const FigureByRank& whole) {
  std::vector<MetricByRank> all;
  const auto add = [&](ScaledMetric& metric, FigureByRank figure) {
    if (!sure_by_ranks_alone(metric)) all.push_back({&metric, std::move(figure)});
  };
  for (ScaledKernel& kernel : scaling.kernels)
    add(kernel.metrics.front(), by_rank_of(scaling, &RunFigures::kernels, kernel.key, kernel_volumes));
  for (ScaledCall& call : scaling.calls) {
    add(call.metrics[0], by_rank_of(scaling, &RunFigures::calls, call.key, calls_by_rank));
    add(call.metrics[1], by_rank_of(scaling, &RunFigures::calls, call.key, bytes_by_rank));
  }
  add(scaling.whole, whole);
  return all;
}

/// Returns the numbers of ranks that are forecast, the check run's first.
std::vector<ScalePlace> forecast_places(const Scaling& scaling) {
  std::vector<ScalePlace> places;
  if (scaling.check) places.push_back(scaling.check->place);
  places.insert(places.end(), scaling.targets.begin(), scaling.targets.end());
  std::erase_if(places, [](const ScalePlace& place) {
    return place.ranks > most_forecast_ranks || place.ranks != std::floor(place.ranks);
  });
  return places;
}

/// Returns the grids by which the volume of all kernels is forecast with the smallest error; nothing where none tells
/// it. Grids whose positions explain less than half of what those of another do say little of what ranks differ by:
/// what they fit, they fit by chance.
const RankClasses* best_classes(const std::vector<RankClasses>& possible, const FigureByRank& whole,
                                const std::vector<FigureByRank>& bytes, trace::Rank ranks) {
  const RankClasses* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  double most_explained = 0;
  for (const RankClasses& classes : possible)
    most_explained = std::max(most_explained, classes.explained);
  for (const RankClasses& classes : possible) {
    if (classes.explained < most_explained / 2) continue;
    const auto said = rank_forecasts(classes, whole.size(), ranks, {whole}, bytes).front();
    if (!said || said->error() >= least) continue;
    least = said->error();
    best = &classes;
    if (least == 0) break;
  }
  return best;
}

} // namespace

void take_better_by_ranks(Scaling& scaling) {
  const std::vector<ScalePlace> places = forecast_places(scaling);
  if (places.empty() || scaling.sizes_given) return;
  const std::vector<std::vector<double>> wholes = whole_by_rank(scaling);
  FigureByRank whole;
  for (const std::vector<double>& values : wholes)
    whole.push_back(&values);
  const std::vector<MetricByRank> metrics = metrics_by_rank(scaling, whole);
  if (metrics.empty()) return;
  std::vector<FigureByRank> bytes;
  for (const ScaledCall& call : scaling.calls)
    bytes.push_back(by_rank_of(scaling, &RunFigures::calls, call.key, bytes_by_rank));
  std::vector<FigureByRank> figures;
  for (const MetricByRank& one : metrics)
    figures.push_back(one.of_ranks);
  std::vector<std::vector<PlacedForecast>> found(metrics.size());
  std::vector<const RunFigures*> runs;
  for (const ScaledRun& run : scaling.runs)
    runs.push_back(&run.figures);
  const std::vector<RankClasses> possible = possible_rank_classes(runs);
  const RankClasses* classes = nullptr;
  for (const ScalePlace& place : places) {
    // What a check run judges is of its grid; else no target decides for another.
    if (classes == nullptr || !scaling.check)
      classes = best_classes(possible, whole, bytes, static_cast<trace::Rank>(place.ranks));
    if (classes == nullptr) continue;
    scaling.forecast_grid = classes->assumption;
    auto said = rank_forecasts(*classes, scaling.runs.size(), static_cast<trace::Rank>(place.ranks), figures, bytes);
    for (std::size_t i = 0; i < said.size(); ++i)
      if (said[i]) found[i].push_back({place, std::move(*said[i]), classes->assumption});
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    ScaledMetric& metric = *metrics[i].metric;
    std::vector<PlacedForecast>& all = found[i];
    if (!all.empty() && scaling.check && all.front().place == scaling.check->place) {
      const RankForecast& checked = all.front().forecast;
      if (far_off_check(metric, checked) || !closer_to_check(metric, checked)) all.clear();
    } else {
      std::erase_if(all, [&](const PlacedForecast& one) {
        const auto target = std::ranges::find(scaling.targets, one.place) - scaling.targets.begin();
        return !less_open(metric, one.forecast, static_cast<std::size_t>(target));
      });
    }
    if (!all.empty()) take(metric, scaling, std::move(all));
  }
}

} // namespace timeless::analysis
