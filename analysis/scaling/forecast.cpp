#include "analysis/scaling/forecast.h"

#include "analysis/scaling/law_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace timeless::analysis {

namespace {

/// A whole number that a law gives is off by rounding only.
constexpr double rounding_of_wholes = 1e-6;
/// How many ways to share out points along all sides are tried.
constexpr std::size_t most_candidates = 64;
/// So many points that are shared out evenly by all runs are so by any target.
constexpr std::uint64_t most_even_points = 1'000'000'000;
/// How far apart what two runs have may be to be taken for nearly constant, relative.
constexpr double most_apart = 0.05;

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0)));
}

bool is_whole(double value) {
  return std::abs(value - std::round(value)) <= std::max(rounding_of_wholes, rounding_of_wholes * value);
}

/// Returns how much more than the mean, relative, a rank of the target may have of points that all runs share out
/// evenly along their sides. The fewest such points make most of it.
double most_uneven(const std::vector<RankGrid>& grids, const RankGrid& target) {
  double most = 1;
  for (std::size_t side = 0; side < target.sides.size(); ++side) {
    std::uint64_t points = 1;
    for (const RankGrid& grid : grids)
      if (side < grid.sides.size() && points < most_even_points)
        points = std::lcm(points, std::uint64_t{grid.sides[side].extent});
    const double mean = static_cast<double>(points) / static_cast<double>(target.sides[side].extent);
    most *= std::ceil(mean) / mean;
  }
  return most - 1;
}

/// Returns the forecast of laws that met all runs, one of which they are not from.
Forecast exact_forecast(const LawFit& fit, const ScalePrediction& there) {
  Forecast forecast{.exact = true,
                    .there = {.value = whole(there.value)},
                    .law = formula(fit.laws.front()),
                    .parts = fit.laws.front().parts.size()};
  if (whole(there.low) != whole(there.high)) {
    forecast.error = std::max(there.high - there.value, there.value - there.low);
    forecast.because = fmt::format("laws that fit equally well say from {} to {}", whole(there.low), whole(there.high));
  }
  forecast.exact = forecast.because.empty();
  return forecast;
}

/// Returns a share in per cent: "0.42 %", "170 %".
std::string per_cent(double share) {
  return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

/// Returns by how much laws that are about as good as the best are from what that says.
std::string others_say(double apart, double value) {
  return fmt::format(", and others about as good, or simpler, are {} from that",
                     per_cent(value == 0 ? 0 : apart / value));
}

/// Returns the forecast of laws that miss the largest run by `residual` of its value. Beyond the runs that error is
/// taken to grow as predict() has intervals grow.
std::optional<Forecast> approximate_forecast(const LawFit& fit, const ScalePlace& target, double residual) {
  const auto there = fit.laws.empty() ? std::nullopt : predict(fit, target);
  if (!there) return std::nullopt;
  const double spread = std::max(there->high - there->value, there->value - there->low);
  Forecast forecast{.there = {.value = whole(there->value)}, .law = formula(fit.laws.front())};
  const double beyond = 1 + 2 * fit.spans_beyond(target);
  forecast.miss = std::max(beyond * std::abs(residual) * there->value, 1.0);
  forecast.error = std::max(spread, forecast.miss);
  forecast.because = fmt::format("no law from all runs but one meets that one too: the best is {} off there",
                                 per_cent(std::abs(residual)));
  if (spread > forecast.miss) forecast.because += others_say(spread, there->value);
  return forecast;
}

} // namespace

Forecaster::Forecaster(const std::vector<RankGrid>& grids, const RankGrid& target, bool constants_only, bool by_cells,
                       bool of_means)
    : target_(target), uneven_(most_uneven(grids, target)), constants_only_(constants_only), of_means_(of_means),
      by_share_(grids), by_cell_(by_cells ? grids : std::vector<RankGrid>(), by_cells ? target : RankGrid()) {
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
    const int dimensions = target_.sides.size() > 1 ? static_cast<int>(target_.sides.size()) : 0;
    found = std::make_unique<Search>(Search{LawSearch(places, 1e-7, {}, dimensions), largest});
  }
  return *found;
}

