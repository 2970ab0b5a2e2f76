#include "tools/cli/option_groups.h"
#include "tools/verbs/calibrate.h"

#include "analysis/trace/message_sizes.h"
#include "base/files/new_file.h"
#include "tools/calibrating/network_text.h"
#include "tools/calibrating/ping_launches.h"
#include "tools/calibrating/platform_text.h"
#include "tools/calibrating/raw_file.h"
#include "tools/cli/offered_words.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/trace_input.h"
#include "tools/cli/words_usage.h"
#include "tools/platforms/writing.h"
#include "tools/render/answer.h"
#include "tools/render/calibration/network.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

struct NetworkOptions {
  std::vector<std::string> outputs;
  std::string from;
  std::string raw;
  std::string for_trace;
  PingLaunches launches;
  Nodes nodes;
  std::string name;
  std::string model = "loggp";
  std::vector<const CLI::Option*> of_launches; ///< what is of no use with `from`
  bool force = false;
  bool json = false;
};

Existing existing(const NetworkOptions& options) {
  return options.force ? Existing::replace : Existing::refuse;
}

bool is_platform(const std::filesystem::path& output) {
  return output.extension() == ".xml";
}

/// Before anything is measured.
void demand_outputs(const NetworkOptions& options) {
  if (options.outputs.empty())
    throw Error(Failure::usage, "no output is named", "",
                "give -o mine.json for a network file, -o mine.xml for a platform file, or both");
  for (const std::string& output : options.outputs) {
    if (!is_platform(output) && std::filesystem::path(output).extension() != ".json")
      throw Error(Failure::usage, "what to write is told by the name's end: .json or .xml", output);
    demand_free_output(output, existing(options));
  }
}

/// Returns where measurements are kept: beside the first result unless told.
std::string raw_file(const NetworkOptions& options) {
  if (!options.from.empty()) return options.from;
  if (!options.raw.empty()) return options.raw;
  return std::filesystem::path(options.outputs.front()).replace_extension(".csv").string();
}

/// Returns the largest message of a trace, and those that are typical of it.
void measure_for(const std::string& trace, ping::PlanOptions& plan) {
  constexpr std::uint64_t least = std::uint64_t{1} << 16U;
  constexpr std::uint64_t most = std::uint64_t{1} << 30U;
  constexpr std::size_t typical = 8;
  const auto source = open_trace(trace, {});
  const std::uint64_t largest = analysis::largest_message(*source);
  plan.most_bytes = std::clamp(largest, least, most);
  plan.sizes = analysis::typical_sizes(*source, typical);
  if (largest > 0 && std::ranges::find(plan.sizes, largest) == plan.sizes.end()) plan.sizes.push_back(largest);
}

/// Returns what the time did not suffice for, a sentence; else nothing.
std::string run_launches(NetworkOptions& options) {
  PingLaunches& launches = options.launches;
  if (launches.launcher.empty())
    throw Error(
        Failure::usage, "nothing says how to start processes", "",
        "end with -- and a launcher, as in -- mpirun --host a,b -np 2; or fit measurements with --from raw.csv");
  if (!options.for_trace.empty()) measure_for(options.for_trace, launches.plan);
  launches.raw = raw_file(options);
  launches.force = options.force;
  return measure(launches);
}

const std::map<std::string, LinkModel>& link_models() {
  static const std::map<std::string, LinkModel> models{
      {"loggp", LinkModel::loggp}, {"table", LinkModel::table}, {"hockney", LinkModel::hockney}};
  return models;
}

void demand_no_launches(const NetworkOptions& options) {
  if (!options.launches.launcher.empty())
    throw Error(Failure::usage, "with --from nothing is started", "", "leave out the launcher");
  for (const CLI::Option* option : options.of_launches)
    if (option->count() > 0)
      throw Error(Failure::usage, "with --from nothing is measured", option->get_name(), "leave out one of the two");
}

/// All of them or, where one fails, none.
std::vector<std::string> write_outputs(const NetworkOptions& options, const analysis::NetworkFit& fit,
                                       const FileWords& words) {
  std::vector<std::string> written;
  try {
    for (const std::string& output : options.outputs) {
      if (is_platform(output))
        platforms::write_text(output, platform_text(fit, options.nodes), options.force);
      else
        write_file(output, network_text(fit, words), existing(options));
      written.push_back(output);
    }
  } catch (...) {
    std::error_code ignored;
    for (const std::string& output : written)
      std::filesystem::remove(output, ignored);
    throw;
  }
  return written;
}

