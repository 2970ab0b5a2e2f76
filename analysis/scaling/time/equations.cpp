#include "analysis/scaling/time/equations.h"

#include "analysis/statistics/nonnegative.h"

#include <algorithm>
#include <cmath>
#include <functional>

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

/// Returns the traffic of a mean rank; `value_of` says how much of a metric there is.
CallsByPart traffic_of(const Scaling& scaling, const std::function<double(const ScaledFigure&)>& value_of) {
  CallsByPart traffic;
  for (const ScaledCall& call : scaling.calls) {
    const trace::ActionFamily family = scaling.family_of(call.key.call);
    const bool collective = part_of(family) == &TimeByPart::collective;
    if (!collective && part_of(family) != &TimeByPart::point_to_point) continue;
    if (family == trace::ActionFamily::completion || family == trace::ActionFamily::request) continue;
    CallsAndBytes& sum = collective ? traffic.collective : traffic.point_to_point;
    sum.calls += value_of(call.metrics[0].mean);
    sum.bytes += value_of(call.metrics[1].mean);
  }
  return traffic;
}

/// Returns a figure at a place by its law, or, without one, what the run of most ranks has.
double value_at(const ScaledFigure& figure, const ScalePlace& place) {
  const auto prediction = predict(figure.fit, place);
  return prediction ? prediction->value : figure.values.back();
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

double other_time(const Scaling& scaling, std::span<const TimedRun> runs, const ScalePlace& place) {
  std::vector<ScalePlace> places;
  std::vector<double> values;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    places.push_back(scaling.runs[run].place);
    values.push_back(runs[run].parts.other);
  }
  const LawFit fit = LawSearch(std::move(places)).fit(values);
  const auto prediction = predict(fit, place);
  return prediction && fit.reaches(place) ? prediction->value : values.back();
}

} // namespace

ScaleEquations scale_equations(const Scaling& scaling, std::span<const TimedRun> runs) {
  Equations point_to_point{.columns = 2};
  Equations collective{.columns = 3};
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const CallsByPart traffic =
        traffic_of(scaling, [&](const ScaledFigure& figure) { return figure.values[run]; });
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
  double lawless = 0;
  for (const ScaledKernel& kernel : scaling.kernels) {
    const ScaledFigure& mean = kernel.volume().mean;
    const double seconds = value_at(mean, place) * seconds_per_unit(kernel, runs);
    time.parts.computation += seconds;
    if (mean.fit.laws.empty()) lawless += seconds;
  }
  if (time.parts.computation > 0) time.lawless = lawless / time.parts.computation;
  const CallsByPart traffic =
      traffic_of(scaling, [&](const ScaledFigure& figure) { return value_at(figure, place); });
  time.parts.point_to_point = point_to_point_time(equations, traffic.point_to_point);
  time.parts.collective = collective_time(equations, traffic.collective, place.ranks);
  time.parts.other = other_time(scaling, runs, place);
  time.makespan = time.parts.computation + equations.communication_factor * time.parts.communication() + time.parts.other;
  return time;
}

} // namespace timeless::analysis
