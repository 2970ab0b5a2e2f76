#include "analysis/calibration/network/launch_levels.h"

#include "analysis/statistics/quantiles.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace timeless::analysis {

namespace {

constexpr std::size_t least_of_launch = 3; // of a launch
constexpr std::size_t own_reach = 7;       // points on either side

double log_size(const SizePoint& one) {
  return std::log(static_cast<double>(one.bytes) + 1);
}

/// The times of one launch by rising size: medians of those of one size.
class TimesOfLaunch {
public:
  /// Of points by rising size.
  explicit TimesOfLaunch(std::span<SizePoint* const> points) {
    for (std::size_t begin = 0; begin < points.size();) {
      std::vector<double> same;
      std::size_t end = begin;
      for (; end < points.size() && points[end]->bytes == points[begin]->bytes; ++end)
        same.push_back(std::log(points[end]->seconds));
      places_.push_back(log_size(*points[begin]));
      logs_.push_back(median(same));
      begin = end;
    }
  }

  /// The logarithm of the time at a place, on the line between two sizes; nothing outside.
  std::optional<double> operator()(double place) const {
    if (place < places_.front() || place > places_.back()) return std::nullopt;
    const auto next = static_cast<std::size_t>(std::ranges::lower_bound(places_, place) - places_.begin());
    if (places_[next] == place) return logs_[next];
    const double share = (place - places_[next - 1]) / (places_[next] - places_[next - 1]);
    return std::lerp(logs_[next - 1], logs_[next], share);
  }

private:
  std::vector<double> places_;
  std::vector<double> logs_;
};

/// The points of one launch that other launches reach, too, beside the middle launch.
struct Compared {
  std::vector<std::size_t> points; ///< indices in the launch's
  std::vector<double> offs;        ///< logarithms
  std::vector<double> levels = {}; ///< running medians of them
};

double middle_level(const Compared& one, std::size_t place) {
  const std::size_t begin = place > own_reach ? place - own_reach : 0;
  const std::size_t end = std::min(place + own_reach + 1, one.offs.size());
  return median(std::span(one.offs).subspan(begin, end - begin));
}

/// Whether a launch is off by more than the medians of its points are by chance.
bool is_off(const Compared& one) {
  constexpr double sigma_of_mad = 1.4826;    // of a normal distribution
  constexpr double error_of_median = 1.2533; // of a normal distribution, over that of the mean
  constexpr double errors = 3;
  const double worth_it = std::log(1.05);
  if (one.offs.size() < least_of_launch) return false;
  std::vector<double> sizes;
  std::vector<double> rests;
  for (std::size_t place = 0; place < one.offs.size(); ++place) {
    sizes.push_back(std::abs(one.levels[place]));
    rests.push_back(std::abs(one.offs[place] - one.levels[place]));
  }
  const auto window = static_cast<double>(std::min(one.offs.size(), 2 * own_reach + 1));
  const double error = error_of_median * sigma_of_mad * median(rests) / std::sqrt(window);
  return median(sizes) > std::max(worth_it, errors * error);
}

/// Points of one launch that no other reaches are as far off as the nearest that others do.
void set_factors(std::span<SizePoint* const> points, const Compared& compared) {
  for (std::size_t point = 0, place = 0; point < points.size(); ++point) {
    while (place + 1 < compared.points.size() && compared.points[place] < point)
      ++place;
    points[point]->launch_factor = std::exp(compared.levels[place]);
  }
}

} // namespace

LaunchFactors set_launch_factors(std::span<SizePoint> points) {
  std::map<std::size_t, std::vector<SizePoint*>> launches;
  for (SizePoint& one : points)
    if (one.seconds > 0) launches[one.launch].push_back(&one);
  std::erase_if(launches, [](const auto& one) { return one.second.size() < least_of_launch; });
  if (launches.size() < 2) return {};
  std::vector<TimesOfLaunch> times;
  for (auto& [launch, own] : launches) {
    std::ranges::stable_sort(own, {}, [](const SizePoint* one) { return one->bytes; });
    times.emplace_back(own);
  }
  std::map<std::size_t, Compared> compared;
  bool differ = false;
  for (const auto& [launch, own] : launches) {
    Compared& mine = compared[launch];
    for (std::size_t place = 0; place < own.size(); ++place) {
      std::vector<double> all;
      for (const TimesOfLaunch& one : times)
        if (const auto time = one(log_size(*own[place]))) all.push_back(*time);
      if (all.size() < 2) continue;
      mine.points.push_back(place);
      mine.offs.push_back(std::log(own[place]->seconds) - median(all));
    }
    for (std::size_t place = 0; place < mine.offs.size(); ++place)
      mine.levels.push_back(middle_level(mine, place));
    differ = differ || is_off(mine);
  }
  if (!differ) return {};
  LaunchFactors factors;
  for (const auto& [launch, own] : launches) {
    const Compared& mine = compared.at(launch);
    if (mine.levels.empty()) continue; // of sizes of its own
    set_factors(own, mine);
    factors[launch] = {std::exp(quantile(mine.levels, 0.1)), std::exp(quantile(mine.levels, 0.9))};
  }
  return factors;
}

} // namespace timeless::analysis