/// Sets what a forecast takes for granted, or how far off it is, where a law of equal shares has met all runs: `shared`
/// is what falls with the ranks of the value `there`, `recorded` what the largest run has.
void Forecaster::doubt_even_shares(Forecast& forecast, double there, double shared, double recorded) const {
  const bool falls = shared > 0 && there < recorded;
  if (!is_whole(there)) {
    forecast.exact = false;
    forecast.error = std::max({forecast.error, 1.0, falls ? uneven_ * shared : 0});
    forecast.because = fmt::format("the law gives {:.2f}, no whole number: what is shared out does not divide", there);
    if (falls && uneven_ > 0) forecast.because += ", and no run says how it is shared out then";
  }
  forecast.even = falls && uneven_ > 0;
}

Forecast Forecaster::by_law(const std::vector<std::size_t>& runs, const std::vector<double>& means) {
  if (constants_only_) return {.because = "it changes with the number of ranks, whose grids follow no rule"};
  const ScalePlace target{.ranks = static_cast<double>(target_.ranks())};
  std::optional<Forecast> best;
  // What the smallest runs do otherwise, where all ranks are at some edge, does not count against a law.
  for (std::size_t first = 0; first + fewest_runs_of_law <= runs.size(); ++first) {
    const std::vector<std::size_t> of(runs.begin() + static_cast<std::ptrdiff_t>(first), runs.end());
    // The largest checks what the others tell, which is nothing where they have as many ranks each.
    if (ranks_[of.front()] == ranks_[of[of.size() - 2]]) break;
    const std::span values = std::span(means).subspan(first);
    Search& laws = search(of);
    const std::span others = values.first(values.size() - 1);
    LawFit fit = laws.but_largest.fit(others);
    const auto checked = [&] { return check_laws(fit, laws.largest, values.back(), laws.but_largest.tolerance()); };
    const bool exact = fit.kind == LawKind::exact;
    auto check = checked();
    if (exact && check && !check->exact) { // they met the others by chance
      fit = laws.but_largest.fit_approximately(others);
      check = checked();
    }
    if (!check) continue;
    if (const auto there = predict(fit, target); fit.kind == LawKind::exact && there) {
      Forecast forecast = exact_forecast(fit, *there);
      double shared = there->value;
      for (const ScalePart& part : fit.laws.front().parts)
        if (part.term.one()) shared -= part.coefficient;
      if (forecast.exact) doubt_even_shares(forecast, there->value, shared, values.back());
      return forecast;
    }
    const auto found = approximate_forecast(fit, target, check->residual);
    if (found && (!best || found->miss < best->miss)) best = found;
  }
  return best.value_or(Forecast{.because = "no law fits the runs"});
}

/// Returns the forecast of what two runs have nearly the same: the larger's, off by as much as they differ, grown to
/// the target.
Forecast Forecaster::nearly_constant(const Spans& of) const {
  const double apart = std::abs(of.means.back() - of.means.front());
  if (constants_only_ || apart > most_apart * of.means.back())
    return {.because = fmt::format("two runs have it, which differ by {}", per_cent(apart / of.means.back()))};
  const LawFit reach{.least = {.ranks = ranks_[of.runs.front()]}, .largest = {.ranks = ranks_[of.runs.back()]}};
  const double beyond = 1 + 2 * reach.spans_beyond({.ranks = static_cast<double>(target_.ranks())});
  Forecast forecast{.there = {.value = whole(of.means.back())},
                    .miss = std::max(beyond * apart, 1.0),
                    .error = std::max(beyond * apart, 1.0),
                    .law = fmt::to_string(whole(of.means.back()))};
  forecast.because = fmt::format("two runs have it, which differ by {}", per_cent(apart / of.means.back()));
  return forecast;
}

