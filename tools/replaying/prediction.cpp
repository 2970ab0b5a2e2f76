#include "tools/replaying/prediction.h"

#include "tools/cli/trace_input.h"
#include "tools/machines/named_networks.h"
#include "tools/machines/named_platforms.h"
#include "tools/replaying/model_words.h"
#include "tools/replaying/questions.h"

#include "base/error.h"
#include "base/files/new_file.h"
#include "replay/network/machine_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace timeless::tools {

std::vector<replay::Scaling> scalings(const PredictionOptions& options) {
  std::vector<replay::Scaling> all;
  for (const double compute : options.compute)
    for (const double bandwidth : options.bandwidth)
      for (const double latency : options.latency)
        all.push_back({.bandwidth = bandwidth, .latency = latency, .compute = compute});
  return all;
}

replay::ReplayOptions replay_options(const PredictionOptions& options, Progress& progress) {
  replay::ReplayOptions replaying = options;
  replaying.sensitivities = true;
  replaying.incast = true;
  replaying.ideal = true;
  replaying.critical_path = false; // of a replay of its own
  replaying.progress = [&progress](std::uint64_t done, std::uint64_t) { progress.update(done); };
  return replaying;
}

std::string incast_note(const replay::Result& result) {
  constexpr double worth_saying = 0.05; // of the time: less than what else the model leaves out
  if (!result.incast) return {};
  const replay::LaneResult& lane = result.lanes.front();
  if (lane.deadlock)
    return fmt::format("whether messages come faster than they could enter a rank is only looked for in the first "
                       "configuration, {}, which ends in a deadlock",
                       lane.name);
  if (result.incast->seconds < worth_saying * lane.makespan || result.incast->seconds == 0) return {};
  return fmt::format("rank {} gets messages faster than they could come in one after the other: on {} that would take "
                     "up to {} longer, {:.0f} % of the time (--ports receiver, or SMPI, counts it)",
                     result.incast->rank, lane.name, human_seconds(result.incast->seconds),
                     100 * result.incast->seconds / lane.makespan);
}

void add_lanes(replay::Result& all, replay::Result one) {
  replay::Attribution& division = all.attribution;
  if (!all.steady)
    all.steady = one.steady;
  else if (one.steady)
    all.steady->add(*one.steady);
  if (division.parts.empty()) { // as where none ended before
    division.by = one.attribution.by;
    division.calls = one.attribution.calls;
  }
  const std::size_t before = all.lanes.size();
  const std::size_t lanes = before + one.lanes.size();
  std::ranges::move(one.lanes, std::back_inserter(all.lanes));
  std::map<std::pair<trace::Rank, std::uint32_t>, std::size_t> known;
  for (std::size_t i = 0; i < division.parts.size(); ++i) {
    division.parts[i].lanes.resize(lanes);
    known.emplace(std::pair(division.parts[i].rank, division.parts[i].subject), i);
  }
  for (const replay::AttributedTimes& part : one.attribution.parts) {
    const auto [place, added] = known.emplace(std::pair(part.rank, part.subject), division.parts.size());
    if (added) {
      division.parts.push_back({.rank = part.rank, .subject = part.subject, .count = part.count, .lanes = {}});
      division.parts.back().lanes.resize(lanes);
    }
    std::ranges::copy(part.lanes,
                      std::next(division.parts[place->second].lanes.begin(), static_cast<std::ptrdiff_t>(before)));
  }
  // Also where a configuration has parts that those before it lack.
  std::ranges::sort(division.parts, {},
                    [](const replay::AttributedTimes& part) { return std::pair(part.rank, part.subject); });
}

const MachineBasis& basis_of(const Prediction& prediction, std::size_t lane) {
  const std::size_t lanes = std::max(prediction.result.lanes.size(), prediction.bases.size());
  return prediction.bases.at(lane / (lanes / prediction.bases.size()));
}

void add_notes(Prediction& prediction, const std::vector<std::string>& notes) {
  for (const std::string& note : notes)
    if (std::ranges::find(prediction.notes, note) == prediction.notes.end()) prediction.notes.push_back(note);
}

std::vector<std::filesystem::path> files_read(const PredictionOptions& asked, const trace::Source& source) {
  std::vector<std::filesystem::path> files = trace_files(asked.trace, source);
  files.insert(files.end(), asked.machine.networks.begin(), asked.machine.networks.end());
  files.insert(files.end(), {asked.machine.hostfile, asked.machine.rates, asked.machine.costs});
  for (const std::string& platform : asked.platforms)
    files.push_back(platform_file(platform));
  return files;
}

void demand_settings_apart(const PredictionOptions& options, const trace::Source& source) {
  const std::vector<std::filesystem::path> inputs = files_read(options, source);
  for (const std::string& setting : options.settings)
    demand_output_apart(setting.substr(setting.find(':') + 1), inputs);
}

Prediction predict_on_networks(const trace::Source& source, const PredictionOptions& options) {
  if (!options.settings.empty())
    throw Error(Failure::usage, "--cfg is SimGrid's, and needs --platform", {}, "leave it out");
  Prediction prediction;
  const PresetMachine machine = make_preset_machine(source.run(), options.machine);
  std::vector<replay::MachineLane> lanes;
  std::vector<replay::NetworkDescription> networks = named_networks(options.machine.networks);
  for (replay::NetworkDescription& asked : networks) {
    prediction.machine += (prediction.machine.empty() ? "" : ", ") + described(asked);
    prediction.bases.push_back({.name = asked.name,
                                .overheads = overheads_of(asked),
                                .compute = machine.compute,
                                .nodes = machine.nodes,
                                .measured_between_nodes = asked.measured_between_nodes,
                                .measured_within_node = asked.measured_within_node,
                                .file = asked.file});
    const std::uint32_t ranks =
        asked.between_nodes.node ? replay::most_ranks_of_a_node(machine.placement.node_of_rank) : 1;
    if (ranks > 1)
      add_notes(prediction,
                {fmt::format("{}: a message between nodes takes as long as if all {} ranks of its node sent "
                             "one like it at the same time (max_rate)",
                             asked.name, ranks)});
    if (options.memory_copy_rate)
      asked.memory_copy_byte_time = *options.memory_copy_rate > 0 ? 1 / *options.memory_copy_rate : 0;
    for (const replay::Scaling& scaling : scalings(options))
      lanes.push_back(replay::lane(asked, scaling));
  }
  prediction.mapping_sentence = machine.mapping_sentence;
  replay::Network network = replay::machine_network(lanes, machine.placement);
  if (options.collectives == replay::CollectiveModel::measured) network.collectives = measured_collectives(networks);
  if (!network.collectives.empty()) add_notes(prediction, {collectives_note(network.collectives)});
  replay_and_ask(prediction, source, network, options);
  add_notes(prediction, machine.notes);
  if (const std::string note = overheads_note(prediction.bases); !note.empty()) add_notes(prediction, {note});
  add_notes(prediction, prediction.result.notes);
  if (const std::string note = incast_note(prediction.result); !note.empty()) add_notes(prediction, {note});
  return prediction;
}

} // namespace timeless::tools
