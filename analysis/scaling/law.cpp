#include "analysis/scaling/law.h"

#include "analysis/scaling/law_problem.h"
#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace timeless::analysis {

namespace {

/// How much worse than the best an approximate law may be and still be kept.
constexpr double as_good = 1.5;
/// How much better two terms must be than one, where neither is exact.
constexpr double worth_a_term = 10;
/// A part of an approximate law that is nowhere more of the value than this is assumed not to grow faster than the
/// number of ranks: see LawSearch.
constexpr double hardly_seen = 0.005;
/// What sums of doubles may be off; below it, laws fit equally well.
constexpr double no_residual = 1e-9;

/// Returns whether a law has a part that hardly shows in the values, and grows faster than the ranks: a law of their
/// noise, it would be all there is on many more ranks.
bool grows_from_noise(const ScaleLaw& law, const std::vector<ScalePlace>& places) {
  return std::ranges::any_of(law.parts, [&](const ScalePart& part) {
    const ScaleFactor& of = part.term.ranks;
    if (of.numerator < of.denominator || (of.numerator == of.denominator && of.logs == 0)) return false;
    return std::ranges::all_of(places, [&](const ScalePlace& place) {
      return std::abs(part.at(place)) <= hardly_seen * std::abs(law.at(place));
    });
  });
}

bool varies(const std::vector<ScalePlace>& places, double ScalePlace::*value) {
  return std::ranges::any_of(places, [&](const ScalePlace& place) { return place.*value != places.front().*value; });
}

std::vector<const LawColumn*> addresses(const std::vector<LawColumn>& columns) {
  std::vector<const LawColumn*> all;
  for (const LawColumn& column : columns)
    all.push_back(&column);
  return all;
}

} // namespace

void LawSearch::demand_values(std::span<const double> values) const {
  if (values.size() != places_.size())
    throw Error(Failure::usage, "there must be a value for each run", "laws of scaling");
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
    throw Error(Failure::usage, "a value is no finite number", "laws of scaling");
}

bool LawSearch::impossible_where_asked(const ScaleLaw& law, std::span<const double> most) const {
  constexpr double rounding = 1e-9;
  for (std::size_t i = 0; i < asked_.size(); ++i)
    if (law.negative_at(asked_[i]) || (i < most.size() && law.at(asked_[i]) > (1 + rounding) * most[i])) return true;
  return false;
}

/// Returns whether two points are left over beside a law's coefficients. Places at which its terms are the same, as the
/// shorter side of 4 x 3 and 3 x 3 ranks, are one point.
bool LawSearch::confirmed(const ScaleLaw& law) const {
  if (std::ranges::all_of(law.parts, [](const ScalePart& part) { return part.term.one(); }))
    return different_ >= law.parts.size() + 2;
  std::set<std::vector<long double>> points;
  for (const ScalePlace& place : places_) {
    std::vector<long double> terms;
    for (const ScalePart& part : law.parts)
      terms.push_back(part.term.at(place));
    points.insert(std::move(terms));
  }
  return points.size() >= law.parts.size() + 2;
}

/// Says which places the laws are from.
LawFit LawSearch::with_range(LawFit found) const {
  found.least = found.largest = places_.front();
  for (const ScalePlace& place : places_) {
    found.least = {std::min(found.least.ranks, place.ranks), std::min(found.least.size, place.size)};
    found.largest = {std::max(found.largest.ranks, place.ranks), std::max(found.largest.size, place.size)};
  }
  return found;
}

LawFit LawSearch::fit(std::span<const double> values, std::span<const double> most) const {
  demand_values(values);
  if (std::ranges::all_of(values, [](double value) { return value == 0; }))
    return {.kind = LawKind::exact, .confirmed = true, .laws = {ScaleLaw{{{ScaleTerm{}, 0.0}}}}};
  const LawProblem problem(values);
  LawFit found = exact(problem, most);
  return with_range(found.laws.empty() ? approximate(problem, most) : std::move(found));
}

LawFit LawSearch::fit_unchecked(std::span<const double> values, std::span<const double> most) const {
  LawFit found = fit(values, most);
  if (found.kind != LawKind::exact || found.confirmed) return found;
  const auto taken = std::erase_if(found.laws, [&](const ScaleLaw& law) { return grows_from_noise(law, places_); });
  if (found.laws.empty()) found = fit_approximately(values, most);
  found.assumes_no_growth = found.assumes_no_growth || (taken > 0 && found.kind != LawKind::none);
  return found;
}

LawFit LawSearch::fit_approximately(std::span<const double> values, std::span<const double> most) const {
  demand_values(values);
  return with_range(approximate(LawProblem(values), most));
}

