#include "tools/planning/plan.h"
#include "base/files/new_file.h"
#include "tools/cli/console.h"
#include "tools/cli/locate.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/words_usage.h"
#include "tools/planning/rank_memory.h"
#include "tools/verbs/verbs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

namespace fs = std::filesystem;

struct PlanOptions {
  std::uint32_t ranks = 0;
  std::string hosts;
  std::string mode;
  std::uint32_t folding = 0;
  std::string memory;
  std::string trace;
  bool measure = false;
  std::uint32_t measured_ranks = 2;
  std::uint32_t measure_for = 60;
  std::string reserve = "10%";
  std::string ask;
  std::string counter;
  std::string output;
  bool force = false;
  bool json = false;
  std::vector<std::string> program;
};

RankMemory memory_of_a_rank(const PlanOptions& options) {
  const int ways = static_cast<int>(!options.memory.empty()) + static_cast<int>(!options.trace.empty()) +
                   static_cast<int>(options.measure);
  if (ways != 1)
    throw Error(Failure::usage,
                ways == 0 ? "nothing says how much memory a rank takes" : "the memory of a rank is said more than once",
                "", "give one of --memory-per-rank SIZE, --trace TRACE and --measure -- PROGRAM");
  if (!options.trace.empty()) return recorded_memory(options.trace, options.ranks);
  if (options.measure) {
    if (options.program.empty())
      throw Error(Failure::usage, "there is no program to measure", "", "put it last: --measure -- PROGRAM ARGUMENTS");
    return measured_memory({.program = options.program,
                            .counter = options.counter.empty() ? "auto" : options.counter,
                            .ranks = options.measured_ranks,
                            .limit = std::chrono::seconds(options.measure_for)});
  }
  const auto bytes = parse_size(options.memory);
  if (!bytes)
    throw Error(Failure::usage, "'" + options.memory + "' is no size of a memory", "--memory-per-rank",
                "write 512M, 1.5G, ...");
  return {.bytes = *bytes, .source = "given", .notes = {}};
}