/// Returns how far ranks in one position may be from their mean at the target: as far as in the runs, and where that
/// has grown from the first run in which they differ to the last, grown on as that power of the ranks.
double Forecaster::spread_there(const Spans& of) const {
  const double most = std::ranges::max(of.spreads);
  const auto first = std::ranges::find_if(of.spreads, [](double spread) { return spread > 0; });
  if (first == of.spreads.end()) return 0;
  const double before = ranks_[of.runs[static_cast<std::size_t>(first - of.spreads.begin())]];
  const double last = ranks_[of.runs.back()];
  const double there = static_cast<double>(target_.ranks());
  if (!(of.spreads.back() > *first) || !(last > before) || !(there > last)) return most;
  const double power = std::log(of.spreads.back() / *first) / std::log(last / before);
  return most * std::pow(there / last, power);
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
    double& spread = all.spreads.emplace_back(0);
    for (; next != end; ++next)
      spread = std::max(spread, std::abs(static_cast<double>(next->value) - mean));
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
  if (by_cell_.possible()) by_cell_.learn(figure);
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

void Forecaster::learn_points_roughly(const std::vector<Observation>& volumes) {
  if (by_cell_.possible()) by_cell_.learn_roughly(volumes);
}

void Forecaster::of_class(const std::vector<trace::Rank>& ranks) {
  class_ = ranks;
  class_shares_.clear();
  known_.clear();
}

/// Calls visit(rank, trip) for all ranks of the class and all trips.
template <typename Visit>
void Forecaster::for_each_target(std::uint64_t trips, Visit visit) const {
  for (const trace::Rank rank : class_)
    for (std::uint64_t trip = 0; trip < trips; ++trip)
      visit(rank, trip);
}

const std::set<Shares>& Forecaster::target_shares(const ShareLaw& law, std::uint64_t trips) {
  if (law.cells) {
    cell_shares_.clear();
    for_each_target(
        trips, [&](trace::Rank rank, std::uint64_t trip) { cell_shares_.insert(law.shares_of(target_, rank, trip)); });
    return cell_shares_;
  }
  auto& found = class_shares_[law.points];
  if (found.empty())
    for (const trace::Rank rank : class_)
      found.insert(shares(target_, rank, law.points));
  return found;
}

/// Returns whether a law goes with a share along some side of which there are no points.
bool has_no_points(const ShareLaw& law, const Shares& of) {
  if (law.cells) return false;
  return std::ranges::any_of(law.parts, [&](const ShareLaw::Part& part) {
    for (std::size_t side = 0; side < of.size(); ++side)
      if ((part.mask >> side & 1U) != 0 && law.points[side] != 0 && of[side] == 0) return true;
    return false;
  });
}

/// Returns how far laws that are about as good are from the best at the target, at most.
double Forecaster::farthest_apart(const ShareLaws& found, std::uint64_t trips) const {
  double apart = 0;
  for (const auto& [off, law] : found.others)
    for_each_target(law.cells ? trips : 1, [&](trace::Rank rank, std::uint64_t trip) {
      const double best = found.laws.front().at(found.laws.front().shares_of(target_, rank, trip));
      apart = std::max(apart, std::abs(law.at(law.shares_of(target_, rank, trip)) - best));
    });
  return apart;
}

/// Returns how far a law misses the ranks of each run, as spans() has spreads.
Forecaster::Spans Forecaster::misses(const ShareLaw& law, const std::vector<Observation>& figure) const {
  std::map<std::size_t, double> most;
  for (const Observation& one : figure) {
    const double said = law.at(law.shares_of(by_share_.grid(one.run), one.rank, one.trip));
    double& miss = most[one.run];
    miss = std::max(miss, std::abs(said - static_cast<double>(one.value)));
  }
  Spans all;
  for (const auto& [run, miss] : most) {
    all.runs.push_back(run);
    all.spreads.push_back(miss);
  }
  return all;
}

std::optional<Forecast> Forecaster::by_shares(const ShareLaws& found, const std::vector<Observation>& figure,
                                              std::uint64_t trips) {
  if (found.laws.empty()) return std::nullopt;
  const ShareLaw& first = found.laws.front();
  Forecast forecast;
  forecast.exact = found.exact;
  forecast.there.by_share = first;
  forecast.law = first.text();
  forecast.parts = first.parts.size();
  double most = 0;
  const bool known_points = first.cells || first.points != SharedPoints{};
  double constant = 0;
  for (const ShareLaw::Part& part : first.parts)
    if (part.mask == 0) constant += part.coefficient;
  double recorded = 0; // the least of the largest run
  for (const Observation& one : figure)
    if (one.run == figure.back().run)
      recorded = recorded == 0 ? static_cast<double>(one.value) : std::min(recorded, static_cast<double>(one.value));
  for (const Shares& there : target_shares(first, trips)) {
    const double value = first.at(there);
    if (!(value >= -rounding_of_wholes)) return std::nullopt;
    most = std::max(most, value);
    if (found.exact && has_no_points(first, there)) {
      forecast.exact = false;
      forecast.error = std::max({forecast.error, recorded, 1.0});
      forecast.because = "there are more ranks along a side than points, and no run says what those without any do";
      continue;
    }
    if (!found.exact || (is_whole(value) && known_points)) continue;
    doubt_even_shares(forecast, value, known_points ? 0 : value - constant, recorded);
  }
  forecast.there.value = whole(most);
  if (!found.exact) {
    const LawFit reach{.least = {.ranks = ranks_.front()}, .largest = {.ranks = ranks_.back()}};
    const double beyond = 1 + 2 * reach.spans_beyond({.ranks = static_cast<double>(target_.ranks())});
    forecast.miss = std::max({beyond * found.residual * most, spread_there(misses(first, figure)), 1.0});
    forecast.error = forecast.miss;
    forecast.because = fmt::format("no law of a {}'s share meets all ranks: the best is {} off",
                                   first.cells ? "cell" : "rank", per_cent(found.residual));
    const double apart = farthest_apart(found, trips);
    if (apart > forecast.error) {
      forecast.error = apart;
      forecast.because += others_say(apart, most);
    }
    return forecast;
  }
  for (const ShareLaw& law : found.laws) {
    std::optional<std::pair<double, double>> say; // of one rank; there may be thousands
    for_each_target(first.cells ? trips : 1, [&](trace::Rank rank, std::uint64_t trip) {
      const double value = law.at(law.shares_of(target_, rank, trip));
      const double one = first.at(first.shares_of(target_, rank, trip));
      if (whole(value) == whole(one)) return;
      say = {one, value};
      forecast.error = std::max(forecast.error, std::abs(value - one));
    });
    if (!say) continue;
    forecast.exact = false;
    forecast.because = fmt::format("laws that fit equally well say {:.0f} and {:.0f}: {}, or {}", say->first,
                                   say->second, first.text(), law.text());
  }
  return forecast;
}

Forecast Forecaster::find(const std::vector<Observation>& figure, std::uint64_t trips) {
  const Spans of = spans(figure);
  const double spread = spread_there(of);
  Forecast forecast;
  const bool constant = std::ranges::all_of(of.means, [&](double mean) { return mean == of.means.front(); });
  if (constant)
    forecast = {
        .exact = true, .there = {.value = whole(of.means.front())}, .law = fmt::to_string(whole(of.means.front()))};
  else if (of.runs.size() < fewest_runs_of_law)
    forecast = nearly_constant(of);
  else
    forecast = by_law(of.runs, of.means);
  if (spread > 0 && !forecast.law.empty()) {
    forecast.exact = false;
    forecast.miss += spread;
    forecast.error += spread;
    forecast.because = fmt::format("ranks in the same position differ by up to {:.0f}", spread);
  }
  if (constant && spread == 0) return forecast;
  auto shared = by_shares(by_share_.laws(figure, candidates()), figure, trips);
  if (spread > 0 && by_cell_.possible() && !(shared && shared->exact)) {
    const auto of_cells = by_shares(by_cell_.laws(figure), figure, trips);
    if (of_cells && (!shared || of_cells->exact || of_cells->miss < shared->miss)) shared = of_cells;
  }
  if (spread == 0 && by_cell_.possible() && !forecast.exact && !(shared && shared->exact))
    if (const auto around = by_shares(by_cell_.laws_with_points_around(figure), figure, trips)) shared = around;
  if (!shared) return forecast;
  if (shared->exact && forecast.exact) return more_likely(*shared, std::move(forecast));
  if (forecast.law.empty() || shared->exact || (!forecast.exact && shared->miss < forecast.miss)) return *shared;
  return forecast;
}

/// Returns the observations of ranks of a run that have the same shares, whatever is shared out, as their mean.
std::vector<Observation> Forecaster::averaged(const std::vector<Observation>& figure) const {
  const std::vector<SharedPoints> shared = candidates();
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::vector<Shares>>, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < figure.size(); ++i) {
    std::vector<Shares> has;
    for (const SharedPoints& points : shared)
      has.push_back(shares(by_share_.grid(figure[i].run), figure[i].rank, points));
    alike[{figure[i].run, figure[i].trip, std::move(has)}].push_back(i);
  }
  std::vector<Observation> all = figure;
  for (const auto& [key, members] : alike) {
    double sum = 0;
    for (const std::size_t i : members)
      sum += static_cast<double>(figure[i].value);
    for (const std::size_t i : members)
      all[i].value = whole(sum / static_cast<double>(members.size()));
  }
  return all;
}

