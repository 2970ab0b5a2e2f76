#include "analysis/extrapolation/forecast.h"

#include "analysis/scaling/law_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace timeless::analysis {

namespace {

/// A whole number that a law gives is off by rounding only.
constexpr double rounding = 1e-6;
/// How many ways to share out points along all sides are tried.
constexpr std::size_t most_candidates = 64;

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0)));
}

/// Returns the forecast of laws that met all runs, one of which they are not from.
Forecast exact_forecast(const LawFit& fit, const ScalePrediction& there) {
  Forecast forecast{.exact = true,
                    .there = {.value = whole(there.value)},
                    .law = formula(fit.laws.front()),
                    .parts = fit.laws.front().parts.size()};
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
  Forecast forecast{.there = {.value = whole(there->value)}, .law = formula(fit.laws.front())};
  const double beyond = 1 + 2 * fit.spans_beyond(target);
  forecast.error = std::max({spread, beyond * std::abs(residual) * there->value, 1.0});
  forecast.because = fmt::format("no law from all runs but one meets that one too: the best is {:.2g} % off there",
                                 100 * std::abs(residual));
  return forecast;
}

} // namespace

Forecaster::Forecaster(const std::vector<RankGrid>& grids, const RankGrid& target, bool constants_only)
    : target_(target), constants_only_(constants_only), by_share_(grids) {
  for (const RankGrid& grid : grids)
    ranks_.push_back(static_cast<double>(grid.ranks()));
}

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
  const ScalePlace target{.ranks = static_cast<double>(target_.ranks())};
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

Forecaster::Spans Forecaster::spans(const std::vector<Observation>& figure) {
  Spans all;
  for (auto next = figure.begin(); next != figure.end();) {
    const std::uint32_t run = next->run;
    const auto end = std::find_if(next, figure.end(), [&](const Observation& one) { return one.run != run; });
    double sum = 0;
    for (auto one = next; one != end; ++one)
      sum += static_cast<double>(one->value);
    const double mean = sum / static_cast<double>(end - next);
    for (; next != end; ++next)
      all.spread = std::max(all.spread, std::abs(static_cast<double>(next->value) - mean));
    all.runs.push_back(run);
    all.means.push_back(mean);
  }
  return all;
}

std::vector<SharedPoints> Forecaster::candidates() const {
  std::vector<SharedPoints> all{SharedPoints{}};
  for (std::size_t side = 0; side < target_.sides.size(); ++side) {
    std::vector<SharedPoints> next;
    for (const SharedPoints& before : all)
      for (const std::uint64_t points : points_[side]) {
        next.push_back(before);
        next.back()[side] = points;
        if (next.size() > most_candidates) break;
      }
    if (!next.empty()) all = std::move(next);
  }
  return all;
}

void Forecaster::learn_points(const std::vector<Observation>& figure) {
  for (std::size_t side = 0; side < target_.sides.size(); ++side) {
    std::set<std::uint64_t> found = by_share_.points(figure, side);
    if (found.empty()) continue;
    std::set<std::uint64_t> common;
    std::ranges::set_intersection(points_[side], found, std::inserter(common, common.end()));
    if (points_[side].empty())
      points_[side] = std::move(found);
    else if (!common.empty())
      points_[side] = std::move(common);
  }
}

void Forecaster::of_class(const std::vector<trace::Rank>& ranks) {
  class_ = ranks;
  class_shares_.clear();
  known_.clear();
}

const std::set<Shares>& Forecaster::target_shares(const SharedPoints& points) {
  auto& found = class_shares_[points];
  if (found.empty())
    for (const trace::Rank rank : class_)
      found.insert(shares(target_, rank, points));
  return found;
}

