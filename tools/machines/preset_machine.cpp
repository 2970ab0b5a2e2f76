#include "tools/machines/preset_machine.h"

#include "tools/cli/console.h"
#include "tools/cli/offered_words.h"
#include "tools/cli/option_checks.h"
#include "tools/machines/machine_list.h"
#include "tools/machines/named_networks.h"
#include "tools/machines/named_platforms.h"

#include "base/error.h"
#include "replay/network/compute_costs.h"
#include "replay/network/compute_rates.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace timeless::tools {

void add_platform_option(CLI::App& command, std::vector<std::string>& platforms, const std::string& names) {
  command
      .add_option(names, platforms,
                  "SimGrid platforms: files, or names of those that come with Timeless (timeless platform list)")
      ->type_name("TEXT")
      ->allow_extra_args(false)
      ->default_str("");
  offer_words(*command.get_option("--platform"), known_platforms(), AlsoAccepts::files_in_lists);
}

void add_network_option(CLI::App& command, PresetMachineOptions& options, const std::string& description) {
  CLI::Option* const network = command.add_option("--network", options.networks, description)
                                   ->type_name("TEXT")
                                   ->allow_extra_args(false)
                                   ->each([&options](const std::string&) { options.networks_named = true; })
                                   ->default_str(fmt::format("{}", fmt::join(options.networks, ",")));
  offer_words(*network, known_networks(), AlsoAccepts::files_in_lists);
}

void add_where_option(CLI::App& command, PresetMachineOptions& options) {
  command
      .add_option("--where", options.where, "A network by its bandwidth and latency, as 10Gb/s,5us; may be repeated")
      ->type_name("BANDWIDTH,LATENCY")
      ->allow_extra_args(false)
      ->transform(CLI::Validator(
          [](std::string& text) {
            std::string dense = text;
            std::erase_if(dense, [](char c) { return c == ' ' || c == '\t'; });
            if (!is_pair_of_figures(dense))
              return fmt::format("'{}' is no bandwidth and latency: write 10Gb/s,5us", text);
            text = dense;
            return std::string();
          },
          ""))
      ->default_str("");
}

void take_machines(PresetMachineOptions& options, std::vector<std::string>& platforms) {
  if (!options.networks_named && (!options.where.empty() || !platforms.empty())) options.networks.clear();
  options.networks = names_in_lists(options.networks, known_networks());
  options.networks.insert(options.networks.end(), options.where.begin(), options.where.end());
  options.where.clear();
  platforms = names_in_lists(platforms, known_platforms());
  for (std::vector<std::string>* names : {&options.networks, &platforms}) {
    std::vector<std::string> once;
    for (const std::string& name : *names) {
      if (std::ranges::find(once, name) == once.end())
        once.push_back(name);
      else
        print_warning(fmt::format("{} is named twice, and counts once", name));
    }
    *names = std::move(once);
  }
}

void add_placement_options(CLI::App& command, PresetMachineOptions& options) {
  offer_words(*command.add_option("--mapping", options.mapping,
                                  fmt::format("Ranks to nodes: {}", fmt::join(replay::mapping_words(), ", "))),
              replay::mapping_words());
  command.add_option("--hostfile", options.hostfile, "A host a line, with 'slots=N': ranks in this order");
  command
      .add_option("--compute-rate", options.compute_rate,
                  "Instructions per second of one rank on the machine to predict")
      ->transform(rate_per_second())
      ->default_str(fmt::format("{:g}, an assumption", assumed_instruction_rate));
  command
      .add_option("--rates", options.rates,
                  "A file with the rates of hosts and kernels (JSON), by hand or by timeless calibrate compute")
      ->default_str("");
  command
      .add_option(
          "--noise", options.noise,
          "With measured rates, draw the time of each visit to a kernel from those measured; the same seed gives "
          "the same times")
      ->check(any_count())
      ->type_name("SEED");
  command
      .add_option(
          "--machine", options.costs,
          "A machine as timeless calibrate machine measured it: the kernels' speeds follow from what they do (a "
          "trace recorded with --profile memory); with measured --rates, those are rescaled to the trace's working "
          "sets")
      ->type_name("FILE")
      ->default_str("");
}

void add_worth_options(CLI::App& command, double& worth, PresetMachineOptions& options) {
  command.add_option("--worth", worth, "The least saving that is worth having, such as 5%")
      ->transform(saving_share().description(""))
      ->type_name("SHARE")
      ->default_str("5%");
  command
      .add_option("--rate-within", options.rate_within,
                  "Where the program's kernels were not measured, answers are for all rates from the one taken over "
                  "this factor to this factor times it")
      ->check(number_between(1, 1000))
      ->type_name("FACTOR");
}

