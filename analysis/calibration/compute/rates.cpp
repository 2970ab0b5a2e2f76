#include "analysis/calibration/compute/rates.h"

#include "analysis/statistics/lines.h"
#include "analysis/statistics/quantiles.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace timeless::analysis {

namespace {

using trace::KernelId;

constexpr double volumes_spread = 0.3;     // coefficient of variation from which a line is tried
constexpr std::size_t points_of_line = 20; // fewer say little of two parameters
constexpr double prior_degrees = 4;        // that the typical variance counts for

/// What one launch says of one kernel.
struct OfLaunch {
  Line line; ///< seconds over volume
  double typical_seconds = 0;
  std::size_t visits = 0;  ///< that computed anything
  double log_variance = 0; ///< of the visits' ratios, from their quartiles
};

double variation(std::span<const Visit> visits) {
  double mean = 0;
  double squares = 0;
  double count = 0;
  for (const Visit& visit : visits) {
    const double before = visit.volume - mean;
    mean += before / ++count;
    squares += before * (visit.volume - mean);
  }
  return mean > 0 ? std::sqrt(squares / count) / mean : 0;
}

/// The visits' seconds over those of the line, each counting by its volume: what is wanted is right where the time is.
std::vector<Weighted> ratios(std::span<const Visit> visits, const Line& line) {
  std::vector<Weighted> all;
  all.reserve(visits.size());
  for (const Visit& visit : visits)
    if (visit.volume > 0) all.push_back({visit.seconds / line(visit.volume), visit.volume});
  return all;
}

double median_distance(std::vector<Weighted> ratios) {
  for (Weighted& ratio : ratios)
    ratio.value = std::abs(ratio.value - 1);
  return weighted_quantile(std::move(ratios), 0.5);
}

/// The line through all visits, where it is better than one through the origin.
Line line_of(std::span<const Visit> visits, double per_unit) {
  const Line proportional{.intercept = 0, .slope = per_unit};
  if (visits.size() < points_of_line || variation(visits) <= volumes_spread) return proportional;
  std::vector<Point> points;
  for (const Visit& visit : visits)
    points.push_back({.x = visit.volume, .y = visit.seconds});
  const Line line = theil_sen(points);
  if (!(line.slope > 0) || !(line.intercept > 0)) return proportional;
  return median_distance(ratios(visits, line)) < median_distance(ratios(visits, proportional)) ? line : proportional;
}

/// A normal distribution has its quartiles 1.349 standard deviations apart.
double log_variance(std::vector<Weighted> ratios) {
  std::erase_if(ratios, [](const Weighted& ratio) { return !(ratio.value > 0); });
  if (ratios.size() < 2) return 0;
  for (Weighted& ratio : ratios)
    ratio.value = std::log(ratio.value);
  const double deviation = (weighted_quantile(ratios, 0.75) - weighted_quantile(ratios, 0.25)) / 1.349;
  return deviation * deviation;
}

std::optional<OfLaunch> of_launch(const VisitSample& sample) {
  std::vector<Weighted> per_unit;
  std::vector<Weighted> seconds;
  for (const Visit& visit : sample.visits())
    if (visit.volume > 0) {
      per_unit.push_back({visit.seconds / visit.volume, visit.volume});
      seconds.push_back({visit.seconds, visit.volume});
    }
  if (per_unit.empty()) return std::nullopt;
  const std::size_t visits = per_unit.size();
  const double slope = weighted_quantile(std::move(per_unit), 0.5);
  if (!(slope > 0)) return std::nullopt;
  OfLaunch found;
  found.visits = visits;
  found.line = line_of(sample.visits(), slope);
  found.typical_seconds = weighted_quantile(std::move(seconds), 0.5);
  found.log_variance = log_variance(ratios(sample.visits(), found.line));
  return found;
}

/// A kernel in all launches, before it is drawn towards the others.
struct Estimate {
  KernelSpeed speed;
  double visits = 0;       ///< in all launches that it is timed by
  double log_variance = 0; ///< of one visit's time, as far as its own visits tell
  double degrees = 0;      ///< of freedom of that; without any nothing is known of it
  double clock_noise = 0;  ///< variance of the log of its rate by the clock's resolution
  double noise = 0;        ///< by visits and clock together
};

/// Those that the kernel is timed by.
std::vector<std::size_t> launches_for(KernelId kernel, std::span<const JoinedLaunch> launches, double long_visit) {
  std::vector<std::size_t> passing;
  std::vector<std::size_t> processor;
  std::vector<double> typical;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    (launches[i].processor_time ? processor : passing).push_back(i);
    if (const auto found = of_launch(launches[i].kernels[kernel])) typical.push_back(found->typical_seconds);
  }
  if (passing.empty() || processor.empty()) return passing.empty() ? processor : passing;
  return !typical.empty() && median(typical) >= long_visit ? processor : passing;
}

