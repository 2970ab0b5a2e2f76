#include "base/files/new_file.h"
#include "tools/cli/offered_words.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/words_usage.h"
#include "tools/planning/launch_plan.h"
#include "tools/planning/next_commands.h"
#include "tools/planning/rank_memory.h"
#include "tools/recording/counter_choice.h"
#include "tools/render/answer.h"
#include "tools/render/recording/launch_plan.h"
#include "tools/verbs/verbs.h"

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

void write_hostfile(const PlanOptions& options, const std::string& text) {
  if (options.output.empty()) return;
  demand_output_apart(options.output, std::array<fs::path, 2>{options.hosts, options.trace});
  write_file(options.output, text, options.force ? Existing::replace : Existing::refuse);
}

int plan(const PlanOptions& options) {
  std::vector<Node> nodes = read_nodes(options.hosts);
  (void)request_of(options, 1); // Before anything is measured.
  complete_nodes(nodes, options.hosts, words_of(options.ask));
  const RankMemory memory = memory_of_a_rank(options);
  const PlanRequest request = request_of(options, memory.bytes);
  const NodePlan made = make_plan(nodes, request);
  const std::string hostfile = hostfile_text(made, request);
  write_hostfile(options, hostfile);
  const PlanAnswer answer{.request = request,
                          .memory = memory,
                          .plan = made,
                          .reserve = options.reserve,
                          .output = options.output,
                          .hostfile = hostfile,
                          .next = next_commands(made, options.ranks, options.output, options.counter, options.program)};
  print_answer("plan", 1, answer, options.json);
  return exit_ok;
}

} // namespace

VerbAction add_plan(CLI::App& command) {
  auto options = std::make_shared<PlanOptions>();
  begin_group(command, "Program and hosts");
  command.add_option("-n,--ranks", options->ranks, "Ranks of the program")
      ->required()
      ->check(count_between(1, 1U << 24U));
  command
      .add_option("--hosts", options->hosts, "The list of hosts: a line is name slots=CORES memory=SIZE cluster=NAME")
      ->required()
      ->type_name("FILE");
  CLI::Option* const mode = command.add_option(
      "--mode", options->mode,
      "R regular, F folded, C composite or CF composite and folded; the least folded that fits when not given");
  offer_words(*mode, mode_names());
  command
      .add_option("--folding", options->folding,
                  "Ranks a core at most, in modes F and CF; the fewest that fit when not given")
      ->check(count_from(1));
  begin_group(command, "Memory");
  command.add_option("--memory-per-rank", options->memory, "Memory that a rank takes")->type_name("SIZE");
  command.add_option("--trace", options->trace, "Take the memory of a rank from this earlier trace of the program");
  command.add_flag("--measure", options->measure,
                   "Measure the memory of a rank: record a few ranks of PROGRAM here first");
  command.add_option("--measure-ranks", options->measured_ranks, "How many")->check(count_between(1, 1024));
  command.add_option("--measure-for", options->measure_for, "End the measured program after so many seconds")
      ->check(count_between(1, 86400));
  command.add_option("--reserve", options->reserve, "Memory that stays free on each host: a share or a size");
  begin_group(command, "Program and hosts");
  command
      .add_option("--ask", options->ask,
                  "Ask hosts for what their line does not say, by this command, such as 'ssh -o BatchMode=yes'")
      ->type_name("COMMAND");
  CLI::Option* const counter =
      command.add_option("--counter", options->counter, "What timeless record will be told; icount takes memory, too");
  offer_words(*counter, counter_words());
  begin_group(command, "Output");
  command.add_option("-o,--output", options->output, "The hostfile to write")->always_capture_default(false);
  command.add_flag("--force", options->force, "Replace an existing hostfile");
  command.add_flag("--json", options->json, "Print JSON (schema timeless.plan/1)");
  add_command_words(command, "program", options->program,
                    "The program, and its arguments: to measure, and for the commands to type next",
                    "[[--] program...]");
  command.footer("Example: timeless plan --ranks 64 --hosts hosts --measure -o planned -- ./lu.C.64\n"
                 "A line of the list: node1 slots=16 memory=64G cluster=east");
  return [options] { return plan(*options); };
}

} // namespace timeless::tools
