#include "analysis/sweep/crossovers.h"

#include <algorithm>
#include <cmath>

namespace timeless::analysis {

namespace {

double& factor(SweepPoint& point, SweepAxis axis) {
  return axis == SweepAxis::bandwidth ? point.bandwidth : point.latency;
}

double factor(const SweepPoint& point, SweepAxis axis) {
  return axis == SweepAxis::bandwidth ? point.bandwidth : point.latency;
}

/// Points that only differ in that factor are equal in this.
SweepPoint without(SweepPoint point, SweepAxis axis) {
  factor(point, axis) = 1;
  return point;
}

} // namespace

const char* name(SweepAxis axis) {
  return axis == SweepAxis::bandwidth ? "bandwidth" : "latency";
}

std::vector<Crossover> crossovers(const Sweep& sweep, std::span<const std::size_t> places, SweepAxis axis,
                                  PartOf part) {
  std::vector<const SweptConfiguration*> line;
  for (const std::size_t place : places)
    if (!sweep.configurations.at(place).deadlock) line.push_back(&sweep.configurations[place]);
  std::ranges::stable_sort(line, [&](const SweptConfiguration* one, const SweptConfiguration* other) {
    const SweepPoint first = without(one->point, axis);
    const SweepPoint second = without(other->point, axis);
    return first == second ? factor(one->point, axis) < factor(other->point, axis) : first < second;
  });
  std::vector<Crossover> found;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const SweepPoint& before = line[i - 1]->point;
    const SweepPoint& after = line[i]->point;
    const PathPart here = (line[i - 1]->*part)();
    const PathPart there = (line[i]->*part)();
    if (!(without(before, axis) == without(after, axis)) || here == there) continue;
    found.push_back({.part = part,
                     .at = after,
                     .axis = axis,
                     .before = here,
                     .after = there,
                     .least = factor(before, axis),
                     .most = factor(after, axis)});
  }
  return found;
}

void narrow(std::vector<Crossover>& crossovers, const std::function<Sweep(std::span<const SweepPoint>)>& replay,
            std::size_t steps) {
  std::vector<SweepPoint> points;
  for (const Crossover& crossover : crossovers)
    for (std::size_t i = 1; i <= steps; ++i) {
      SweepPoint& point = points.emplace_back(crossover.at);
      factor(point, crossover.axis) =
          crossover.least *
          std::pow(crossover.most / crossover.least, static_cast<double>(i) / static_cast<double>(steps + 1));
    }
  if (points.empty()) return;
  const Sweep between = replay(points);
  for (std::size_t i = 0; i < crossovers.size(); ++i)
    for (std::size_t step = 0; step < steps; ++step) {
      const SweptConfiguration& one = between.configurations.at(i * steps + step);
      if (one.deadlock) continue;
      const double here = factor(one.point, crossovers[i].axis);
      const PathPart part = (one.*crossovers[i].part)();
      if (part == crossovers[i].before) {
        crossovers[i].least = here;
        continue;
      }
      crossovers[i].most = here;
      crossovers[i].after = part;
      factor(crossovers[i].at, crossovers[i].axis) = here;
      break;
    }
}

} // namespace timeless::analysis
