#include "tools/replaying/sweep/class_ranges.h"

#include "replay/network/presets.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace timeless::tools {

namespace {

/// Lanes times ranks that a replay keeps the times of; more are replayed one after the other.
constexpr std::size_t most_rank_times = 4'000'000;

constexpr double slowest_rate = 0.25e9;
constexpr double fastest_rate = 64e9;
constexpr int octaves = 8;
/// Between two octaves where the class changes.
constexpr int steps_of_an_octave = 12;

/// The speeds at which a machine is tried first.
std::vector<double> octaves_of(const MachineBasis& machine) {
  const ComputeBasis& compute = machine.compute;
  const double slowest = compute.one_rate() ? slowest_rate / compute.least : 1.0 / 32;
  std::vector<double> speeds;
  for (int octave = 0; octave <= octaves; ++octave)
    speeds.push_back(std::ldexp(slowest, octave));
  return speeds;
}

void insert(ClassRange& range, ClassRange::Point point) {
  const auto place = std::ranges::lower_bound(range.tried, point.speed, {}, &ClassRange::Point::speed);
  if (place != range.tried.end() && place->speed == point.speed) return;
  range.tried.insert(place, std::move(point));
}

/// Looks from speed 1 in both directions.
void find_ends(ClassRange& range) {
  const auto own = std::ranges::find(range.tried, 1.0, &ClassRange::Point::speed);
  const auto here = static_cast<std::size_t>(own - range.tried.begin());
  range.first = range.last = here;
  while (range.first > 0 && range.tried[range.first - 1].name == own->name)
    --range.first;
  while (range.last + 1 < range.tried.size() && range.tried[range.last + 1].name == own->name)
    ++range.last;
}

void add_between(std::vector<Judgement>& asked, std::size_t machine, double slow, double fast) {
  for (int step = 1; step < steps_of_an_octave; ++step)
    asked.push_back({machine, slow * std::pow(fast / slow, static_cast<double>(step) / steps_of_an_octave)});
}

/// Adds the classes at these speeds, so many at a time that memory does.
void judge(std::vector<ClassRange>& ranges, const PlacedMachines& machines, const trace::Source& source,
           std::span<const Judgement> asked, const analysis::Thresholds& thresholds,
           const replay::ReplayOptions& options) {
  const std::size_t ranks = std::max<std::size_t>(1, source.run().size);
  const std::size_t at_once = std::max<std::size_t>(1, most_rank_times / (analysis::classification_lane_count * ranks));
  while (!asked.empty()) {
    const std::span<const Judgement> some = asked.first(std::min(at_once, asked.size()));
    asked = asked.subspan(some.size());
    const replay::Result result = replay_judged(machines, source, some, options);
    const std::span<const replay::LaneResult> lanes(result.lanes);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto part = lanes.subspan(i * analysis::classification_lane_count, analysis::classification_lane_count);
      insert(ranges[some[i].machine], {some[i].speed, name(analysis::classify(part, thresholds))});
    }
  }
}

} // namespace

std::vector<ClassifiedMachine> classified(const PlacedMachines& machines, const replay::Result& result,
                                          const analysis::Thresholds& thresholds) {
  std::vector<ClassifiedMachine> all;
  const std::span<const replay::LaneResult> lanes(result.lanes);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    ClassifiedMachine& one = all.emplace_back();
    one.basis = machines.bases()[i];
    if (i < machines.networks().size()) one.network = machines.networks()[i];
    one.lanes = lanes.subspan(i * analysis::classification_lane_count, analysis::classification_lane_count);
    one.classification = analysis::classify(one.lanes, thresholds);
  }
  return all;
}

replay::Result replay_judged(const PlacedMachines& machines, const trace::Source& source,
                             std::span<const Judgement> asked, const replay::ReplayOptions& options) {
  std::vector<MachineConfiguration> configurations;
  for (const Judgement& one : asked)
    for (replay::Scaling scaling : replay::classification_scalings()) {
      scaling.compute = 1 / one.speed;
      configurations.push_back({.machine = one.machine, .scaling = scaling});
    }
  return machines.replay(source, configurations, options);
}

std::vector<ClassRange> class_ranges(const PlacedMachines& machines, const trace::Source& source,
                                     std::span<const std::string> classes, const analysis::Thresholds& thresholds,
                                     replay::ReplayOptions options) {
  options.ideal = false;
  std::vector<ClassRange> ranges(machines.bases().size());
  std::vector<Judgement> asked;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ranges[i].tried.push_back({1, classes[i]});
    for (const double speed : octaves_of(machines.bases()[i]))
      if (speed != 1) asked.push_back({i, speed});
  }
  judge(ranges, machines, source, asked, thresholds, options);
  asked.clear();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    find_ends(ranges[i]);
    const std::vector<ClassRange::Point>& tried = ranges[i].tried;
    if (const ClassRange::Point* below = ranges[i].below())
      add_between(asked, i, below->speed, tried[ranges[i].first].speed);
    if (const ClassRange::Point* above = ranges[i].above())
      add_between(asked, i, tried[ranges[i].last].speed, above->speed);
  }
  judge(ranges, machines, source, asked, thresholds, options);
  for (ClassRange& range : ranges)
    find_ends(range);
  return ranges;
}

} // namespace timeless::tools