PlanRequest request_of(const PlanOptions& options, std::uint64_t memory_per_rank) {
  PlanRequest request{
      .ranks = options.ranks, .memory_per_rank = memory_per_rank, .mode = {}, .folding = {}, .reserve = {}};
  if (!options.mode.empty()) {
    request.mode = parse_mode(options.mode);
    if (!request.mode)
      throw Error(Failure::usage, "there is no mode '" + options.mode + "'", "--mode",
                  "R regular, F folded, C composite or CF composite and folded");
  }
  if (options.folding != 0) request.folding = options.folding;
  const auto reserve = parse_reserve(options.reserve);
  if (!reserve)
    throw Error(Failure::usage, "'" + options.reserve + "' is no share and no size of a memory", "--reserve",
                "write 10%, 4G, ... or 0");
  request.reserve = *reserve;
  return request;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

/// A word as a shell takes it for one.
std::string in_quotes(const std::string& word) {
  const bool plain =
      !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                              "_-+=./:,@%") == std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

struct Commands {
  std::string record;
  std::string gather;
};

Commands commands(const PlanOptions& options, const Plan& plan) {
  const std::string hostfile = options.output.empty() ? "HOSTFILE" : in_quotes(options.output);
  std::string record = "timeless record -o recording";
  if (!options.counter.empty()) record += " --counter " + in_quotes(options.counter);
  record += fmt::format(" -- mpirun -np {} --hostfile {} --map-by slot", options.ranks, hostfile);
  // The slots are the ranks: Open MPI does not see that they share cores, and would bind and spin.
  if (is_folded(plan.mode)) record += " --bind-to none --mca mpi_yield_when_idle 1";
  if (options.program.empty()) record += " PROGRAM";
  for (const std::string& word : options.program)
    record += " " + in_quotes(word);
  // A bare name would be looked for in the PATH of each host's remote shell.
  const std::string gatherer = fs::exists(mpi_command()) ? in_quotes(mpi_command().string()) : "timeless-mpi";
  return {.record = record,
          .gather = fmt::format("mpirun --hostfile {} --map-by ppr:1:node {} gather recording -o recording.tia",
                                hostfile, gatherer)};
}

void write_hostfile(const PlanOptions& options, const std::string& text) {
  if (options.output.empty()) return;
  demand_output_apart(options.output, std::array<fs::path, 2>{options.hosts, options.trace});
  write_file(options.output, text, options.force ? Existing::replace : Existing::refuse);
}

std::string ratio_text(double ratio) {
  return fmt::format("{:.3g}", ratio);
}

struct PlanAnswer {
  const PlanOptions& options;
  const PlanRequest& request;
  const RankMemory& memory;
  const Plan& plan;
  std::string hostfile;
};

std::size_t clusters(const Plan& plan) {
  std::vector<std::string> names;
  for (const PlannedNode& node : plan.nodes)
    if (std::ranges::find(names, node.node.cluster) == names.end()) names.push_back(node.node.cluster);
  return names.size();
}

std::string slowdown_text(const Plan& plan) {
  if (plan.slowdown() <= 1) return "none expected: every rank has a core";
  return fmt::format("about {} times as long as with a core for each rank: time grows with the ranks that share one",
                     ratio_text(plan.slowdown()));
}

constexpr const char* between_clusters = "what the network between the clusters costs while recording comes on top";

void print_hostfile(const std::string& text) {
  print_line("{:<15}-o FILE writes it:", "hostfile");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    print_line("{}", line);
  fmt::print("\n");
}

void print_text(const PlanAnswer& answer) {
  const Plan& plan = answer.plan;
  print_line("{:<15}{}, {}", "mode", short_name(plan.mode), name(plan.mode));
  for (const std::string& reason : plan.reasons)
    print_line("{:<15}{}", "", reason);
  print_line("{:<15}{} of {} each, {}", "ranks", answer.request.ranks,
             human_bytes(static_cast<double>(answer.memory.bytes)), answer.memory.source);
  for (const std::string& note : answer.memory.notes)
    print_line("{:<15}{}", "NOTE", note);
  print_line("{:<15}{} in {} cluster{}; {} of memory kept free on each", "hosts", plan.nodes.size(), clusters(plan),
             clusters(plan) == 1 ? "" : "s", answer.options.reserve);
  print_line("{:<15}{}", "slowdown", slowdown_text(plan));
  if (is_composite(plan.mode)) print_line("{:<15}{}", "", between_clusters);
  Table table({"host", "cluster", "cores", "ranks", "ranks a core", "memory", "used", "room for"});
  for (const PlannedNode& node : plan.nodes)
    table.add({node.node.name, node.node.cluster.empty() ? "-" : node.node.cluster, std::to_string(node.node.cores),
               std::to_string(node.ranks), ratio_text(node.folding()),
               human_bytes(static_cast<double>(node.node.memory)),
               human_bytes(static_cast<double>(node.ranks * answer.memory.bytes)),
               fmt::format("{} ranks", node.most_by_memory)});
  fmt::print("\n{}\n", table.text());
  if (answer.options.output.empty())
    print_hostfile(answer.hostfile);
  else
    print_line("{:<15}{}", "hostfile", answer.options.output);
  const Commands next = commands(answer.options, plan);
  print_line("{:<15}{}", "record", next.record);
  print_line("{:<15}{}", "then gather", next.gather);
}

nlohmann::ordered_json json_of(const PlanAnswer& answer) {
  const Plan& plan = answer.plan;
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const PlannedNode& node : plan.nodes)
    nodes.push_back({{"host", node.node.name},
                     {"cluster", node.node.cluster},
                     {"cores", node.node.cores},
                     {"memory", node.node.memory},
                     {"ranks", node.ranks},
                     {"ranks_per_core", node.folding()},
                     {"memory_used", node.ranks * answer.memory.bytes},
                     {"room_for_ranks", node.most_by_memory}});
  const Commands next = commands(answer.options, plan);
  return {{"mode", short_name(plan.mode)},
          {"reasons", plan.reasons},
          {"ranks", answer.request.ranks},
          {"memory_per_rank", answer.memory.bytes},
          {"memory_source", answer.memory.source},
          {"memory_notes", answer.memory.notes},
          {"folding", plan.folding},
          {"clusters", clusters(plan)},
          {"expected_slowdown", plan.slowdown()},
          {"nodes", nodes},
          {"hostfile",
           answer.options.output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(answer.options.output)},
          {"hostfile_text", answer.hostfile},
          {"record_command", next.record},
          {"gather_command", next.gather}};
}