int network(NetworkOptions& options) {
  demand_outputs(options);
  const std::string raw = raw_file(options);
  const std::filesystem::path inputs[] = {raw};
  for (const std::string& output : options.outputs)
    demand_output_apart(output, inputs);
  std::string cut;
  if (options.from.empty())
    cut = run_launches(options);
  else
    demand_no_launches(options);
  analysis::NetworkFit fit;
  const auto fit_all = [&] { fit = analysis::fit_network(read_raw_file(raw), raw); };
  if (options.from.empty())
    fit_measured(raw, fit_all);
  else
    fit_all();
  NetworkAnswer answer{.fit = std::move(fit),
                       .raw = raw,
                       .files = {},
                       .cut = std::move(cut),
                       .words = {.name = options.name, .model = link_models().at(options.model)}};
  write_results(raw, [&] { answer.files = write_outputs(options, answer.fit, answer.words); });
  print_answer("calibrate-network", 1, answer, options.json);
  return 0;
}

void add_measuring_options(CLI::App& command, NetworkOptions& options) {
  begin_group(command, "Measuring");
  auto* budget = command
                     .add_option("--budget", options.launches.budget,
                                 "How long to measure, in all launches and with their starts: seconds, or as 90s, 2min")
                     ->transform(time_with_unit())
                     ->check(budget_seconds());
  auto* count = command.add_option("--launches", options.launches.count, "How often to start the launcher")
                    ->check(count_between(1, 1000));
  auto* bytes =
      command
          .add_option("--max-bytes", options.launches.plan.most_bytes, "The largest message: bytes, or as 64KiB, 16MiB")
          ->transform(size_in_bytes(true));
  auto* trace =
      command
          .add_option(
              "--for", options.for_trace,
              "The largest message is this trace's (64 KiB to 1 GiB), and one in four has a size that is typical of it")
          ->type_name("TRACE")
          ->excludes(bytes)
          ->always_capture_default(false);
  auto* seed =
      command
          .add_option("--seed", options.launches.plan.seed, "Of the messages' sizes and of the order of experiments")
          ->check(any_count());
  options.of_launches.insert(options.of_launches.end(), {budget, count, bytes, trace, seed});
}

void add_model_options(CLI::App& command, NetworkOptions& options) {
  begin_group(command, "Model");
  command.add_option("--name", options.name, "What the network is called; the file's name unless given")
      ->type_name("NAME")
      ->always_capture_default(false);
  command
      .add_option("--model", options.model,
                  "What messages are described by in the network file: loggp (overheads, latency, bytes), table (half "
                  "round trips) or hockney (one line through them)")
      ->check(CLI::IsMember(link_models()).description(""))
      ->type_name("MODEL");
  std::vector<std::string> models;
  for (const auto& [word, model] : link_models())
    models.push_back(word);
  offer_words(*command.get_option("--model"), models);
  command
      .add_option("--nodes", options.nodes.nodes, "Nodes of the platform file; as many as were measured unless given")
      ->check(count_between(1, 100'000))
      ->always_capture_default(false);
  command
      .add_option("--cores", options.nodes.cores,
                  "Cores of each of its nodes; as many as processes were on one node unless given")
      ->check(count_between(1, 100'000))
      ->always_capture_default(false);
}

} // namespace

VerbAction add_calibrate_network(CLI::App& command) {
  auto options = std::make_shared<NetworkOptions>();
  PingLaunches& launches = options->launches;
  launches.plan.most_bytes = std::uint64_t{1} << 24U;
  const auto text = [&](const char* name, std::string& value, const char* type, const char* what) {
    return command.add_option(name, value, what)->type_name(type)->always_capture_default(false);
  };
  begin_group(command, "Output");
  command
      .add_option("-o,--output", options->outputs,
                  "The file to write: .json, a network file, or .xml, a platform file; may be given again")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->default_str("")
      ->always_capture_default(false);
  options->of_launches.push_back(text("--raw", options->raw, "FILE",
                                      "Where measurements are kept; beside the first result, as .csv, unless given"));
  text("--from", options->from, "RAW", "Fit these measurements; nothing is started");
  add_measuring_options(command, *options);
  add_model_options(command, *options);
  begin_group(command, "Output");
  command.add_flag("--force", options->force, "Replace existing files, that of the measurements too");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.calibrate-network/1)");
  add_command_words(command, "launcher", launches.launcher,
                    "What starts processes where programs will run: mpirun and its options", "[-- launcher...]")
      ->default_str("");
  command.footer("Examples: timeless calibrate network -o mine.xml -o mine.json -- mpirun --host a,b -np 2\n"
                 "          timeless calibrate network --from mine.csv -o mine.json");
  return [options] { return network(*options); };
}

} // namespace timeless::tools
