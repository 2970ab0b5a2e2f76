#include "analysis/sweep/sweep.h"

#include "base/error.h"
#include "replay/result/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace timeless::analysis {

namespace {

void keep(SweptConfiguration& kept, replay::LaneResult&& lane, bool ranks) {
  kept.makespan = lane.makespan;
  kept.deadlock = std::move(lane.deadlock);
  if (kept.deadlock) return;
  kept.mean = replay::mean(lane);
  kept.ideal_makespan = lane.ideal_makespan;
  if (lane.ideal_makespan) kept.efficiencies = efficiencies(lane);
  kept.sensitivity = lane.sensitivity;
  if (ranks) kept.ranks = std::move(lane.ranks);
}

void keep_what_it_says_of_the_run(Sweep& all, replay::Result&& result) {
  all.actions = result.actions;
  all.order_matters = all.order_matters || result.order_matters;
  all.not_modelled = std::move(result.not_modelled);
  for (std::string& note : result.notes)
    if (std::ranges::find(all.notes, note) == all.notes.end()) all.notes.push_back(std::move(note));
}

/// The points at these places, which share a pass.
class SweepPass {
public:
  SweepPass(Sweep& all, std::span<const std::size_t> places) : all_(all), places_(places) {}

  void run(const ReplayPoints& replay, bool keep_ranks) {
    std::vector<SweepPoint> points;
    for (const std::size_t place : places_)
      points.push_back(all_.configurations[place].point);
    ++all_.passes;
    replay::Result result = replay(points);
    for (std::size_t i = 0; i < places_.size(); ++i)
      keep(all_.configurations[places_[i]], std::move(result.lanes.at(i)), keep_ranks);
    keep_what_it_says_of_the_run(all_, std::move(result));
  }

  void does_not_end(const replay::Diagnosis& why) {
    const auto diagnosis = std::make_shared<const replay::Diagnosis>(why);
    for (const std::size_t place : places_) {
      all_.configurations[place].makespan = std::numeric_limits<double>::infinity();
      all_.configurations[place].deadlock = diagnosis;
    }
  }

private:
  Sweep& all_;
  std::span<const std::size_t> places_;
};

/// Places in an order in which those that share a pass follow one another.
std::vector<std::size_t> by_pass(std::span<const SweepPoint> points) {
  std::vector<std::size_t> places(points.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, [&](std::size_t one, std::size_t other) {
    const auto pass = [&](std::size_t place) {
      const SweepPoint& point = points[place];
      return std::tuple(point.ranks_per_node, point.collectives, point.machine, point.eager_limit.has_value());
    };
    return pass(one) < pass(other);
  });
  return places;
}

} // namespace

const char* name(PathPart part) {
  static constexpr const char* names[] = {"computation", "latency", "bandwidth", "rest"};
  return names[static_cast<std::size_t>(part)];
}

PathPart SweptConfiguration::longest_part() const {
  const double rest = makespan - sensitivity.compute - sensitivity.latency - sensitivity.bandwidth;
  const std::pair<double, PathPart> parts[] = {{sensitivity.compute, PathPart::computation},
                                               {sensitivity.latency, PathPart::latency},
                                               {sensitivity.bandwidth, PathPart::bandwidth},
                                               {rest, PathPart::rest}};
  return std::ranges::max_element(parts, {}, &std::pair<double, PathPart>::first)->second;
}

Sweep sweep(std::span<const SweepPoint> points, const ReplayPoints& replay, const SweepOptions& options) {
  const std::size_t ranks = std::max<std::size_t>(options.ranks, 1);
  if (options.keep_ranks && points.size() > options.most_rank_times / ranks)
    throw Error(
        Failure::usage,
        fmt::format("{} configurations of {} ranks are too many to list every rank", points.size(), ranks),
        "--per-rank",
        fmt::format("ask for at most {} configurations", std::max<std::size_t>(options.most_rank_times / ranks, 1)));
  Sweep all;
  for (const SweepPoint& point : points) {
    SweptConfiguration& one = all.configurations.emplace_back();
    one.point = point;
    one.name = replay::scaled_name(options.machines.at(point.machine), point.scaling());
  }
  const std::vector<std::size_t> places = by_pass(points);
  const std::size_t at_once = std::clamp<std::size_t>(options.most_rank_times / ranks, 1, options.most_lanes);
  std::exception_ptr stuck;
  bool any_ends = false;
  for (std::span<const std::size_t> left(places); !left.empty();) {
    const auto other = std::ranges::find_if(
        left, [&](std::size_t place) { return !options.share_a_pass(points[place], points[left.front()]); });
    const auto shared = static_cast<std::size_t>(other - left.begin());
    SweepPass pass(all, left.first(std::min(at_once, shared)));
    left = left.subspan(std::min(at_once, shared));
    try {
      pass.run(replay, options.keep_ranks);
      any_ends = true;
    } catch (const replay::ReplayProblem& problem) {
      if (!stuck) stuck = std::current_exception();
      pass.does_not_end(problem.diagnosis());
    }
  }
  if (!any_ends && stuck && options.one_must_end) std::rethrow_exception(stuck);
  return all;
}

std::optional<Classification> classification(const Sweep& sweep, std::span<const std::size_t> places,
                                             const Thresholds& thresholds) {
  std::vector<LaneSummary> lanes;
  for (const std::size_t place : places) {
    const SweptConfiguration& one = sweep.configurations.at(place);
    if (one.deadlock) return std::nullopt;
    lanes.push_back({one.makespan, one.mean});
  }
  return classify(lanes, thresholds);
}

} // namespace timeless::analysis
