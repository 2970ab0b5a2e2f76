#include "analysis/tolerance.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace timeless::analysis {

namespace {

/// Sums of millions of terms agree to this; what is smaller contradicts nothing.
constexpr double relative_rounding = 1e-9;
constexpr double least_growth = 1e-6;

bool shrinks(double growth) {
  return growth < 0;
}

/// Returns the first factors looked at, 1 first: most brackets begin near 1, and the last one shows what lies beyond.
std::vector<double> first_factors(double largest, std::size_t count) {
  constexpr double least_step = 1.0 / 64;
  std::vector<double> factors{1};
  const std::size_t steps = std::max<std::size_t>(count, 3) - 1;
  const double ratio = std::pow((largest - 1) / least_step, 1 / static_cast<double>(steps - 1));
  double step = least_step;
  for (std::size_t i = 0; i + 1 < steps; ++i, step *= ratio)
    factors.push_back(1 + step);
  factors.push_back(largest);
  return factors;
}

/// Adds factors below 1 likewise, down to a cost that is none.
void add_small_factors(std::vector<double>& factors, double largest, std::size_t count) {
  const std::vector<double> above = first_factors(largest, count);
  for (std::size_t i = 1; i < above.size(); ++i)
    factors.push_back(1 / above[i]);
  factors.push_back(0);
}

/// Returns where the line through a sample reaches `height`; infinity when it falls or is level.
double reaches(const ToleranceSample& sample, double slope, double height) {
  if (!(slope > 0)) return std::numeric_limits<double>::infinity();
  return sample.factor + (height - sample.makespan) / slope;
}

double slope_between(const ToleranceSample& left, const ToleranceSample& right) {
  return (right.makespan - left.makespan) / (right.factor - left.factor);
}

bool below_tangent(const ToleranceSample& sample, const ToleranceSample& tangent) {
  if (!tangent.slope) return false;
  const double height = tangent.makespan + *tangent.slope * (sample.factor - tangent.factor);
  return sample.makespan < height - relative_rounding * std::max(height, sample.makespan);
}

} // namespace

ToleranceSearch::ToleranceSearch(ToleranceOptions options) : options_(std::move(options)) {
  for (const double growth : options_.growths)
    if (!(std::abs(growth) >= least_growth) || !(growth > -1) || !std::isfinite(growth))
      throw Error(Failure::usage, "a makespan can grow by more than rounding is, or shrink by that and less than 100 %",
                  fmt::format("{:g} %", 100 * growth), "write 1%, 2% or 5%");
  if (!(options_.precision > 0)) throw Error(Failure::usage, "a precision must be above 0");
  if (!(options_.largest_factor > 2)) throw Error(Failure::usage, "the largest factor must be above 2");
}

double ToleranceSearch::target(double growth) const {
  return samples_.at(1).makespan * (1 + growth);
}

std::vector<double> ToleranceSearch::wanted() const {
  if (samples_.empty()) {
    std::vector<double> factors{1};
    if (!std::ranges::all_of(options_.growths, shrinks))
      factors = first_factors(options_.largest_factor, options_.batch);
    if (std::ranges::any_of(options_.growths, shrinks))
      add_small_factors(factors, options_.largest_factor, options_.batch);
    return factors;
  }
  if (batches_ >= options_.most_batches) return {};
  std::vector<Tolerance> wide;
  for (const double growth : options_.growths)
    if (const Tolerance tolerance = bracket(growth); !narrow(tolerance)) wide.push_back(tolerance);
  std::vector<double> factors;
  for (std::size_t i = 0; i < wide.size(); ++i)
    want_within(wide[i], std::max<std::size_t>(options_.batch / wide.size(), 2), factors);
  return factors;
}

/// Adds the ends of a bracket and points between them; none twice.
void ToleranceSearch::want_within(const Tolerance& tolerance, std::size_t count, std::vector<double>& wanted) const {
  const double width = tolerance.most - tolerance.least;
  for (std::size_t i = 0; i < count; ++i) {
    // The ends of a sampled bracket are samples already.
    const double place = tolerance.certified ? static_cast<double>(i) / static_cast<double>(count - 1)
                                             : static_cast<double>(i + 1) / static_cast<double>(count + 1);
    const double factor = tolerance.least + place * width;
    if (!samples_.contains(factor) && std::ranges::find(wanted, factor) == wanted.end()) wanted.push_back(factor);
  }
}

void ToleranceSearch::add(const ToleranceSample& sample) {
  samples_[sample.factor] = sample;
}

void ToleranceSearch::doubt(const std::string& not_convex_because) {
  if (options_.not_convex_because.empty()) options_.not_convex_because = not_convex_because;
}

void ToleranceSearch::end_batch() {
  ++batches_;
  if (options_.not_convex_because.empty() && concave_.empty()) look_for_concavity();
}

void ToleranceSearch::look_for_concavity() {
  for (auto middle = samples_.begin(); middle != samples_.end(); ++middle) {
    const ToleranceSample& sample = middle->second;
    const auto next = std::next(middle);
    if (next == samples_.end()) return;
    const ToleranceSample& right = next->second;
    bool contradicts = right.makespan < sample.makespan * (1 - relative_rounding);
    contradicts = contradicts || below_tangent(sample, right) || below_tangent(right, sample);
    if (middle != samples_.begin()) {
      const ToleranceSample& left = std::prev(middle)->second;
      const double chord = left.makespan + slope_between(left, right) * (sample.factor - left.factor);
      contradicts = contradicts || sample.makespan > chord * (1 + relative_rounding);
    }
    if (contradicts) {
      concave_ = fmt::format("the makespan is no convex function of the factor near {:.6g}", sample.factor);
      return;
    }
  }
}

