#include "tools/replaying/prediction.h"

#include "tools/console.h"
#include "tools/locate.h"
#include "tools/replaying/questions.h"
#include "tools/trace_input.h"

#include "replay/platform/simgrid_network.h"
#include "replay/platform/simgrid_platform.h"
#include "replay/smpi/smpi_replay.h"
#include "trace/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace timeless::tools {

namespace {

/// The platforms that come with Timeless, by name.
std::vector<std::string> known_platforms() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(platforms_directory(), ignored))
    if (entry.path().extension() == ".xml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::filesystem::path platform_file(const std::string& name) {
  std::error_code ignored;
  // A folder of that name nearby is no platform.
  if (std::filesystem::exists(name, ignored) && !std::filesystem::is_directory(name, ignored)) return name;
  if (name.find('/') == std::string::npos) {
    for (const std::string& file : {name + ".xml", name}) {
      std::filesystem::path candidate = platforms_directory() / file;
      if (std::filesystem::is_regular_file(candidate, ignored)) return candidate;
    }
  }
  throw Error(Failure::invalid_input, "there is no such platform file", name,
              fmt::format("name a file, or one of {} (in {})", fmt::join(known_platforms(), ", "),
                          platforms_directory().string()));
}

/// "3.68 G", or "2.50 G to 3.68 G" where the ranks' hosts differ.
std::string speeds(const replay::SimgridPlatform& platform, const replay::Mapping& mapping) {
  std::vector<double> all;
  for (const std::uint32_t node : mapping.node_of_rank)
    all.push_back(platform.hosts()[node].speed);
  const auto [least, most] = std::ranges::minmax(all);
  return least == most ? human_count(least) : human_count(least) + " to " + human_count(most);
}

void say_how_fast(Prediction& prediction, const trace::Run& run, const replay::SimgridPlatform& platform,
                  const replay::Mapping& mapping, double compute_rate) {
  switch (run.counter.unit) {
  case trace::VolumeUnit::none:
    prediction.compute_sentence = "no computation was recorded: communication only";
    return;
  case trace::VolumeUnit::nanoseconds:
    if (compute_rate > 0)
      throw Error(Failure::usage, "--compute-rate needs a trace in instructions", "this one is in nanoseconds",
                  "leave it out");
    prediction.compute_sentence = "computation takes the time it took while recording";
    return;
  case trace::VolumeUnit::events:
    prediction.compute_sentence = human_count(compute_rate) + " " + run.counter.name + " per second and rank";
    return;
  case trace::VolumeUnit::instructions:
    break;
  }
  if (compute_rate > 0) {
    prediction.compute_sentence = human_count(compute_rate) + " instructions/s per rank";
    return;
  }
  prediction.compute_assumed = true;
  prediction.compute_sentence = fmt::format(
      "{} instructions/s per rank: the hosts' speed in {}, one instruction for one flop; a guess unless it was "
      "calibrated for this program: give yours with --compute-rate",
      speeds(platform, mapping), platform.file().filename().string());
}

/// What the file of rates says of a platform's hosts; nothing without a file.
ComputeSpeeds speeds_of(const trace::Run& run, const PredictionOptions& options,
                        const replay::SimgridPlatform& platform) {
  if (options.machine.rates.empty()) return {};
  std::vector<std::string> names;
  std::vector<double> otherwise;
  for (const replay::PlatformHost& host : platform.hosts()) {
    names.push_back(host.name);
    otherwise.push_back(run.counter.unit == trace::VolumeUnit::instructions ? 1 / host.speed : 0);
  }
  return compute_speeds(run, options.machine, names, otherwise);
}

void predict_with_model(Prediction& prediction, const trace::Source& source, const PredictionOptions& options,
                        const replay::SimgridPlatform& platform, const replay::Mapping& mapping,
                        const ComputeSpeeds& speeds) {
  replay::SimgridNetworkOptions network_options{.lanes = scalings(options)};
  network_options.seconds_per_unit = speeds.seconds_per_unit;
  network_options.kernel_factors = speeds.kernel_factors;
  if (options.machine.compute_rate > 0) network_options.units_per_second = options.machine.compute_rate;
  if (options.memory_copy_rate && *options.memory_copy_rate > 0)
    network_options.memory_copy_byte_time = 1 / *options.memory_copy_rate;
  replay::SimgridNetwork network(platform, source.run(), mapping, std::move(network_options));
  replay_and_ask(prediction, source, network, options);
  add_notes(prediction, platform.notes());
  add_notes(prediction, network.notes());
}

