#include "tools/replaying/sweep/placed_machines.h"

#include "tools/machines/named_networks.h"
#include "tools/machines/platform_head.h"
#include "tools/replaying/model_words.h"
#include "tools/replaying/reservations.h"

#include "base/error.h"
#include "replay/network/machine_network.h"
#include "replay/simgrid/simgrid_network.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

namespace timeless::tools {

namespace {

void add_once(std::vector<std::string>& notes, std::string note) {
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
}

/// Puts the lanes of another pass behind those of `all`.
void add_pass(replay::Result& all, replay::Result one) {
  all.actions = one.actions;
  all.order_matters = all.order_matters || one.order_matters;
  all.not_modelled = std::move(one.not_modelled);
  for (std::string& note : one.notes)
    add_once(all.notes, std::move(note));
  std::ranges::move(one.lanes, std::back_inserter(all.lanes));
}

} // namespace

PlacedMachines::PlacedMachines(const trace::Run& run, const PredictionOptions& asked, const replay::Scaling& anchor,
                               std::shared_ptr<const ServedPlatforms> platforms)
    : anchor_(anchor), platforms_(std::move(platforms)) {
  if (asked.memory_copy_rate) memory_copy_byte_time_ = *asked.memory_copy_rate > 0 ? 1 / *asked.memory_copy_rate : 0;
  if (!asked.machine.networks.empty()) place_on_networks(run, asked);
  if (!asked.platforms.empty()) place_on_platforms(run, asked);
  if (const std::string note = overheads_note(bases_); !note.empty()) notes_.push_back(note);
}

void PlacedMachines::place_on_networks(const trace::Run& run, const PredictionOptions& asked) {
  networks_ = named_networks(asked.machine.networks);
  PresetMachine preset = make_preset_machine(run, asked.machine);
  for (replay::NetworkDescription& network : networks_) {
    bases_.push_back({network.name, overheads_of(network), preset.compute, preset.nodes, network.measured_between_nodes,
                      network.measured_within_node, network.file});
    descriptions_.push_back(described(network));
    if (memory_copy_byte_time_) network.memory_copy_byte_time = *memory_copy_byte_time_;
    network.between_nodes = replay::scaled(network.between_nodes, anchor_.bandwidth, anchor_.latency);
  }
  placement_ = std::move(preset.placement);
  mapping_sentence_ = preset.mapping_sentence;
  notes_ = preset.notes;
}

void PlacedMachines::place_on_platforms(const trace::Run& run, const PredictionOptions& asked) {
  if (!platforms_) platforms_ = std::make_shared<const ServedPlatforms>(asked.platforms, asked.settings);
  const CommonRate common = common_rate(run, asked.machine, *platforms_, !networks_.empty());
  for (std::size_t i = 0; i < platforms_->size(); ++i) {
    on_.push_back(place_on_platform(run, asked, (*platforms_)[i], common.rate));
    bases_.push_back(on_.back().prediction.bases.front());
    descriptions_.push_back(on_.back().prediction.machine);
    const std::string prefix = asked.platforms.size() == 1 && networks_.empty() ? "" : bases_.back().name + ": ";
    const std::string& sentence = on_.back().mapping.sentence;
    if (mapping_sentence_.empty())
      mapping_sentence_ = sentence;
    else if (sentence != mapping_sentence_)
      mapping_sentence_ += "; on " + prefix + sentence;
    for (const auto& list : {on_.back().mapping.notes, (*platforms_)[i].notes()})
      for (const std::string& note : list)
        add_once(notes_, prefix + note);
  }
  if (!common.note.empty()) notes_.push_back(common.note);
}

analysis::FiguresOf PlacedMachines::figures_of(std::size_t machine) const {
  const MachineBasis& basis = bases_.at(machine);
  if (machine < networks_.size()) return machine_figures(basis.name, trust_of(networks_[machine]), basis.file);
  const std::string trust = platforms::head_of((*platforms_)[machine - networks_.size()].file()).trust;
  return machine_figures(basis.name, trust.empty() ? "not said" : trust, basis.file);
}

std::vector<replay::MeasuredAlgorithm> PlacedMachines::measured_collectives(std::size_t machine) const {
  if (machine >= networks_.size()) refuse_measured_collectives_of_platforms(bases_.at(machine).name);
  return tools::measured_collectives({&networks_[machine], 1});
}

bool PlacedMachines::share_a_network(const MachineConfiguration& one, const MachineConfiguration& other) const {
  if (one.machine < networks_.size()) return other.machine < networks_.size();
  return one.machine == other.machine && one.eager_limit.has_value() == other.eager_limit.has_value();
}

replay::Network PlacedMachines::network(const trace::Run& run, std::span<const MachineConfiguration> asked) const {
  if (!std::ranges::all_of(asked, [&](const auto& one) { return share_a_network(asked.front(), one); }))
    throw std::logic_error("configurations of different platforms in one pass");
  if (asked.front().machine < networks_.size()) {
    std::vector<replay::MachineLane> lanes;
    for (const MachineConfiguration& one : asked) {
      lanes.push_back(replay::lane(networks_[one.machine], one.scaling));
      if (!one.eager_limit) continue;
      lanes.back().eager_limit = one.eager_limit;
      lanes.back().eager_limit_within_node.reset();
    }
    return replay::machine_network(lanes, placement_);
  }
  const std::size_t platform = asked.front().machine - networks_.size();
  const OnPlatform& on = on_[platform];
  replay::SimgridNetworkOptions options{.lanes = {},
                                        .units_per_second = on.units_per_second,
                                        .seconds_per_unit = on.speeds.seconds_per_unit,
                                        .kernel_factors = on.speeds.kernel_factors,
                                        .memory_copy_byte_time = memory_copy_byte_time_.value_or(0)};
  for (const MachineConfiguration& one : asked) {
    options.lanes.push_back(one.scaling);
    options.lanes.back().bandwidth *= anchor_.bandwidth;
    options.lanes.back().latency *= anchor_.latency;
  }
  replay::Network network = replay::simgrid_network((*platforms_)[platform], run, on.mapping, options);
  for (std::size_t lane = 0; lane < asked.size(); ++lane)
    if (asked[lane].eager_limit) network.lanes[lane].eager_limit = *asked[lane].eager_limit;
  // As with ReplayOptions::eager_limit: it alone counts.
  if (asked.front().eager_limit) network.departs_at_once_below = replay::no_eager_limit;
  return network;
}

replay::Result PlacedMachines::replay(const trace::Source& source, std::span<const MachineConfiguration> asked,
                                      const replay::ReplayOptions& options) const {
  replay::Result all;
  std::optional<replay::ReplayProblem> problem; // the first
  bool ended = false;
  while (!asked.empty()) {
    const auto other =
        std::ranges::find_if(asked, [&](const auto& one) { return !share_a_network(asked.front(), one); });
    const auto same = asked.first(static_cast<std::size_t>(other - asked.begin()));
    asked = asked.subspan(same.size());
    const replay::Network here = network(source.run(), same);
    try {
      add_pass(all, replay::replay(source, here, options));
      ended = true;
    } catch (const replay::ReplayProblem& stuck) { // which another platform need not have
      if (!problem) problem = stuck;
      std::ranges::move(stuck_lanes(replay::lane_names(here), stuck), std::back_inserter(all.lanes));
    }
  }
  if (!ended && problem) throw replay::ReplayProblem(*problem);
  return all;
}

} // namespace timeless::tools