bool ToleranceSearch::narrow(const Tolerance& tolerance) const {
  const double width = tolerance.most - tolerance.least;
  if (tolerance.beyond || !shrinks(tolerance.growth))
    return tolerance.beyond || width <= options_.precision * (tolerance.least - 1);
  // Of what the cost is divided by, relatively; further than the largest factor nobody looks.
  return width <= options_.precision * std::min(tolerance.least, 1 - tolerance.most) ||
         tolerance.most <= 1 / options_.largest_factor;
}

Tolerance ToleranceSearch::bracket(double growth) const {
  if (!(samples_.at(1).makespan > 0)) // nothing changes by a part of nothing
    return {.growth = growth,
            .least = shrinks(growth) ? 0 : samples_.rbegin()->first,
            .most = shrinks(growth) ? 0 : std::numeric_limits<double>::infinity(),
            .beyond = true};
  if (options_.not_convex_because.empty() && concave_.empty()) return certified(growth);
  return shrinks(growth) ? sampled_gain(growth) : sampled(growth);
}

/// Does the same from 1 downwards.
Tolerance ToleranceSearch::sampled_gain(double growth) const {
  Tolerance tolerance{.growth = growth, .least = 0, .most = 1, .certified = false};
  for (auto sample = std::make_reverse_iterator(samples_.upper_bound(1)); sample != samples_.rend(); ++sample) {
    if (sample->second.makespan <= target(growth)) {
      tolerance.least = sample->first;
      return tolerance;
    }
    tolerance.most = sample->first;
  }
  tolerance.beyond = true;
  return tolerance;
}

/// Returns the first two neighbours among the samples between which the growth is reached.
Tolerance ToleranceSearch::sampled(double growth) const {
  Tolerance tolerance{.growth = growth, .certified = false};
  for (const auto& [factor, sample] : samples_) {
    if (factor > 1 && sample.makespan >= target(growth)) {
      tolerance.most = factor;
      return tolerance;
    }
    if (factor >= 1) tolerance.least = factor;
  }
  tolerance.beyond = true;
  return tolerance;
}

Tolerance ToleranceSearch::certified(double growth) const {
  const double height = target(growth);
  // The samples before and after the growth is reached: T does not fall.
  const auto after = std::find_if(shrinks(growth) ? samples_.begin() : samples_.find(1), samples_.end(),
                                  [&](const auto& entry) { return entry.second.makespan >= height; });
  if (after == samples_.begin())
    // Even a cost of none takes as long as is asked, or longer.
    return {.growth = growth, .least = 0, .most = 0, .beyond = after->second.makespan > height};
  const auto before = std::prev(after);
  const ToleranceSample& low = before->second;
  Tolerance tolerance{.growth = growth};
  // T lies above these lines.
  if (low.slope) tolerance.most = std::min(tolerance.most, reaches(low, *low.slope, height));
  if (before != samples_.begin())
    tolerance.most = std::min(tolerance.most, reaches(low, slope_between(std::prev(before)->second, low), height));
  if (after == samples_.end()) {
    tolerance.least = low.factor;
    tolerance.beyond = true;
    return tolerance;
  }
  const ToleranceSample& high = after->second;
  tolerance.most = std::min(tolerance.most, high.factor);
  if (high.slope && *high.slope > 0) tolerance.most = std::min(tolerance.most, reaches(high, *high.slope, height));
  if (const auto next = std::next(after); next != samples_.end())
    if (const double slope = slope_between(high, next->second); slope > 0)
      tolerance.most = std::min(tolerance.most, reaches(high, slope, height));
  // And below the chord.
  tolerance.least = std::max(low.factor, reaches(low, slope_between(low, high), height));
  // Rounding may exchange ends that coincide.
  if (tolerance.least > tolerance.most) std::swap(tolerance.least, tolerance.most);
  return tolerance;
}

ToleranceAnswer ToleranceSearch::answer() const {
  ToleranceAnswer answer{
      .makespan = samples_.at(1).makespan,
      .makespan_without = samples_.contains(0) ? std::optional(samples_.at(0).makespan) : std::nullopt,
      .tolerances = {},
      .not_convex_because = options_.not_convex_because.empty() ? concave_ : options_.not_convex_because,
      .samples = samples_.size()};
  for (const double growth : options_.growths)
    answer.tolerances.push_back(bracket(growth));
  return answer;
}

ToleranceAnswer find_tolerance(const std::function<std::vector<ToleranceSample>(std::span<const double>)>& evaluate,
                               const ToleranceOptions& options) {
  ToleranceSearch search(options);
  for (std::vector<double> factors = search.wanted(); !factors.empty(); factors = search.wanted()) {
    for (const ToleranceSample& sample : evaluate(factors))
      search.add(sample);
    search.end_batch();
  }
  return search.answer();
}

} // namespace timeless::analysis