int plan(const PlanOptions& options) {
  std::vector<Node> nodes = read_nodes(options.hosts);
  (void)request_of(options, 1); // Before anything is measured.
  complete_nodes(nodes, options.hosts, words_of(options.ask));
  const RankMemory memory = memory_of_a_rank(options);
  const PlanRequest request = request_of(options, memory.bytes);
  const Plan made = make_plan(nodes, request);
  const PlanAnswer answer{
      .options = options, .request = request, .memory = memory, .plan = made, .hostfile = hostfile_text(made, request)};
  write_hostfile(options, answer.hostfile);
  if (options.json)
    print_json("plan", 1, json_of(answer));
  else
    print_text(answer);
  return exit_ok;
}

} // namespace

VerbAction add_plan(CLI::App& command) {
  auto options = std::make_shared<PlanOptions>();
  command.add_option("-n,--ranks", options->ranks, "Ranks of the program")
      ->required()
      ->check(CLI::Range(1U, 1U << 24U));
  command
      .add_option("--hosts", options->hosts, "The list of hosts: a line is name slots=CORES memory=SIZE cluster=NAME")
      ->required()
      ->type_name("FILE");
  command.add_option(
      "--mode", options->mode,
      "R regular, F folded, C composite or CF composite and folded; the least folded that fits when not given");
  command
      .add_option("--folding", options->folding,
                  "Ranks a core at most, in modes F and CF; the fewest that fit when not given")
      ->check(positive_number());
  command.add_option("--memory-per-rank", options->memory, "Memory that a rank takes")->type_name("SIZE");
  command.add_option("--trace", options->trace, "Take the memory of a rank from this earlier trace of the program");
  command.add_flag("--measure", options->measure,
                   "Measure the memory of a rank: record a few ranks of PROGRAM here first");
  command.add_option("--measure-ranks", options->measured_ranks, "How many")->check(CLI::Range(1U, 1024U));
  command.add_option("--measure-for", options->measure_for, "End the measured program after so many seconds")
      ->check(CLI::Range(1U, 86400U));
  command.add_option("--reserve", options->reserve, "Memory that stays free on each host: a share or a size");
  command
      .add_option("--ask", options->ask,
                  "Ask hosts for what their line does not say, by this command, such as 'ssh -o BatchMode=yes'")
      ->type_name("COMMAND");
  command.add_option("--counter", options->counter, "What timeless record will be told; icount takes memory, too");
  command.add_option("-o,--output", options->output, "The hostfile to write")->always_capture_default(false);
  command.add_flag("--force", options->force, "Replace an existing hostfile");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.plan/1)");
  constexpr int every_word = CLI::detail::expected_max_vector_size;
  command
      .add_option("program", options->program,
                  "The program, and its arguments: to measure, and for the commands to type next")
      ->expected(every_word - 1, every_word)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->option_text("...")
      ->always_capture_default(false);
  command.positionals_at_end();
  command.formatter(std::make_shared<WordsUsage>("[[--] program...]"));
  command.footer("Example: timeless plan --ranks 64 --hosts hosts --measure -o planned -- ./lu.C.64\n"
                 "A line of the list: node1 slots=16 memory=64G cluster=east");
  return [options] { return plan(*options); };
}

} // namespace timeless::tools
