#include "analysis/scaling/time/equations.h"

#include "analysis/statistics/nonnegative.h"

#include <algorithm>
#include <cmath>

namespace timeless::analysis {

namespace {

/// Calls of a rank, and the bytes that they send.
struct CallsAndBytes {
  double calls = 0;
  double bytes = 0;
};

struct CallsByPart {
  CallsAndBytes point_to_point;
  CallsAndBytes collective;
};

/// Which of the two parts a call belongs to; null for one that takes no time of its own.
CallsAndBytes CallsByPart::*part_of_call(const Scaling& scaling, const ScaledCall& call) {
  const trace::ActionFamily family = scaling.family_of(call.key.call);
  if (family == trace::ActionFamily::completion || family == trace::ActionFamily::request) return nullptr;
  if (part_of(family) == &TimeByPart::collective) return &CallsByPart::collective;
  return part_of(family) == &TimeByPart::point_to_point ? &CallsByPart::point_to_point : nullptr;
}

/// Returns the traffic of a mean rank in one of the runs.
CallsByPart traffic_in(const Scaling& scaling, std::size_t run) {
  CallsByPart traffic;
  for (const ScaledCall& call : scaling.calls)
    if (const auto part = part_of_call(scaling, call)) {
      (traffic.*part).calls += call.metrics[0].mean.values[run];
      (traffic.*part).bytes += call.metrics[1].mean.values[run];
    }
  return traffic;
}

/// Returns the mean at a place by its law, or, without one, what the run of most ranks has.
double mean_at(const ScaledMetric& metric, const ScalePlace& place) {
  const auto prediction = predict(metric, place).mean;
  return prediction ? prediction->value : metric.mean.values.back();
}

double point_to_point_time(const ScaleEquations& equations, const CallsAndBytes& traffic) {
  return equations.byte_time * traffic.bytes + equations.call_time * traffic.calls;
}

double collective_time(const ScaleEquations& equations, const CallsAndBytes& traffic, double ranks) {
  return (equations.log_time * std::log2(ranks) + equations.collective_call_time) * traffic.calls +
         equations.collective_byte_time * traffic.bytes;
}

/// Adds what one run says of its calls, as relative errors.
void add_relative(Equations& equations, std::vector<double> row, double seconds) {
  if (seconds <= 0) return;
  for (double& value : row)
    value /= seconds;
  equations.add(row, 1);
}

/// Returns the seconds that a kernel's unit takes, in the run of most ranks that has it.
double seconds_per_unit(const ScaledKernel& kernel, std::span<const TimedRun> runs) {
  const auto timed = runs[kernel.run].kernels.find(kernel.key);
  const double volume = kernel.volume().mean.values[kernel.run];
  return timed == runs[kernel.run].kernels.end() || volume == 0 ? 0 : timed->second.mean / volume;
}

/// Returns the part of a kernel's seconds that is for memory, as in that run; nothing where that is not known.
std::optional<double> memory_share(const ScaledKernel& kernel, std::span<const TimedRun> runs) {
  if (!runs[kernel.run].parts.memory) return std::nullopt;
  const auto timed = runs[kernel.run].kernels.find(kernel.key);
  return timed == runs[kernel.run].kernels.end() || timed->second.mean == 0 ? 0
                                                                            : timed->second.memory / timed->second.mean;
}

double other_time(const Scaling& scaling, std::span<const TimedRun> runs, const ScalePlace& place) {
  std::vector<ScalePlace> places;
  std::vector<double> values;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    places.push_back(scaling.runs[run].place);
    values.push_back(runs[run].parts.other);
  }
  const LawFit fit = LawSearch(std::move(places)).fit_unchecked(values);
  const auto prediction = predict(fit, place);
  return prediction && fit.reaches(place) ? prediction->value : values.back();
}

} // namespace

ScaleEquations scale_equations(const Scaling& scaling, std::span<const TimedRun> runs) {
  Equations point_to_point{.columns = 2};
  Equations collective{.columns = 3};
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const CallsByPart traffic = traffic_in(scaling, run);
    const CallsAndBytes& of_all = traffic.collective;
    add_relative(point_to_point, {traffic.point_to_point.bytes, traffic.point_to_point.calls},
                 runs[run].parts.point_to_point);
    add_relative(collective, {of_all.calls * std::log2(scaling.runs[run].place.ranks), of_all.bytes, of_all.calls},
                 runs[run].parts.collective);
  }
  ScaleEquations equations;
  if (!point_to_point.wanted.empty()) {
    const std::vector<double> found = nonnegative_least_squares(point_to_point);
    equations.byte_time = found[0];
    equations.call_time = found[1];
  }
  if (!collective.wanted.empty()) {
    const std::vector<double> found = nonnegative_least_squares(collective);
    equations.log_time = found[0];
    equations.collective_byte_time = found[1];
    equations.collective_call_time = found[2];
  }
  const TimedRun& largest = runs.back();
  if (const double communication = largest.parts.communication(); communication > 0)
    equations.communication_factor =
        (largest.makespan - largest.parts.computation - largest.parts.other) / communication;
  return equations;
}

EquationTime equation_time(const ScaleEquations& equations, const Scaling& scaling, std::span<const TimedRun> runs,
                           const ScalePlace& place) {
  EquationTime time{.place = place};
  double now = 0;
  double lawless_now = 0;
  double doubtful = 0;
  for (const ScaledKernel& kernel : scaling.kernels) {
    const ScaledFigure& mean = kernel.volume().mean;
    const double of_unit = seconds_per_unit(kernel, runs);
    const auto [prediction, most] = predict(kernel.volume(), place);
    if (most) time.longest_kernel = std::max(time.longest_kernel, most->value * of_unit);
    const double seconds = prediction ? prediction->value * of_unit : 0;
    now += mean.values.back() * of_unit;
    if (!prediction) lawless_now += mean.values.back() * of_unit;
    time.parts.computation += seconds;
    if (const auto share = memory_share(kernel, runs))
      time.parts.memory = time.parts.memory.value_or(0) + *share * seconds;
    if (!kernel.volume().reaches(place, &ScaledMetric::mean)) doubtful += seconds;
  }
  if (now > 0) time.lawless = lawless_now / now;
  // Kernels without a law keep their share, or, where none has one, what they take.
  const double known = time.parts.computation;
  time.parts.computation = known > 0 && time.lawless < 1 ? known / (1 - time.lawless) : known + lawless_now;
  doubtful += time.parts.computation - known;
  if (time.parts.memory && known > 0) *time.parts.memory *= time.parts.computation / known;
  for (const ScaledCall& call : scaling.calls) {
    const auto part = part_of_call(scaling, call);
    if (!part) continue;
    const CallsAndBytes traffic{mean_at(call.metrics[0], place), mean_at(call.metrics[1], place)};
    const bool collective = part == &CallsByPart::collective;
    const double seconds =
        collective ? collective_time(equations, traffic, place.ranks) : point_to_point_time(equations, traffic);
    (collective ? time.parts.collective : time.parts.point_to_point) += seconds;
    const auto reached = [&](const ScaledMetric& metric) { return metric.reaches(place, &ScaledMetric::mean); };
    if (!std::ranges::all_of(call.metrics, reached)) doubtful += equations.communication_factor * seconds;
  }
  time.parts.other = other_time(scaling, runs, place);
  time.makespan =
      time.parts.computation + equations.communication_factor * time.parts.communication() + time.parts.other;
  if (time.makespan > 0) time.doubtful = doubtful / time.makespan;
  return time;
}

} // namespace timeless::analysis
