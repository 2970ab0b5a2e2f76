#include "base/files/new_file.h"
#include "base/processes/command.h"
#include "gather/parts/rank_files.h"
#include "tools/cli/console.h"
#include "tools/cli/json_text.h"
#include "tools/cli/locate.h"
#include "tools/cli/offered_words.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/shell_word.h"
#include "tools/cli/words_usage.h"
#include "tools/recording/counter_choice.h"
#include "tools/recording/environment.h"
#include "tools/recording/number.h"
#include "tools/recording/outcome.h"
#include "tools/render/recording/outcome.h"
#include "tools/verbs/verbs.h"
#include "trace/archive/reader.h"
#include "tracer/counters/memory_profile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

namespace fs = std::filesystem;

struct RecordOptions {
  std::string directory = "timeless-trace";
  std::string counter = "auto";
  std::string start = "on";
  std::string buffer_size;
  std::string stack;
  bool timestamps = false;
  std::string profile;
  std::string json; ///< a file: stdout is the program's
  bool force = false;
  std::vector<std::string> command;
};

/// Returns whether the directory holds a run. Where the other ranks of our own may have begun there, as in a job step
/// that starts one command for each, their files do not count: they say of no run until this rank has come to MPI_Init,
/// too.
bool holds_run(const fs::path& directory, bool shared) {
  if (!gather::list_spawned_worlds(directory).empty()) return true;
  const std::vector<gather::RankFile> files = gather::list_rank_files(directory);
  return std::ranges::any_of(files, [shared](const gather::RankFile& file) {
    if (!shared) return true;
    try {
      return trace::ArchiveReader(file.path).run().size > 0;
    } catch (const Error&) {
      return false;
    }
  });
}

/// Creates the directory; refuses one that holds a run already.
void prepare_directory(const fs::path& directory, const RecordingNumber& number) {
  if (holds_run(directory, number.shared))
    throw Error(Failure::usage, "the directory already holds a recorded run", directory.string(),
                "remove it, or name another with -o");
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed)
    throw Error(Failure::runtime, "cannot be created: " + failed.message(), directory.string(),
                "name a directory that can be written, with -o");
}

std::string library() {
  const fs::path path = preloaded_library();
  if (!fs::exists(path))
    throw Error(Failure::missing_capability, "the library to be preloaded is not there", path.string(),
                "build or install Timeless whole");
  return path.string();
}

/// The program has run, and its status is record's: an answer that cannot be written does not change that.
void write_json(NewFile& file, const RecordOptions& options, const Outcome& outcome, int status) {
  nlohmann::ordered_json answer{{"schema", "timeless.record/1"}};
  answer.update(to_json(RecordAnswer{fs::absolute(options.directory).string(), status, outcome}));
  try {
    file.write(json_text(answer, 2) + "\n");
    file.finish();
  } catch (const Error& error) {
    print_error(error);
  }
}

void report(const RecordOptions& options, const Outcome& outcome, bool interrupted) {
  for (const std::string& complaint : complaints(outcome))
    print_warning(complaint);
  if (std::error_code failed; !fs::exists(options.directory, failed)) {
    print_warning("nothing of the recording is left: " + options.directory + " was removed while the program ran");
    return;
  }
  if (outcome.recorded.empty() && outcome.of_others.empty() && interrupted) {
    print_warning("interrupted before the program was through MPI_Init: nothing was recorded");
    return;
  }
  if (outcome.recorded.empty()) {
    print_warning("nothing was recorded" +
                  (outcome.of_others.empty() ? ": " + why_nothing_recorded(options.command, options.directory) : ""));
    return;
  }
  print_notice(fmt::format("{}; next: timeless gather {}", to_text(outcome), shell_word(options.directory)));
}

int record(const RecordOptions& options) {
  if (options.directory == "-")
    throw Error(Failure::usage, "a recording is a directory, not standard output", "-o -", "name a directory");
  const std::string preloaded = library();
  const RecordingNumber number = recording_number(options.command);
  prepare_directory(options.directory, number);
  const CounterChoice choice = choose_recording_counter(options.counter, options.profile);
  for (const std::string& notice : choice.notices)
    print_notice(notice);
  const Variables variables = recording_variables({.library = preloaded,
                                                   .directory = fs::absolute(options.directory).string(),
                                                   .number = number.value,
                                                   .counter = choice.counter,
                                                   .start = options.start,
                                                   .buffer_size = options.buffer_size,
                                                   .stack = options.stack,
                                                   .timestamps = options.timestamps,
                                                   .profile = options.profile,
                                                   .launcher = options.command.front()});
  std::optional<NewFile> json;
  if (!options.json.empty()) json.emplace(options.json, options.force ? Existing::replace : Existing::refuse);
  const Ended ended = run_in_our_place(options.command, variables);
  const int status = ended.status.code();
  const Outcome outcome = outcome_of(options.directory, number.value);
  report(options, outcome, ended.interrupted != 0);
  if (json) write_json(*json, options, outcome, status);
  return status;
}

} // namespace

VerbAction add_record(CLI::App& command) {
  auto options = std::make_shared<RecordOptions>();
  begin_group(command, "Output");
  command.add_option("-o,--output", options->directory, "The directory for the ranks' files; created");
  begin_group(command, "What is recorded");
  CLI::Option* const counter = command.add_option(
      "--counter", options->counter,
      "What counts the computation: auto (papi where there are hardware counters, else icount), papi, "
      "papi:EVENT, icount, cputime or walltime (both inexact), or none");
  offer_words(*counter, counter_words());
  command.add_option("--start", options->start, "Record from the start (on), or from MPI_Pcontrol(1) (pcontrol)")
      ->check(CLI::IsMember({"on", "pcontrol"}));
  begin_group(command, "Output");
  command.add_option("--buffer-size", options->buffer_size, "Actions a rank holds before it writes them")
      ->check(count_from(1));
  begin_group(command, "What is recorded");
  command
      .add_option(
          "--stack", options->stack,
          "How many return addresses name the place of an MPI call: 1, the default, is the call's own; with more, "
          "calls through one function of the program are told apart by its callers")
      ->type_name("DEPTH")
      ->check(count_between(1, 32));
  command.add_flag("--timestamps", options->timestamps,
                   "Also record when each action began and ended, to compare predictions with");
  CLI::Option* const profile =
      command
          .add_option("--profile", options->profile,
                      "Also count these PAPI events, separated by commas, and sum them up per kernel; or memory: what "
                      "the kernels' memory accesses would find in caches of any size (icount)")
          ->type_name("EVENTS");
  offer_words(*profile, {std::string(tracer::memory_profile)});
  begin_group(command, "Output");
  command.add_option(
      "--json", options->json,
      "Write what was recorded to this file, as JSON (schema timeless.record/1); stdout is the program's");
  command.add_flag("--force", options->force, "Replace an existing file of --json");
  add_command_words(command, "command", options->command, "The command that starts the program, as without timeless",
                    "[--] command...")
      ->required();
  command.footer("Example: timeless record -o lu.C.64 -- mpirun -np 64 ./lu.C.64\n"
                 "The command is run as it is, with any launcher; record returns its status.");
  return [options] { return record(*options); };
}

} // namespace timeless::tools
