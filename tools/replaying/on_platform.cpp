#include "tools/replaying/on_platform.h"

#include "tools/cli/console.h"
#include "tools/machines/named_networks.h"
#include "tools/machines/platform_head.h"
#include "tools/replaying/questions.h"

#include "base/error.h"
#include "replay/simgrid/simgrid_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace timeless::tools {

namespace {

/// What a file of rates or costs says of a platform's hosts; nothing without a file.
ComputeSpeeds speeds_of(const trace::Run& run, const PredictionOptions& options, const replay::Platform& platform,
                        const replay::Mapping& mapping, const std::optional<OwnRate>& common) {
  if (!options.machine.speeds_from_file()) return {};
  std::vector<double> otherwise;
  for (const replay::PlatformHost& host : platform.hosts()) {
    otherwise.push_back(run.counter.unit == trace::VolumeUnit::instructions ? 1 / (common ? common->least : host.speed)
                                                                            : 0);
  }
  return compute_speeds(run, options.machine, mapping, otherwise);
}

} // namespace

void require_machine(const PredictionOptions& options) {
  const bool networks = !options.machine.networks.empty();
  if (networks == !options.platforms.empty())
    throw Error(Failure::usage, networks ? "--platform and --network exclude each other" : "no machine to replay on",
                {},
                fmt::format("give --platform FILE (or one of {}) or --network NAME (one of {}, or a file)",
                            fmt::join(known_platforms(), ", "), fmt::join(known_networks(), ", ")));
}

OnPlatform place_on_platform(const trace::Run& run, const PredictionOptions& options, const replay::Platform& platform,
                             const std::optional<OwnRate>& common) {
  const replay::MappingRequest request = replay::parse_mapping(options.machine.mapping, options.machine.hostfile);
  OnPlatform on{.prediction = {}, .mapping = replay::map_ranks(run, platform.hosts(), request), .speeds = {}};
  const std::filesystem::path& file = platform.file();
  on.prediction.machine = fmt::format("{} ({}, {} host{})", file.stem().string(), file.string(),
                                      platform.hosts().size(), platform.hosts().size() == 1 ? "" : "s");
  on.prediction.mapping_sentence = on.mapping.sentence;
  MachineBasis& basis = on.prediction.bases.emplace_back();
  basis.name = file.stem().string();
  basis.overheads = overheads_of(platform);
  const platforms::Head head = platforms::head_of(file);
  basis.measured_between_nodes = head.largest_between_nodes;
  basis.measured_within_node = head.largest_within_node;
  basis.file = file;
  for (const std::uint32_t node : on.mapping.node_of_rank)
    basis.nodes.push_back(on.mapping.nodes[node]);
  const double given = options.machine.compute_rate;
  const trace::Counter& counter = run.counter;
  on.speeds = speeds_of(run, options, platform, on.mapping, common);
  basis.compute = options.machine.speeds_from_file()
                      ? on.speeds.basis(on.mapping.node_of_rank)
                      : compute_basis(counter, given, common.value_or(rate_of(platform, on.mapping)));
  if (given > 0)
    on.units_per_second = given;
  else if (common && counter.unit == trace::VolumeUnit::instructions)
    on.units_per_second = common->least;
  return on;
}

replay::SimgridNetworkOptions network_options(const OnPlatform& on, const PredictionOptions& options) {
  replay::SimgridNetworkOptions network{.lanes = scalings(options)};
  network.seconds_per_unit = on.speeds.seconds_per_unit;
  network.kernel_factors = on.speeds.kernel_factors;
  network.units_per_second = on.units_per_second;
  if (options.memory_copy_rate && *options.memory_copy_rate > 0)
    network.memory_copy_byte_time = 1 / *options.memory_copy_rate;
  return network;
}

void predict_with_model(OnPlatform& on, const trace::Source& source, const PredictionOptions& options,
                        const replay::Platform& platform) {
  const replay::Network network =
      replay::simgrid_network(platform, source.run(), on.mapping, network_options(on, options));
  replay_and_ask(on.prediction, source, network, options);
  add_notes(on.prediction, platform.notes());
  if (!options.tolerance.empty()) add_notes(on.prediction, {platform_costs_note});
}

Prediction concluded(OnPlatform on) {
  Prediction& prediction = on.prediction;
  add_notes(prediction, on.mapping.notes);
  add_notes(prediction, prediction.result.notes);
  if (const std::string note = incast_note(prediction.result); !note.empty()) add_notes(prediction, {note});
  return std::move(prediction);
}

} // namespace timeless::tools