RelativeTimes deciles(const std::vector<Weighted>& relative) {
  RelativeTimes times{};
  for (std::size_t i = 0; i < times.size(); ++i)
    times[i] = std::max(0.0, weighted_quantile(relative, std::clamp(0.1 * static_cast<double>(i), 0.01, 0.99)));
  return times;
}

void describe_visits(Estimate& estimate, KernelId kernel, std::span<const JoinedLaunch> launches,
                     const std::vector<std::size_t>& used, const Line& line) {
  std::vector<Weighted> relative;
  std::vector<double> seconds;
  for (const std::size_t i : used) {
    const VisitSample& sample = launches[i].kernels[kernel];
    std::ranges::copy(ratios(sample.visits(), line), std::back_inserter(relative));
    seconds.push_back(sample.seconds());
  }
  estimate.speed.relative_times = deciles(relative);
  if (relative.size() > 1)
    estimate.speed.spread = weighted_quantile(relative, 0.75) - weighted_quantile(relative, 0.25);
  estimate.speed.seconds = median(seconds);
  const double given = line.intercept * static_cast<double>(estimate.speed.visits) + line.slope * estimate.speed.volume;
  estimate.speed.explained = estimate.speed.seconds > 0 ? given / estimate.speed.seconds : 0;
}

/// How much the times of one visit vary: within launches or, of a kernel that each visits once, between them.
void describe_variance(Estimate& estimate, const std::vector<OfLaunch>& launches) {
  std::vector<double> within;
  std::vector<Weighted> between;
  for (const OfLaunch& launch : launches) {
    estimate.visits += static_cast<double>(launch.visits);
    within.push_back(launch.log_variance);
    between.push_back({.value = launch.line.slope});
  }
  const auto count = static_cast<double>(launches.size());
  const bool once = estimate.visits <= count;
  estimate.log_variance = once ? log_variance(std::move(between)) : median(within);
  estimate.degrees = once ? count - 1 : estimate.visits - count;
}

Estimate estimated(KernelId kernel, std::span<const JoinedLaunch> launches, const SpeedOptions& options) {
  Estimate estimate;
  const VisitSample& any = launches.front().kernels[kernel];
  estimate.speed.visits = any.count();
  estimate.speed.volume = any.volume();
  estimate.speed.relative_times.fill(1);
  if (any.count() == 0) return estimate;
  const std::vector<std::size_t> used = launches_for(kernel, launches, options.long_visit_seconds);
  std::vector<double> intercepts;
  std::vector<double> slopes;
  std::vector<OfLaunch> found_launches;
  std::vector<double> typical;
  for (const std::size_t i : used)
    if (const auto found = of_launch(launches[i].kernels[kernel])) {
      intercepts.push_back(found->line.intercept);
      slopes.push_back(found->line.slope);
      typical.push_back(found->typical_seconds);
      estimate.speed.launches.push_back(1 / found->line.slope);
      found_launches.push_back(*found);
    }
  if (slopes.empty()) return estimate;
  const Line line{.intercept = median(intercepts), .slope = median(slopes)};
  estimate.speed.processor_time = launches[used.front()].processor_time;
  estimate.speed.fixed_seconds = line.intercept;
  estimate.speed.units_per_second = 1 / line.slope;
  estimate.speed.interval = median_interval(estimate.speed.launches);
  describe_visits(estimate, kernel, launches, used, line);
  describe_variance(estimate, found_launches);
  const double clock = options.clock_seconds / std::max(median(typical), options.clock_seconds);
  estimate.clock_noise = clock * clock / 4;
  return estimate;
}