namespace {

const char* units(const trace::Run& run) {
  return run.counter.unit == trace::VolumeUnit::instructions ? "instructions" : run.counter.name.c_str();
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

ComputeSpeeds machine_speeds(const trace::Run& run, const PresetMachineOptions& options,
                             const replay::Mapping& mapping) {
  const replay::MachineCosts machine = replay::read_machine(options.costs);
  const std::uint32_t ranks = replay::most_ranks_of_a_node(mapping.node_of_rank);
  replay::ComputedSpeeds computed = replay::computed_speeds(machine, run, ranks);
  ComputeSpeeds speeds;
  speeds.from = "--machine";
  speeds.seconds_per_unit.assign(mapping.nodes.size(), 1 / computed.units_per_second);
  speeds.kernel_factors = std::move(computed.kernel_factors);
  speeds.sentence = fmt::format("{}{}: {} instructions/s, from what each kernel does, with {} on a node", options.costs,
                                machine.source.empty() ? "" : " (" + machine.source + ")",
                                human_count(computed.units_per_second), counted(ranks, "rank"));
  return speeds;
}

} // namespace

void require_one_speed(const PresetMachineOptions& options, const replay::ComputeRates& rates) {
  if (!options.costs.empty() && rates.instances.empty() && (options.compute_rate > 0 || !options.rates.empty()))
    throw Error(Failure::usage, "--machine and rates of computation contradict each other", options.costs,
                "give --machine with rates that timeless calibrate compute measured, or one of --machine, --rates and "
                "--compute-rate");
  if (rates.units_per_second && options.compute_rate > 0)
    throw Error(Failure::usage, "--compute-rate and the file's units_per_second contradict each other", options.rates,
                "give one of them");
}

ComputeSpeeds compute_speeds(const trace::Run& run, const PresetMachineOptions& options, const replay::Mapping& mapping,
                             const std::vector<double>& otherwise) {
  if (!options.costs.empty() && !options.calibrated) {
    require_one_speed(options, {});
    return machine_speeds(run, options, mapping);
  }
  const bool counts_work =
      run.counter.unit == trace::VolumeUnit::instructions || run.counter.unit == trace::VolumeUnit::events;
  if (!counts_work)
    throw Error(Failure::usage, "--rates needs a trace in instructions or other events",
                fmt::format("this one's unit is {}", name(run.counter.unit)), "leave it out");
  replay::ComputeRates rates = replay::read_rates(options.rates);
  require_one_speed(options, rates);
  if (options.compute_rate > 0) rates.units_per_second = options.compute_rate;
  ComputeSpeeds speeds;
  speeds.kernel_factors = replay::kernel_factors(rates, run);
  speeds.seconds_per_unit = replay::seconds_per_unit(rates, mapping.nodes, otherwise);
  speeds.from = "--rates";
  speeds.unit = units(run);
  speeds.sentence = fmt::format("rates of {}", options.rates);
  if (rates.units_per_second)
    speeds.sentence += fmt::format(": {} {}/s", human_count(*rates.units_per_second), speeds.unit);
  if (options.calibrated) {
    speeds.sentence = options.calibrated->sentence;
    speeds.calibrated = true;
    speeds.assumed = options.calibrated->borrowed >= 1;
    if (rates.hosts.empty()) speeds.mean_rate = options.calibrated->mean_rate;
  } else if (!options.whole_rate_of.empty()) {
    speeds.sentence =
        fmt::format("calibrated: one rate for everything, {} {}/s; {} ({})", human_count(*rates.units_per_second),
                    speeds.unit, options.rates, options.whole_rate_of);
    speeds.calibrated = true;
  }
  if (!rates.hosts.empty()) speeds.sentence += ", " + counted(rates.hosts.size(), "host") + " of their own";
  if (!rates.kernels.empty()) speeds.sentence += ", " + counted(rates.kernels.size(), "kernel") + " of their own";
  return speeds;
}

ComputeBasis ComputeSpeeds::basis(std::span<const std::uint32_t> node_of_rank) const {
  ComputeBasis basis{.sentence = sentence, .assumed = assumed, .from = calibrated ? "calibration" : from, .unit = unit};
  if (mean_rate > 0) {
    basis.least = basis.most = mean_rate;
    return basis;
  }
  for (const std::uint32_t node : node_of_rank) {
    const double rate = 1 / seconds_per_unit.at(node);
    basis.least = basis.least > 0 ? std::min(basis.least, rate) : rate;
    basis.most = std::max(basis.most, rate);
  }
  return basis;
}

PresetMachine make_preset_machine(const trace::Run& run, const PresetMachineOptions& options) {
  PresetMachine machine;
  const replay::Mapping mapping = replay::map_ranks(run, {}, replay::parse_mapping(options.mapping, options.hostfile));
  machine.placement.node_of_rank = mapping.node_of_rank;
  for (const std::uint32_t node : mapping.node_of_rank)
    machine.nodes.push_back(mapping.nodes.at(node));
  machine.mapping_sentence = mapping.sentence;
  machine.notes = mapping.notes;
  if (options.speeds_from_file()) {
    const ComputeSpeeds speeds = compute_speeds(run, options, mapping, {});
    for (const std::uint32_t node : mapping.node_of_rank)
      machine.placement.seconds_per_unit.push_back(speeds.seconds_per_unit.at(node));
    machine.placement.kernel_factors = speeds.kernel_factors;
    machine.compute = speeds.basis(mapping.node_of_rank);
    return machine;
  }
  machine.compute = compute_basis(run.counter, options.compute_rate, {});
  const bool timed = run.counter.unit == trace::VolumeUnit::nanoseconds;
  machine.placement.seconds_per_unit = {timed ? 1e-9 : machine.compute.least > 0 ? 1 / machine.compute.least : 0};
  return machine;
}

} // namespace timeless::tools