/// Returns the forecast of a figure that no law of the runs meets exactly, or of its mean on ranks with the same
/// shares.
Forecast Forecaster::inexact(const std::vector<Observation>& figure, std::uint64_t trips, Forecast own) {
  const std::vector<Observation> means = averaged(figure);
  double squares = 0;
  for (std::size_t i = 0; i < figure.size(); ++i) {
    if (means[i].value == 0) continue;
    const double off = static_cast<double>(figure[i].value) / static_cast<double>(means[i].value) - 1;
    squares += off * off;
  }
  if (squares > 0 && of_means_) own = find(means, trips);
  own.spread = std::sqrt(squares / static_cast<double>(figure.size()));
  return own;
}

/// Returns the better of two exact forecasts: that by shares, whose points all figures agree on, unless a simpler law
/// says otherwise.
Forecast Forecaster::more_likely(const Forecast& by_shares, Forecast by_ranks) const {
  const bool same = std::ranges::all_of(class_, [&](trace::Rank rank) {
    return by_shares.there.on(target_, rank, 0) == by_ranks.there.on(target_, rank, 0);
  });
  if (same) return by_ranks;
  if (by_shares.parts <= by_ranks.parts) return by_shares;
  by_ranks.exact = false;
  by_ranks.error = std::abs(static_cast<double>(by_shares.there.value) - static_cast<double>(by_ranks.there.value));
  by_ranks.because = fmt::format("laws that fit equally well say {} and {}: {}, or {}", by_ranks.there.value,
                                 by_shares.there.value, by_ranks.law, by_shares.law);
  return by_ranks;
}

