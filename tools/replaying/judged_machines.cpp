#include "tools/replaying/judged_machines.h"

#include "tools/machines/named_networks.h"

#include "base/error.h"
#include "replay/network/machine_network.h"
#include "replay/simgrid/simgrid_network.h"

#include <algorithm>
#include <cmath>
#include <iterator>
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

std::vector<replay::Scaling> scalings_at(double speed, double latency, double bandwidth) {
  std::vector<replay::Scaling> all = replay::classification_scalings();
  for (replay::Scaling& scaling : all) {
    scaling.latency *= latency;
    scaling.bandwidth *= bandwidth;
    scaling.compute = 1 / speed;
  }
  return all;
}

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
void judge(std::vector<ClassRange>& ranges, const JudgedMachines& machines, const trace::Source& source,
           std::span<const Judgement> asked, const analysis::Thresholds& thresholds,
           const replay::ReplayOptions& options) {
  const std::size_t ranks = std::max<std::size_t>(1, source.run().size);
  const std::size_t at_once = std::max<std::size_t>(1, most_rank_times / (analysis::classification_lane_count * ranks));
  while (!asked.empty()) {
    const std::span<const Judgement> some = asked.first(std::min(at_once, asked.size()));
    asked = asked.subspan(some.size());
    const replay::Result result = machines.replay(source, some, options);
    const std::span<const replay::LaneResult> lanes(result.lanes);
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto part = lanes.subspan(i * analysis::classification_lane_count, analysis::classification_lane_count);
      insert(ranges[some[i].machine], {some[i].speed, name(analysis::classify(part, thresholds))});
    }
  }
}

} // namespace

JudgedMachines::JudgedMachines(const trace::Run& run, const PresetMachineOptions& machine,
                               std::span<const std::string> platforms, double anchor_latency, double anchor_bandwidth)
    : anchor_latency_(anchor_latency), anchor_bandwidth_(anchor_bandwidth) {
  if (platforms.empty()) {
    networks_ = named_networks(machine.networks);
    PresetMachine preset = make_preset_machine(run, machine);
    for (replay::NetworkDescription& network : networks_) {
      bases_.push_back({network.name, overheads_of(network), preset.compute, preset.nodes});
      network.between_nodes = replay::scaled(network.between_nodes, anchor_bandwidth, anchor_latency);
    }
    placement_ = std::move(preset.placement);
    mapping_sentence_ = preset.mapping_sentence;
    notes_ = preset.notes;
  } else {
    platforms_ = std::make_unique<ServedPlatforms>(platforms, std::span<const std::string>());
    const CommonRate common = common_rate(run, machine, *platforms_);
    for (std::size_t i = 0; i < platforms_->size(); ++i) {
      PredictionOptions options;
      options.machine = machine;
      on_.push_back(place_on_platform(run, options, (*platforms_)[i], common.rate));
      bases_.push_back(on_.back().prediction.bases.front());
      const std::string prefix = platforms.size() == 1 ? "" : bases_.back().name + ": ";
      const std::string& sentence = on_.back().mapping.sentence;
      if (i == 0)
        mapping_sentence_ = sentence;
      else if (sentence != on_.front().mapping.sentence)
        mapping_sentence_ += "; on " + prefix + sentence;
      for (const auto& list : {on_.back().mapping.notes, (*platforms_)[i].notes()})
        for (const std::string& note : list)
          notes_.push_back(prefix + note);
    }
    if (!common.note.empty()) notes_.push_back(common.note);
  }
  if (const std::string note = overheads_note(bases_); !note.empty()) notes_.push_back(note);
}

replay::Result JudgedMachines::replay_networks(const trace::Source& source, std::span<const Judgement> asked,
                                               const replay::ReplayOptions& options) const {
  std::vector<replay::MachineLane> lanes;
  for (const Judgement& one : asked)
    for (const replay::Scaling& scaling : scalings_at(one.speed, 1, 1))
      lanes.push_back(replay::lane(networks_[one.machine], scaling));
  return replay::replay(source, replay::machine_network(lanes, placement_), options);
}

replay::Result JudgedMachines::replay_platform(const trace::Source& source, std::span<const Judgement> asked,
                                               const replay::ReplayOptions& options) const {
  const OnPlatform& on = on_[asked.front().machine];
  replay::SimgridNetworkOptions network_of{.lanes = {}};
  for (const Judgement& one : asked)
    std::ranges::move(scalings_at(one.speed, anchor_latency_, anchor_bandwidth_), std::back_inserter(network_of.lanes));
  network_of.units_per_second = on.units_per_second;
  network_of.seconds_per_unit = on.speeds.seconds_per_unit;
  network_of.kernel_factors = on.speeds.kernel_factors;
  const replay::Network network =
      replay::simgrid_network((*platforms_)[asked.front().machine], source.run(), on.mapping, network_of);
  return replay::replay(source, network, options);
}

replay::Result JudgedMachines::replay(const trace::Source& source, std::span<const Judgement> asked,
                                      const replay::ReplayOptions& options) const {
  if (!platforms_) return replay_networks(source, asked, options);
  replay::Result all;
  while (!asked.empty()) {
    const auto other =
        std::ranges::find_if(asked, [&](const Judgement& one) { return one.machine != asked.front().machine; });
    const std::span<const Judgement> same = asked.first(static_cast<std::size_t>(other - asked.begin()));
    replay::Result one = replay_platform(source, same, options);
    asked = asked.subspan(same.size());
    for (std::string& note : one.notes)
      if (std::ranges::find(all.notes, note) == all.notes.end()) all.notes.push_back(std::move(note));
    all.actions = one.actions;
    all.not_modelled = std::move(one.not_modelled);
    std::ranges::move(one.lanes, std::back_inserter(all.lanes));
  }
  return all;
}

std::vector<ClassRange> class_ranges(const JudgedMachines& machines, const trace::Source& source,
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
