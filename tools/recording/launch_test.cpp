#include "tools/recording/launch_test.h"

#include "base/files/temporary_file.h"
#include "base/parsing.h"
#include "base/processes/command.h"
#include "gather/parts/rank_files.h"
#include "tools/cli/console.h"
#include "tools/cli/locate.h"
#include "tools/recording/command_program.h"
#include "tools/recording/counter_choice.h"
#include "tools/recording/environment.h"
#include "tools/recording/number.h"
#include "tools/recording/outcome.h"
#include "trace/archive/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

namespace timeless::tools {

namespace fs = std::filesystem;

namespace {

/// A process that the preloaded library has come into.
struct Reached {
  std::string rank; ///< as the launcher numbers it; "-": none
  std::string executable;
};

std::vector<Reached> read_reached(const fs::path& log) {
  std::vector<Reached> reached;
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Reached process;
    std::string number;
    words >> process.rank >> number >> std::ws;
    std::getline(words, process.executable);
    reached.push_back(process);
  }
  return reached;
}

/// How the command went.
struct Trial {
  const std::vector<std::string>& command;
  std::optional<CommandsProgram> program;
  std::chrono::milliseconds limit = {};
  Captured captured = {};
  bool late = false; ///< ended after the limit
  std::vector<Reached> reached = {};
  Outcome outcome = {};
  std::string mpi = {}; ///< as it names itself
  std::set<std::string> hosts = {};
};

/// Returns the first line of what the command has printed that holds this; empty where none does.
std::string line_with(const Captured& captured, std::string_view words) {
  for (const std::string* const text : {&captured.errors, &captured.output}) {
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);)
      if (line.find(words) != std::string::npos) return line;
  }
  return {};
}

/// Returns whether a line has no words, or is of those with which Open MPI's launchers tell that, not why, a program
/// has ended.
bool says_no_cause(std::string_view line) {
  constexpr std::array<std::string_view, 6> told = {"Primary job ",
                                                    "a non-zero exit code. Per user-direction",
                                                    "run detected that one or more processes exited",
                                                    "the job to be terminated. The first process",
                                                    "Process name: [",
                                                    "Exit code: "};
  return std::ranges::any_of(told, [line](std::string_view words) { return line.find(words) != line.npos; }) ||
         std::ranges::none_of(line, [](unsigned char letter) { return std::isalpha(letter) != 0; });
}

/// Returns the first line with words of a cause that the command has printed as errors.
std::string first_words(const Captured& captured) {
  std::istringstream lines(captured.errors);
  for (std::string line; std::getline(lines, line);)
    if (!says_no_cause(line)) return line;
  return {};
}

