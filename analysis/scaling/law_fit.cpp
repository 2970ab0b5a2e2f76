#include "analysis/scaling/law.h"

#include "base/students.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

namespace timeless::analysis {

namespace {

/// Returns by how much an error that so many degrees of freedom tell of must be widened to hold in nine of ten cases:
/// the 95 % quantile of Student's t over the normal distribution's; 1 for 0 degrees, which say nothing.
double students_factor(std::size_t degrees) {
  constexpr auto tail = StudentsTail::twentieth;
  return degrees == 0 ? 1 : students_quantile(tail, degrees) / normal_quantile(tail);
}

} // namespace

double LawFit::spans_beyond(const ScalePlace& place) const {
  const auto beyond = [](double low, double high, double there) {
    const double span = std::log(high / low);
    return span > 0 ? std::max({0.0, std::log(there / high) / span, std::log(low / there) / span}) : 0;
  };
  return std::max(beyond(least.ranks, largest.ranks, place.ranks), beyond(least.size, largest.size, place.size));
}

bool LawFit::ends_before(const ScalePlace& place) const {
  return !laws.empty() && std::ranges::all_of(laws, [&](const ScaleLaw& law) { return law.negative_at(place); });
}

std::optional<ScalePrediction> predict(const LawFit& fit, const ScalePlace& place) {
  std::optional<ScalePrediction> prediction;
  for (const ScaleLaw& law : fit.laws) {
    const double value = std::max(0.0, law.at(place));
    if (law.negative_at(place) || !std::isfinite(value)) continue;
    if (!prediction) prediction = ScalePrediction{value, value, value};
    prediction->low = std::min(prediction->low, value);
    prediction->high = std::max(prediction->high, value);
  }
  if (prediction) {
    const double error = fit.left_out_error * students_factor(fit.left_over);
    const double factor = std::pow(1 + error, 1 + 2 * fit.spans_beyond(place));
    prediction->low /= factor;
    prediction->high *= factor;
    prediction->bounded = fit.kind != LawKind::exact || fit.confirmed || fit.spans_beyond(place) == 0;
  }
  return prediction;
}

std::optional<LawCheck> check_laws(LawFit& fit, const ScalePlace& place, double measured, double tolerance) {
  if (fit.laws.empty()) return std::nullopt;
  const double allowed = tolerance * std::max(std::abs(measured), 1.0);
  const auto misses = [&](const ScaleLaw& law) { return !(std::abs(law.at(place) - measured) <= allowed); };
  LawCheck check{.exact = !std::ranges::all_of(fit.laws, misses)};
  if (check.exact) std::erase_if(fit.laws, misses);
  const double difference = fit.laws.front().at(place) - measured;
  check.residual = difference == 0 ? 0 : difference / (measured == 0 ? 1 : measured);
  if (fit.kind == LawKind::exact) {
    fit.confirmed = check.exact;
    if (!check.exact) {
      fit.kind = LawKind::approximate;
      fit.left_out_error = std::abs(check.residual);
    }
  } else if (!check.exact) {
    fit.left_out_error = std::max(fit.left_out_error, std::abs(check.residual));
  }
  if (!check.exact && std::abs(check.residual) > still_a_law)
    fit = {.left_out_error = fit.left_out_error, .least = fit.least, .largest = fit.largest};
  return check;
}

LawFit sum(const std::vector<const LawFit*>& fits) {
  LawFit all{.kind = LawKind::exact, .confirmed = true, .laws = {ScaleLaw{}}};
  double values = 0;
  double errors = 0;
  for (const LawFit* fit : fits) {
    if (fit->laws.empty()) return {};
    const double value = std::abs(fit->laws.front().at(fit->largest));
    values += value;
    errors += fit->left_out_error * value;
    if (fit->kind != LawKind::exact) all.kind = LawKind::approximate;
    all.confirmed = all.confirmed && fit->confirmed;
    all.assumes_no_growth = all.assumes_no_growth || fit->assumes_no_growth;
    all.residual = std::max(all.residual, fit->residual);
    all.left_over = fit == fits.front() ? fit->left_over : std::min(all.left_over, fit->left_over);
    all.least = {std::max(all.least.ranks, fit->least.ranks), std::max(all.least.size, fit->least.size)};
    all.largest = {std::max(all.largest.ranks, fit->largest.ranks), std::max(all.largest.size, fit->largest.size)};
    all.laws.front() = sum(all.laws.front(), fit->laws.front());
  }
  all.confirmed = all.confirmed && all.kind == LawKind::exact;
  all.left_out_error = values > 0 ? errors / values : 0;
  // Constants of 0 stand for kernels that nobody has.
  std::vector<ScalePart>& parts = all.laws.front().parts;
  std::erase_if(parts, [](const ScalePart& part) { return part.coefficient == 0; });
  if (parts.empty()) parts.emplace_back();
  return all;
}

LawFit product(const LawFit& left, const LawFit& right) {
  LawFit both{.kind = LawKind::exact,
              .confirmed = left.confirmed && right.confirmed,
              .residual = left.residual + right.residual,
              .left_over = std::min(left.left_over, right.left_over),
              .least = {std::max(left.least.ranks, right.least.ranks), std::max(left.least.size, right.least.size)},
              .largest = right.largest};
  constexpr std::size_t most_of_each = 16;
  for (const ScaleLaw& one : left.laws | std::views::take(most_of_each))
    for (const ScaleLaw& other : right.laws | std::views::take(most_of_each))
      if (auto law = product(one, other)) both.laws.push_back(std::move(*law));
  if (both.laws.empty()) return {};
  return both;
}

} // namespace timeless::analysis
