#include "analysis/sweep/sweep_plan.h"

#include "base/error.h"

#include <fmt/format.h>

namespace timeless::analysis {

namespace {

Error too_many(std::size_t points) {
  return {Failure::usage,
          fmt::format("{} configurations or more, of at most {}", points, SweepPlan::most_points),
          {},
          "ask for shorter lists, or in several commands"};
}

/// Returns the number of combinations; of too many, some number that is too many.
std::size_t combinations(const SweepAxes& axes) {
  std::size_t count = 1;
  for (const std::size_t length :
       {axes.machines.size(), axes.ranks_per_node.size(), axes.collectives.size(), axes.eager_limits.size(),
        axes.bandwidth.size(), axes.latency.size(), axes.compute.size()}) {
    count *= length;
    if (count > SweepPlan::most_points) return count;
  }
  return count;
}

} // namespace

std::size_t SweepPlan::add(const SweepPoint& point) {
  const auto [place, added] = places_.emplace(point, points_.size());
  if (!added) return place->second;
  if (points_.size() == most_points) throw too_many(most_points + 1);
  points_.push_back(point);
  return place->second;
}

std::vector<std::size_t> SweepPlan::add(const SweepAxes& axes) {
  if (const std::size_t count = combinations(axes); count > most_points) throw too_many(count);
  std::vector<std::size_t> places;
  for (const std::size_t machine : axes.machines)
    for (const std::uint32_t ranks_per_node : axes.ranks_per_node)
      for (const replay::CollectiveModel collectives : axes.collectives)
        for (const std::optional<trace::Bytes>& eager_limit : axes.eager_limits)
          for (const double compute : axes.compute)
            for (const double bandwidth : axes.bandwidth)
              for (const double latency : axes.latency)
                places.push_back(add({machine, ranks_per_node, collectives, eager_limit, bandwidth, latency, compute}));
  return places;
}

std::vector<SweepPoint> classification_points(const SweepPoint& point) {
  std::vector<SweepPoint> all;
  for (const replay::Scaling& scaling : replay::classification_scalings()) {
    SweepPoint& one = all.emplace_back(point);
    one.bandwidth *= scaling.bandwidth;
    one.latency *= scaling.latency;
  }
  return all;
}

} // namespace timeless::analysis