/// Returns what the cells of ranks in both positions say of those in the first.
std::optional<Forecast> Forecaster::by_cells_of_all(const std::vector<Observation>& figure,
                                                    const std::vector<Observation>& others, std::uint64_t trips) {
  std::vector<Observation> all = figure;
  all.insert(all.end(), others.begin(), others.end());
  ShareLaws found = by_cell_.laws(all);
  if (found.laws.empty() || found.exact) return by_shares(found, figure, trips);
  const ShareLaw& law = found.laws.front();
  found.residual = 0;
  for (const Observation& one : figure) {
    const double off =
        law.at(law.shares_of(by_share_.grid(one.run), one.rank, one.trip)) - static_cast<double>(one.value);
    found.residual = std::max(found.residual, std::abs(off) / std::max(static_cast<double>(one.value), 1.0));
  }
  return by_shares(found, figure, trips);
}

const Forecast& Forecaster::operator()(FigureId figure, const FigureTable& figures, std::uint64_t trips,
                                       FigureId others) {
  const auto [found, fresh] = known_.try_emplace({figure, trips, others});
  if (!fresh) return found->second;
  Forecast& forecast = found->second;
  const std::vector<Observation> own = figures.observations(figure);
  forecast = find(own, trips);
  if (!forecast.exact && !by_cell_.possible()) forecast = inexact(own, trips, std::move(forecast));
  if (!forecast.exact && others != no_observations && others != figure && by_cell_.possible()) {
    const auto shared = by_cells_of_all(own, figures.observations(others), trips);
    if (shared && (forecast.law.empty() || shared->exact || shared->miss < forecast.miss)) forecast = *shared;
  }
  took_shares_for_even_ = took_shares_for_even_ || forecast.even;
  return forecast;
}

Forecast Forecaster::tag(FigureId figure, const FigureTable& figures, std::uint64_t trips) const {
  const std::vector<Observation> observed = figures.observations(figure);
  const std::vector<CellTag> found = by_cell_.possible() ? by_cell_.tags(observed) : std::vector<CellTag>();
  if (found.empty()) return {.because = "it differs by rank or trip, and no law of their places says how"};
  const CellTag& first = found.front();
  Forecast forecast;
  forecast.exact = true;
  forecast.there.by_tag = first;
  forecast.law = first.text();
  for (const CellTag& law : found)
    for_each_target(trips, [&](trace::Rank rank, std::uint64_t trip) {
      if (law.at(target_, rank, trip) == first.at(target_, rank, trip)) return;
      forecast.exact = false;
      forecast.because = fmt::format("laws that fit equally well differ: {}, or {}", first.text(), law.text());
    });
  return forecast;
}

std::uint64_t TargetFigure::on(const RankGrid& grid, trace::Rank rank, std::uint64_t trip) const {
  if (by_tag) return static_cast<std::uint64_t>(by_tag->at(grid, rank, trip));
  return by_share ? whole(by_share->at(by_share->shares_of(grid, rank, trip))) : value;
}

} // namespace timeless::analysis