void predict_with_smpi(Prediction& prediction, const trace::Source& source, const PredictionOptions& options,
                       const replay::SimgridPlatform& platform, const replay::Mapping& mapping,
                       const ComputeSpeeds& speeds) {
  prediction.result.attributed = false;
  for (const replay::Scaling& scaling : scalings(options)) {
    Progress progress("simulating " + options.trace, total_actions(source.run()));
    replay::SmpiOptions smpi{.scaling = scaling};
    smpi.seconds_per_unit = speeds.seconds_per_unit;
    smpi.kernel_factors = speeds.kernel_factors;
    if (options.machine.compute_rate > 0) smpi.units_per_second = options.machine.compute_rate;
    smpi.progress = [&progress](std::uint64_t done, std::uint64_t) { progress.update(done); };
    replay::SmpiResult one = replay::smpi_replay(source, platform, mapping, smpi);
    prediction.result.actions = one.replay.actions;
    prediction.result.lanes.push_back(std::move(one.replay.lanes.front()));
    prediction.cpu_seconds.push_back(one.cpu_seconds);
    add_notes(prediction, one.replay.notes);
  }
}

Prediction predict_on_platform(const trace::Source& source, const PredictionOptions& options) {
  const replay::MappingRequest request = replay::parse_mapping(options.machine.mapping, options.machine.hostfile);
  const std::filesystem::path file = platform_file(options.platform);
  const replay::SimgridPlatform platform = replay::SimgridPlatform::load(file);
  const replay::Mapping mapping = replay::map_ranks(source.run(), platform.hosts(), request);
  Prediction prediction;
  prediction.machine = fmt::format("{} ({}, {} hosts)", file.stem().string(), file.string(), platform.hosts().size());
  prediction.mapping_sentence = mapping.sentence;
  for (const std::uint32_t node : mapping.node_of_rank)
    prediction.nodes.push_back(mapping.nodes[node]);
  const ComputeSpeeds speeds = speeds_of(source.run(), options, platform);
  if (options.machine.rates.empty())
    say_how_fast(prediction, source.run(), platform, mapping, options.machine.compute_rate);
  else
    prediction.compute_sentence = speeds.sentence;
  if (options.backend == Backend::smpi)
    predict_with_smpi(prediction, source, options, platform, mapping, speeds);
  else
    predict_with_model(prediction, source, options, platform, mapping, speeds);
  add_notes(prediction, mapping.notes);
  add_notes(prediction, prediction.result.notes);
  if (const std::string note = incast_note(prediction.result); !note.empty()) add_notes(prediction, {note});
  return prediction;
}

} // namespace

Prediction predict(const trace::Source& source, const PredictionOptions& options) {
  const bool networks = !options.machine.networks.empty();
  if (networks == !options.platform.empty())
    throw Error(Failure::usage, networks ? "--platform and --network exclude each other" : "no machine to replay on",
                {},
                fmt::format("give --platform FILE (or one of {}) or --network e1g,e10g,qdr (or a file)",
                            fmt::join(known_platforms(), ", ")));
  if (options.backend == Backend::smpi) {
    if (networks)
      throw Error(Failure::usage, "SMPI needs a platform file, a network's name is not enough", {},
                  "give --platform FILE");
    if (options.memory_copy_rate)
      throw Error(Failure::usage, "--memory-copy is the model's; SMPI has the platform's overheads", {},
                  "leave it out");
    if (options.eager_limit || options.handshake)
      throw Error(Failure::usage, "--eager-limit and --handshake are the model's; SMPI has the platform's", {},
                  "leave them out, or set smpi/send-is-detached-thresh in the platform file");
    if (options.completions != replay::CompletionOrder::of_arrival || options.clock != replay::StartClock::own ||
        !options.nonblocking_copy || !options.creation)
      throw Error(Failure::usage, "--copies, --completions, --communicator-creation and --clock are the model's", {},
                  "leave them out");
    if (options.collectives != replay::CollectiveModel::mpich || options.overlap != replay::Overlap::latency_first)
      throw Error(Failure::usage, "--collectives and --overlap are the model's; SMPI plays its own messages", {},
                  "leave them out, or name collectives in the platform file (smpi/coll-selector)");
    if (options.ports != replay::Ports::none)
      throw Error(Failure::usage, "--ports is the model's; SMPI shares every link", {}, "leave it out");
    if (!options.tolerance.empty() || options.critical_path || options.attribute != replay::AttributeBy::nothing)
      throw Error(Failure::usage, "--by, --tolerance and --critical-path are the model's; SMPI says when ranks end", {},
                  "leave them out, or use --backend model");
  }
  return networks ? predict_on_networks(source, options) : predict_on_platform(source, options);
}

} // namespace timeless::tools