/// The variance of a visit that is typical of the kernels with at least so many degrees of freedom, each counting by
/// its volume.
std::optional<double> typical_variance(const std::vector<Estimate>& estimates, double least_degrees) {
  std::vector<Weighted> variances;
  for (const Estimate& estimate : estimates)
    if (estimate.speed.units_per_second > 0 && estimate.degrees >= least_degrees)
      variances.push_back({estimate.log_variance, estimate.speed.volume});
  if (variances.empty()) return std::nullopt;
  return weighted_quantile(std::move(variances), 0.5);
}

/// A few visits that happen to agree are not certain: their variance is moderated by what is typical. Where no kernel
/// was timed twice, nothing is known of any.
void judge_noise(std::vector<Estimate>& estimates) {
  std::optional<double> typical = typical_variance(estimates, prior_degrees);
  if (!typical) typical = typical_variance(estimates, 1);
  for (Estimate& estimate : estimates) {
    if (!(estimate.visits > 0)) continue;
    const double moderated = typical ? (estimate.degrees * estimate.log_variance + prior_degrees * *typical) /
                                           (estimate.degrees + prior_degrees)
                                     : std::numeric_limits<double>::infinity();
    estimate.noise = moderated / estimate.visits + estimate.clock_noise;
  }
}

/// The median over kernels of the logs of their rates, each counting by its volume.
double typical_log(const std::vector<Estimate>& estimates) {
  std::vector<Weighted> by_rate;
  for (const Estimate& estimate : estimates) {
    const KernelSpeed& speed = estimate.speed;
    if (!(speed.units_per_second > 0)) continue;
    // What a typical visit reaches, its fixed seconds counted.
    const double seconds =
        speed.fixed_seconds * static_cast<double>(speed.visits) + speed.volume / speed.units_per_second;
    by_rate.push_back({std::log(speed.volume / seconds), speed.volume});
  }
  if (by_rate.empty())
    throw Error(Failure::invalid_input, "no computation took any time", {},
                "calibrate with a program that computes, on a larger input");
  return weighted_quantile(std::move(by_rate), 0.5);
}

/// The variance of log rates between kernels, without that of their noise; by volumes, since a rate for the rest is
/// wanted where the instructions are.
double variance_between(const std::vector<Estimate>& estimates, double centre) {
  double squares = 0;
  double noise = 0;
  double all = 0;
  for (const Estimate& estimate : estimates) {
    if (!(estimate.speed.units_per_second > 0)) continue;
    const double weight = std::sqrt(estimate.speed.volume);
    const double distance = std::log(estimate.speed.units_per_second) - centre;
    squares += weight * distance * distance;
    noise += weight * estimate.noise;
    all += weight;
  }
  return std::max(0.0, (squares - noise) / all);
}

/// Draws a kernel's rate towards the program's.
void shrink(Estimate& estimate, double centre, double between) {
  KernelSpeed& speed = estimate.speed;
  if (!(speed.units_per_second > 0)) return;
  speed.weight = between + estimate.noise > 0 ? between / (between + estimate.noise) : 1;
  const double before = std::log(speed.units_per_second);
  const double factor = std::exp((1 - speed.weight) * (centre - before));
  speed.units_per_second *= factor;
  speed.fixed_seconds *= speed.weight;
  speed.interval = {speed.interval.low * factor, speed.interval.high * factor};
  for (double& rate : speed.launches)
    rate *= factor;
}