/// Returns the names of the programs that were reached, each once, in words.
std::string names_of(const std::vector<Reached>& reached) {
  if (reached.empty()) return "no process at all";
  std::vector<std::string> names;
  for (const Reached& process : reached)
    if (const std::string name = file_name(process.executable);
        !name.empty() && std::ranges::find(names, name) == names.end())
      names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool reached_program(const Trial& trial) {
  std::error_code none;
  return !trial.program || std::ranges::any_of(trial.reached, [&](const Reached& process) {
    return fs::equivalent(process.executable, trial.program->path, none);
  });
}

/// Returns whether the library came into a program that is linked with MPI.
bool reached_mpi(const std::vector<Reached>& reached) {
  return std::ranges::any_of(reached, [](const Reached& process) {
    const ProgramFile file = inspect_program(process.executable);
    return file.calls_mpi || mpi_library_of(file) != MpiLibrary::none;
  });
}

/// What carries variables and files into a container has words of its own.
std::string container_advice(const std::vector<std::string>& command) {
  const std::string directory = preloaded_library().parent_path().parent_path().parent_path().string();
  for (const std::string& word : command) {
    const std::string name = file_name(word);
    if (name == "apptainer" || name == "singularity")
      return fmt::format("; {} exec --bind {} and not --cleanenv", name, directory);
    if (name == "podman" || name == "docker")
      return fmt::format("; {} run -v {}:{} -e LD_PRELOAD -e TIMELESS_DIR -e TIMELESS_COUNTER ...", name, directory,
                         directory);
  }
  return {};
}

Check failed(std::string found, std::string remedy) {
  return {.subject = "launch", .health = Health::missing, .found = std::move(found), .remedy = std::move(remedy)};
}

std::string words_behind(const std::string& said) {
  return said.empty() ? ", and said nothing" : "; it says: " + said;
}

/// Returns why no rank was recorded.
Check nothing_recorded(const Trial& trial) {
  constexpr std::string_view ours = "timeless: ";
  if (const std::string line = line_with(trial.captured, ours); !line.empty())
    return failed(line.substr(line.find(ours) + ours.size()), "see there");
  if (const std::string line = line_with(trial.captured, "cannot be preloaded"); !line.empty())
    return failed("where the program runs, in a container or on another host, the library is not: " + line,
                  "have " + preloaded_library().string() + " there at the same path" + container_advice(trial.command));
  if (trial.captured.status.code() != 0 && !trial.late)
    return failed(fmt::format("the command ended with status {} before the program was through MPI_Init{}",
                              trial.captured.status.code(), words_behind(first_words(trial.captured))),
                  "see what it does without Timeless");
  if (!reached_program(trial))
    return failed(fmt::format("LD_PRELOAD came to {}, but not to {}: what starts that cleans the environment",
                              names_of(trial.reached), trial.program->path),
                  "have it keep LD_PRELOAD and the variables that begin with TIMELESS_" +
                      container_advice(trial.command));
  if (!trial.program && !reached_mpi(trial.reached))
    return failed(fmt::format("LD_PRELOAD came to {}, and to no program that is linked with MPI: what starts that "
                              "cleans the environment, or never starts it",
                              names_of(trial.reached)),
                  "have it keep LD_PRELOAD and the variables that begin with TIMELESS_" +
                      container_advice(trial.command));
  return failed("the program never came through MPI_Init, though the library was there: in " + names_of(trial.reached),
                "is it an MPI program, and does it call MPI_Init when started like this?");
}

/// Returns what a command that did not end had come to.
Check not_ended(const Trial& trial) {
  return failed(
      fmt::format("the command was ended after {} s: the library had come into {} process{} ({}), of which {} "
                  "came through MPI_Init",
                  trial.limit.count() / 1000, trial.reached.size(), trial.reached.size() == 1 ? "" : "es",
                  trial.reached.empty() ? "none" : names_of(trial.reached), trial.outcome.recorded.size()),
      "do all its processes call MPI_Init, which waits for them? If it waits for nodes, give it longer: "
      "--timeout 1h");
}

/// Returns how many ranks the launcher has started of the program.
std::size_t launched_ranks(const Trial& trial) {
  std::set<std::string> ranks;
  for (const Reached& process : trial.reached)
    if (process.rank != "-") ranks.insert(process.rank);
  return ranks.size();
}

Check judge(const Trial& trial) {
  const Outcome& outcome = trial.outcome;
  if (trial.late && reached_program(trial)) return not_ended(trial);
  if (outcome.recorded.empty()) return nothing_recorded(trial);
  if (outcome.size == 1 && launched_ranks(trial) > 1)
    return failed(fmt::format("{} processes were started, each a world of its own: the launcher is not that of the "
                              "program's MPI ({})",
                              launched_ranks(trial), trial.mpi),
                  "start it with the mpirun or mpiexec of the MPI it is built with");
  if (!outcome.complete())
    return failed(fmt::format("{} of {} ranks left a recording", outcome.recorded.size(), outcome.size),
                  "name a directory that all hosts see with -o; see docs/clusters.md");
  return {.subject = "launch",
          .found = fmt::format(
              "{} of {} ranks came through MPI_Init recorded, and were ended there: {}, counter {}, on "
              "{}",
              outcome.recorded.size(), outcome.size, trial.mpi, outcome.counter.name, fmt::join(trial.hosts, ", "))};
}

void look_at_recording(const fs::path& directory, Trial& trial) {
  for (const gather::RankFile& file : gather::list_rank_files(directory)) {
    try {
      const trace::Run run = trace::ArchiveReader(file.path).run();
      trial.mpi = run.provenance.mpi_library.substr(0, run.provenance.mpi_library.find(','));
      for (const auto& host : run.hosts)
        trial.hosts.insert(host.name);
    } catch (const Error&) {
      continue; // outcome_of() counts it
    }
  }
}

void run_trial(const fs::path& directory, Trial& trial) {
  const fs::path log = directory / "processes";
  std::ofstream(log).close();
  const RecordingNumber number = recording_number(trial.command);
  const Variables variables = recording_variables({.library = preloaded_library().string(),
                                                   .directory = (directory / "trace").string(),
                                                   .number = number.value,
                                                   .counter = choose_recording_counter("auto").counter,
                                                   .self_test = log.string(),
                                                   .launcher = trial.command.front()});
  fs::create_directory(directory / "trace");
  trial.captured = run_captured_at_most(trial.command, variables, trial.limit, [&] { trial.late = true; });
  trial.reached = read_reached(log);
  trial.outcome = outcome_of(directory / "trace", number.value);
  look_at_recording(directory / "trace", trial);
}

Check look_at_program(const std::optional<CommandsProgram>& program) {
  if (!program)
    return {.subject = "program", .found = "which of the command's words is the program cannot be told from outside"};
  const std::optional<RecordingObstacle> obstacle = recording_obstacle(*program);
  if (!obstacle) return {.subject = "program", .found = program->path + ", linked with a shared MPI library"};
  return {.subject = "program",
          .health = obstacle->certain ? Health::missing : Health::warning,
          .found = obstacle->what,
          .remedy = obstacle->remedy};
}

} // namespace

std::vector<Check> test_launch(const std::vector<std::string>& command, const fs::path& directory,
                               std::chrono::milliseconds limit) {
  Trial trial{.command = command, .program = program_of(command), .limit = limit};
  std::vector<Check> checks = {look_at_program(trial.program)};
  if (checks.front().health == Health::missing) return checks;
  fs::path place = fs::absolute(directory).parent_path();
  while (!fs::exists(place) && place.has_relative_path())
    place = place.parent_path();
  const TemporaryFile files(place, "doctor");
  files.create_directory();
  try {
    run_trial(files.path(), trial);
    checks.push_back(judge(trial));
  } catch (const Error& error) {
    checks.push_back(failed(error.what(), "see there"));
  }
  if (checks.back().health == Health::ok)
    checks.front() = {.subject = "program", .found = trial.program ? trial.program->path : "found by the launch"};
  return checks;
}

} // namespace timeless::tools