LawFit LawSearch::exact(const LawProblem& problem, std::span<const double> most) const {
  std::vector<LawCandidate> found;
  const auto take = [&](const std::vector<const LawColumn*>& chosen) {
    const auto candidate = problem.solve(chosen);
    if (candidate && candidate->residual <= tolerance_) found.push_back(*candidate);
  };
  const auto take_pairs = [&](const LawColumn* constant) {
    problem.for_pairs_that_fit(addresses(paired_), constant, 2 * tolerance_, take);
  };
  // Where every confirmed law is impossible, the program does otherwise there; one that is not confirmed fits by
  // chance.
  const auto drop_impossible = [&] {
    const auto impossible = [&](const LawCandidate& one) { return impossible_where_asked(one.law, most); };
    const bool stay = !found.empty() && std::ranges::all_of(found, impossible) && confirmed(found.front().law);
    if (!stay) std::erase_if(found, impossible);
  };
  std::size_t coefficients = 1;
  for (; coefficients <= 3 && found.empty() && different_ > coefficients; ++coefficients) {
    if (coefficients == 3) {
      // There are millions of such laws, and some meet a few points by chance.
      if (different_ < coefficients + 2) break;
      take_pairs(&singles_.front());
      std::erase_if(found, [&](const LawCandidate& one) { return !confirmed(one.law); });
      drop_impossible();
      continue;
    }
    for (const LawColumn& column : singles_)
      if (coefficients == 1)
        take({&column});
      else if (&column != &singles_.front())
        take({&singles_.front(), &column});
    if (coefficients == 2) take_pairs(nullptr);
    drop_impossible();
  }
  LawFit fit;
  if (found.empty()) return fit;
  const double least = std::ranges::min_element(found, {}, &LawCandidate::residual)->residual;
  std::erase_if(found, [&](const LawCandidate& one) { return one.residual > std::max(10 * least, no_residual); });
  // Programs add work up: of laws that are as simple, one without a difference is likelier to be right.
  std::ranges::stable_sort(found, {}, [](const LawCandidate& one) {
    const auto negative =
        std::ranges::count_if(one.law.parts, [](const ScalePart& part) { return part.coefficient < 0; });
    return std::pair(one.law.complexity(), negative);
  });
  fit.kind = LawKind::exact;
  fit.confirmed = confirmed(found.front().law);
  fit.residual = found.front().residual;
  for (LawCandidate& candidate : found)
    fit.laws.push_back(std::move(candidate.law));
  return fit;
}

LawFit LawSearch::approximate(const LawProblem& problem, std::span<const double> most) const {
  std::vector<LawCandidate> candidates;
  double best_of_noise = std::numeric_limits<double>::infinity(); // score of laws left out as they grow from it
  const auto add = [&](const std::optional<LawCandidate>& candidate) {
    if (!candidate || impossible_where_asked(candidate->law, most)) return;
    if (grows_from_noise(candidate->law, places_))
      best_of_noise = std::min(best_of_noise, candidate->score());
    else
      candidates.push_back(*candidate);
  };
  const auto take = [&](const std::vector<const LawColumn*>& chosen) { add(problem.solve(chosen)); };
  const auto best_of = [&] {
    return candidates.empty() ? 2.0 : std::ranges::min_element(candidates, {}, &LawCandidate::left_out)->left_out;
  };
  const auto rounded = [](const LawColumn& column) { return column.term.ranks.rounded != 0; };
  for (const LawColumn& column : singles_) {
    if (rounded(column)) continue;
    take({&column});
    if (different_ >= 3 && &column != &singles_.front()) take({&singles_.front(), &column});
  }
  if (const double least = best_of() / worth_a_term; different_ >= 5) {
    std::vector<const LawColumn*> columns = addresses(paired_);
    std::erase_if(columns, [&](const LawColumn* column) { return rounded(*column); });
    const bool both = varies(places_, &ScalePlace::ranks) && varies(places_, &ScalePlace::size);
    for (const LawColumn* constant : {static_cast<const LawColumn*>(nullptr), &singles_.front()}) {
      if (constant != nullptr && both && different_ < 7) continue;
      problem.for_pairs_that_fit(columns, constant, least * static_cast<double>(places_.size()),
                                 [&](const std::vector<const LawColumn*>& chosen) {
                                   const auto candidate = problem.solve(chosen);
                                   if (candidate && candidate->left_out <= least) add(candidate);
                                 });
    }
  }
  const double best = best_of();
  LawFit fit{.left_out_error = best};
  if (best > still_a_law) return fit;
  std::erase_if(candidates, [&](const LawCandidate& one) { return one.left_out > still_a_law; });
  std::ranges::stable_sort(candidates, {}, &LawCandidate::score);
  const double score = candidates.front().score();
  std::erase_if(candidates, [&](const LawCandidate& one) { return one.score() > as_good * score; });
  fit.kind = LawKind::approximate;
  fit.assumes_no_growth = best_of_noise <= as_good * score;
  fit.left_over = different_ - std::min(different_, candidates.front().law.parts.size());
  fit.residual = candidates.front().residual;
  fit.left_out_error = candidates.front().left_out;
  for (LawCandidate& candidate : candidates)
    fit.laws.push_back(std::move(candidate.law));
  return fit;
}

} // namespace timeless::analysis
