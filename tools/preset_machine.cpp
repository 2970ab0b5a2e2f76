#include "tools/preset_machine.h"

#include "tools/console.h"
#include "trace/error.h"

#include <fmt/format.h>

namespace timeless::tools {

void add_placement_options(CLI::App& command, PresetMachineOptions& options) {
  command.add_option("--mapping", options.mapping, "Ranks to nodes: auto, recorded, one-per-node, block:N, hostfile");
  command.add_option("--hostfile", options.hostfile, "A host a line, with 'slots=N': ranks in this order");
  command
      .add_option("--compute-rate", options.compute_rate,
                  "Instructions per second of one rank on the machine to predict")
      ->check(CLI::PositiveNumber)
      ->default_str(fmt::format("{:g}, an assumption", assumed_instruction_rate));
}

PresetMachine make_preset_machine(const trace::Run& run, const PresetMachineOptions& options) {
  PresetMachine machine;
  const replay::Mapping mapping = replay::map_ranks(run, {}, replay::parse_mapping(options.mapping, options.hostfile));
  machine.placement.node_of_rank = mapping.node_of_rank;
  machine.mapping_sentence = mapping.sentence;
  machine.notes = mapping.notes;
  switch (run.counter.unit) {
  case trace::VolumeUnit::none:
    machine.placement.seconds_per_unit = {0};
    machine.compute_sentence = "no computation was recorded: communication only";
    break;
  case trace::VolumeUnit::nanoseconds:
    if (options.compute_rate > 0)
      throw Error(Failure::usage, "--compute-rate needs a trace in instructions", "this one is in nanoseconds",
                  "leave it out");
    machine.placement.seconds_per_unit = {1e-9};
    machine.compute_sentence = "computation takes the time it took while recording";
    break;
  case trace::VolumeUnit::events:
    if (options.compute_rate <= 0)
      throw Error(Failure::usage, "the trace counts " + run.counter.name + ", not instructions", "",
                  "say with --compute-rate how many of these a rank does in a second");
    machine.placement.seconds_per_unit = {1 / options.compute_rate};
    machine.compute_sentence =
        fmt::format("{} {} per second and rank", human_count(options.compute_rate), run.counter.name);
    break;
  case trace::VolumeUnit::instructions: {
    machine.compute_assumed = options.compute_rate <= 0;
    const double rate = machine.compute_assumed ? assumed_instruction_rate : options.compute_rate;
    machine.placement.seconds_per_unit = {1 / rate};
    machine.compute_sentence = fmt::format("{} instructions/s per rank{}", human_count(rate),
                                           machine.compute_assumed ? ", ASSUMED: give yours with --compute-rate" : "");
    break;
  }
  }
  return machine;
}

} // namespace timeless::tools