std::optional<Forecast> Forecaster::by_shares(const std::vector<Observation>& figure) {
  const ShareLaws found = by_share_.laws(figure, candidates());
  if (found.laws.empty()) return std::nullopt;
  const ShareLaw& first = found.laws.front();
  Forecast forecast;
  forecast.exact = found.exact;
  forecast.there.by_share = first;
  forecast.law = first.text();
  forecast.parts = first.parts.size();
  double most = 0;
  for (const Shares& there : target_shares(first.points)) {
    const double value = first.at(there);
    if (!(value >= -rounding)) return std::nullopt;
    most = std::max(most, value);
    if (found.exact && std::abs(value - std::round(value)) > std::max(rounding, rounding * value)) {
      forecast.exact = false;
      forecast.error = 1;
      forecast.because =
          fmt::format("the law gives {:.2f}, no whole number: what is shared out does not divide", value);
    }
  }
  forecast.there.value = whole(most);
  if (!found.exact) {
    const LawFit reach{.least = {.ranks = ranks_.front()}, .largest = {.ranks = ranks_.back()}};
    const double beyond = 1 + 2 * reach.spans_beyond({.ranks = static_cast<double>(target_.ranks())});
    forecast.error = std::max(beyond * found.residual * most, 1.0);
    forecast.because =
        fmt::format("no law of a rank's share meets all ranks: the best is {:.2g} % off", 100 * found.residual);
    return forecast;
  }
  for (const ShareLaw& law : found.laws)
    for (const trace::Rank rank : class_) {
      const double value = law.at(shares(target_, rank, law.points));
      const double one = first.at(shares(target_, rank, first.points));
      if (whole(value) == whole(one)) continue;
      forecast.exact = false;
      forecast.error = std::max(forecast.error, std::abs(value - one));
      forecast.because = fmt::format("laws that fit equally well say {:.0f} and {:.0f}: {}, or {}", one, value,
                                     first.text(), law.text());
    }
  return forecast;
}

Forecast Forecaster::find(const std::vector<Observation>& figure) {
  const Spans of = spans(figure);
  Forecast forecast;
  const bool constant = std::ranges::all_of(of.means, [&](double mean) { return mean == of.means.front(); });
  if (constant)
    forecast = {
        .exact = true, .there = {.value = whole(of.means.front())}, .law = fmt::to_string(whole(of.means.front()))};
  else
    forecast = by_law(of.runs, of.means);
  if (of.spread > 0 && !forecast.law.empty()) {
    forecast.exact = false;
    forecast.error += of.spread;
    forecast.because = fmt::format("ranks in the same position differ by up to {:.0f}", of.spread);
  }
  if (constant && of.spread == 0) return forecast;
  const auto shared = by_shares(figure);
  if (!shared) return forecast;
  if (shared->exact && forecast.exact) return more_likely(*shared, std::move(forecast));
  if (forecast.law.empty() || shared->exact || (!forecast.exact && shared->error < forecast.error)) return *shared;
  return forecast;
}

/// Returns the better of two exact forecasts: that by shares, whose points all figures agree on, unless a simpler law
/// says otherwise.
Forecast Forecaster::more_likely(const Forecast& by_shares, Forecast by_ranks) const {
  const bool same = std::ranges::all_of(
      class_, [&](trace::Rank rank) { return by_shares.there.on(target_, rank) == by_ranks.there.on(target_, rank); });
  if (same) return by_ranks;
  if (by_shares.parts <= by_ranks.parts) return by_shares;
  by_ranks.exact = false;
  by_ranks.error = std::abs(static_cast<double>(by_shares.there.value) - static_cast<double>(by_ranks.there.value));
  by_ranks.because = fmt::format("laws that fit equally well say {} and {}: {}, or {}", by_ranks.there.value,
                                 by_shares.there.value, by_ranks.law, by_shares.law);
  return by_ranks;
}

const Forecast& Forecaster::operator()(FigureId figure, const FigureTable& figures) {
  const auto found = known_.find(figure);
  if (found != known_.end()) return found->second;
  return known_.emplace(figure, find(figures.observations(figure))).first->second;
}

std::uint64_t TargetFigure::on(const RankGrid& grid, trace::Rank rank) const {
  return by_share ? whole(by_share->at(shares(grid, rank, by_share->points))) : value;
}

} // namespace timeless::analysis
