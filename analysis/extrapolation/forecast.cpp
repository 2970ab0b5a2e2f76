#include "analysis/extrapolation/forecast.h"

#include "analysis/scaling/law_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace timeless::analysis {

namespace {

/// A whole number that a law gives is off by rounding only.
constexpr double rounding = 1e-6;

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0)));
}

/// Returns the forecast of laws that met all runs, one of which they are not from.
Forecast exact_forecast(const LawFit& fit, const ScalePrediction& there) {
  Forecast forecast{.exact = true, .value = whole(there.value), .law = formula(fit.laws.front())};
  const double off = std::abs(there.value - std::round(there.value));
  if (whole(there.low) != whole(there.high)) {
    forecast.error = std::max(there.high - there.value, there.value - there.low);
    forecast.because = fmt::format("laws that fit equally well say from {} to {}", whole(there.low), whole(there.high));
  } else if (off > std::max(rounding, rounding * there.value)) {
    forecast.error = 1;
    forecast.because =
        fmt::format("the law gives {:.2f}, no whole number: what is shared out does not divide", there.value);
  }
  forecast.exact = forecast.because.empty();
  return forecast;
}

/// Returns the forecast of laws that miss the largest run by `residual` of its value. Beyond the runs that error is
/// taken to grow as predict() has intervals grow.
std::optional<Forecast> approximate_forecast(const LawFit& fit, const ScalePlace& target, double residual) {
  const auto there = fit.laws.empty() ? std::nullopt : predict(fit, target);
  if (!there) return std::nullopt;
  const double spread = std::max(there->high - there->value, there->value - there->low);
  Forecast forecast{.value = whole(there->value), .law = formula(fit.laws.front())};
  const double beyond = 1 + 2 * fit.spans_beyond(target);
  forecast.error = std::max({spread, beyond * std::abs(residual) * there->value, 1.0});
  forecast.because = fmt::format("no law from all runs but one meets that one too: the best is {:.2g} % off there",
                                 100 * std::abs(residual));
  return forecast;
}

} // namespace

Forecaster::Search& Forecaster::search(const std::vector<std::size_t>& runs) {
  auto& found = searches_[runs];
  if (!found) {
    std::vector<ScalePlace> places;
    for (const std::size_t run : runs)
      places.push_back({.ranks = ranks_[run]});
    const ScalePlace largest = places.back();
    places.pop_back();
    found = std::make_unique<Search>(Search{LawSearch(places), largest});
  }
  return *found;
}

Forecast Forecaster::by_law(const std::vector<std::size_t>& runs, const std::vector<double>& means) {
  if (constants_only_) return {.because = "it changes with the number of ranks, whose grids follow no rule"};
  const ScalePlace target{.ranks = target_};
  std::optional<Forecast> best;
  // What the smallest runs do otherwise, where all ranks are at some edge, does not count against a law.
  for (std::size_t first = 0; first + fewest_runs_of_law <= runs.size(); ++first) {
    const std::vector<std::size_t> of(runs.begin() + static_cast<std::ptrdiff_t>(first), runs.end());
    const std::span values = std::span(means).subspan(first);
    Search& laws = search(of);
    LawFit fit = laws.but_largest.fit(values.first(values.size() - 1));
    const bool exact = fit.kind == LawKind::exact;
    const auto check = check_laws(fit, laws.largest, values.back(), laws.but_largest.tolerance());
    if (!check) continue;
    if (const auto there = predict(fit, target); exact && check->exact && there) return exact_forecast(fit, *there);
    const auto found = approximate_forecast(fit, target, check->residual);
    if (found && (!best || found->error < best->error)) best = found;
  }
  return best.value_or(Forecast{.because = "no law fits the runs"});
}

Forecast Forecaster::find(const FigureSpans& figure) {
  std::vector<std::size_t> runs;
  std::vector<double> means;
  double spread = 0;
  for (std::size_t run = 0; run < figure.size(); ++run) {
    const FigureSpan& span = figure[run];
    if (span.ranks == 0) continue;
    runs.push_back(run);
    const double mean = static_cast<double>(span.sum) / static_cast<double>(span.ranks);
    means.push_back(mean);
    spread = std::max({spread, static_cast<double>(span.most) - mean, mean - static_cast<double>(span.least)});
  }
  Forecast forecast;
  if (std::ranges::all_of(means, [&](double mean) { return mean == means.front(); }))
    forecast = {.exact = true, .value = whole(means.front()), .law = fmt::to_string(whole(means.front()))};
  else
    forecast = by_law(runs, means);
  if (spread == 0 || forecast.law.empty()) return forecast;
  forecast.exact = false;
  forecast.error += spread;
  forecast.because = fmt::format("ranks in the same position differ by up to {:.0f}", spread);
  return forecast;
}

const Forecast& Forecaster::operator()(const FigureSpans& figure) {
  std::vector<std::uint64_t> key;
  for (const FigureSpan& span : figure)
    key.insert(key.end(), {span.ranks, span.sum, span.least, span.most});
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(std::move(key), find(figure)).first->second;
}

} // namespace timeless::analysis