/// Launches by the time that passes, which all have; those by processor time where there are no others. What launches
/// by both clocks differ by is no spread between launches.
std::vector<const JoinedLaunch*> by_one_clock(std::span<const JoinedLaunch> launches) {
  std::vector<const JoinedLaunch*> passing;
  std::vector<const JoinedLaunch*> processor;
  for (const JoinedLaunch& launch : launches)
    (launch.processor_time ? processor : passing).push_back(&launch);
  return passing.empty() ? processor : passing;
}

double rate_of(const JoinedLaunch& launch) {
  double volume = 0;
  double seconds = 0;
  for (const VisitSample& sample : launch.kernels) {
    volume += sample.volume();
    seconds += sample.seconds();
  }
  return seconds > 0 ? volume / seconds : 0;
}

} // namespace

double ComputeSpeeds::explained() const {
  double given = 0;
  double seconds = 0;
  for (const KernelSpeed& speed : kernels) {
    given += speed.explained * speed.seconds;
    seconds += speed.seconds;
  }
  return seconds > 0 ? given / seconds : 0;
}

ComputeSpeeds compute_speeds(std::span<const JoinedLaunch> launches, const SpeedOptions& options) {
  if (launches.empty()) throw Error(Failure::usage, "no launch to take rates from", {}, "launch the program");
  std::vector<Estimate> estimates;
  for (KernelId kernel = 0; kernel < launches.front().kernels.size(); ++kernel)
    estimates.push_back(estimated(kernel, launches, options));
  judge_noise(estimates);
  const double centre = typical_log(estimates);
  const double between = variance_between(estimates, centre);
  ComputeSpeeds speeds;
  speeds.units_per_second = std::exp(centre);
  speeds.between = std::sqrt(between);
  double all = 0;
  double own = 0;
  for (Estimate& estimate : estimates) {
    shrink(estimate, centre, between);
    all += estimate.speed.volume;
    if (estimate.speed.own()) own += estimate.speed.volume;
    speeds.kernels.push_back(std::move(estimate.speed));
  }
  const auto unjoined = std::ranges::max(launches, {}, &JoinedLaunch::unjoined).unjoined;
  speeds.coverage = all > 0 ? own / (all + unjoined) : 0;
  for (const JoinedLaunch* launch : by_one_clock(launches))
    speeds.launches.push_back(rate_of(*launch));
  // A launch that is slower as a whole is so in the kernel that stands for all.
  const Interval around = median_interval(speeds.launches);
  const double middle = median(speeds.launches);
  if (middle > 0)
    speeds.interval = {speeds.units_per_second * around.low / middle, speeds.units_per_second * around.high / middle};
  return speeds;
}

WholeRate whole_rate(std::span<const JoinedLaunch> launches) {
  WholeRate whole;
  for (const JoinedLaunch* launch : by_one_clock(launches)) {
    double sum = 0;
    double ranks = 0;
    for (const RankSums& rank : launch->ranks)
      if (rank.seconds > 0) {
        sum += rank.volume / rank.seconds;
        ++ranks;
      }
    if (ranks > 0) whole.launches.push_back(sum / ranks);
  }
  if (whole.launches.empty())
    throw Error(Failure::invalid_input, "no computation took any time", {}, "calibrate with a program that computes");
  double squares = 0;
  for (const double rate : whole.launches)
    whole.units_per_second += rate / static_cast<double>(whole.launches.size());
  for (const double rate : whole.launches)
    squares += (rate - whole.units_per_second) * (rate - whole.units_per_second);
  const auto count = static_cast<double>(whole.launches.size());
  if (count > 1) whole.spread = std::sqrt(squares / (count - 1)) / whole.units_per_second;
  return whole;
}

double share_of_long_visits(const JoinedLaunch& launch, double seconds) {
  double longer = 0;
  double all = 0;
  for (const VisitSample& sample : launch.kernels) {
    all += sample.seconds();
    if (sample.count() > 0 && sample.seconds() / static_cast<double>(sample.count()) >= seconds)
      longer += sample.seconds();
  }
  return all > 0 ? longer / all : 0;
}

} // namespace timeless::analysis
