#include "tools/replaying/on_platform.h"

#include "tools/console.h"
#include "tools/locate.h"
#include "tools/replaying/questions.h"

#include "replay/platform/simgrid_network.h"
#include "trace/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace timeless::tools {

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

namespace {

/// "3.68 G", or "2.50 G to 3.68 G" where the ranks' hosts differ.
std::string speeds(const replay::Platform& platform, const replay::Mapping& mapping) {
  std::vector<double> all;
  for (const std::uint32_t node : mapping.node_of_rank)
    all.push_back(platform.hosts()[node].speed);
  const auto [least, most] = std::ranges::minmax(all);
  return least == most ? human_count(least) : human_count(least) + " to " + human_count(most);
}

void say_how_fast(Prediction& prediction, const trace::Run& run, const replay::Platform& platform,
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
ComputeSpeeds speeds_of(const trace::Run& run, const PredictionOptions& options, const replay::Platform& platform) {
  if (options.machine.rates.empty()) return {};
  std::vector<std::string> names;
  std::vector<double> otherwise;
  for (const replay::PlatformHost& host : platform.hosts()) {
    names.push_back(host.name);
    otherwise.push_back(run.counter.unit == trace::VolumeUnit::instructions ? 1 / host.speed : 0);
  }
  return compute_speeds(run, options.machine, names, otherwise);
}

} // namespace

void require_machine(const PredictionOptions& options) {
  const bool networks = !options.machine.networks.empty();
  if (networks == !options.platform.empty())
    throw Error(Failure::usage, networks ? "--platform and --network exclude each other" : "no machine to replay on",
                {},
                fmt::format("give --platform FILE (or one of {}) or --network e1g,e10g,qdr (or a file)",
                            fmt::join(known_platforms(), ", ")));
}

OnPlatform place_on_platform(const trace::Source& source, const PredictionOptions& options,
                             const replay::Platform& platform) {
  const replay::MappingRequest request = replay::parse_mapping(options.machine.mapping, options.machine.hostfile);
  OnPlatform on{.prediction = {}, .mapping = replay::map_ranks(source.run(), platform.hosts(), request), .speeds = {}};
  const std::filesystem::path& file = platform.file();
  on.prediction.machine =
      fmt::format("{} ({}, {} hosts)", file.stem().string(), file.string(), platform.hosts().size());
  on.prediction.mapping_sentence = on.mapping.sentence;
  for (const std::uint32_t node : on.mapping.node_of_rank)
    on.prediction.nodes.push_back(on.mapping.nodes[node]);
  on.speeds = speeds_of(source.run(), options, platform);
  if (options.machine.rates.empty())
    say_how_fast(on.prediction, source.run(), platform, on.mapping, options.machine.compute_rate);
  else
    on.prediction.compute_sentence = on.speeds.sentence;
  return on;
}

replay::SimgridNetworkOptions network_options(const OnPlatform& on, const PredictionOptions& options) {
  replay::SimgridNetworkOptions network{.lanes = scalings(options)};
  network.seconds_per_unit = on.speeds.seconds_per_unit;
  network.kernel_factors = on.speeds.kernel_factors;
  if (options.machine.compute_rate > 0) network.units_per_second = options.machine.compute_rate;
  if (options.memory_copy_rate && *options.memory_copy_rate > 0)
    network.memory_copy_byte_time = 1 / *options.memory_copy_rate;
  return network;
}

void predict_with_model(OnPlatform& on, const trace::Source& source, const PredictionOptions& options,
                        const replay::Platform& platform) {
  replay::SimgridNetwork network(platform, source.run(), on.mapping, network_options(on, options));
  replay_and_ask(on.prediction, source, network, options);
  add_notes(on.prediction, platform.notes());
  add_notes(on.prediction, options.notes_of_all(network.notes()));
}

Prediction concluded(OnPlatform on) {
  Prediction& prediction = on.prediction;
  add_notes(prediction, on.mapping.notes);
  add_notes(prediction, prediction.result.notes);
  if (const std::string note = incast_note(prediction.result); !note.empty()) add_notes(prediction, {note});
  return std::move(prediction);
}

} // namespace timeless::tools
