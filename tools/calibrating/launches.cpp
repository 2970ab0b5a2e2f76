#include "tools/calibrating/launches.h"

#include "base/error.h"
#include "base/files/temporary_file.h"
#include "base/processes/command.h"
#include "gather/merge/files_source.h"
#include "tools/cli/console.h"
#include "tools/cli/locate.h"
#include "tools/recording/counter_choice.h"
#include "tools/recording/environment.h"
#include "tools/recording/number.h"
#include "tools/recording/outcome.h"
#include "tools/recording/processors.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace timeless::tools {

namespace {

namespace fs = std::filesystem;

/// The first line that says something: launchers draw lines around what they say, and advise below.
std::string first_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of("- \t\r") != std::string_view::npos) return std::string(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

void record_into(const fs::path& directory, const LaunchPlan& plan) {
  const RecordingNumber number = recording_number(plan.command);
  const Variables variables = recording_variables({.library = preloaded_library().string(),
                                                   .directory = fs::absolute(directory).string(),
                                                   .number = number.value,
                                                   .counter = plan.counter,
                                                   .timestamps = plan.timestamps,
                                                   .profile = plan.profile,
                                                   .launcher = plan.command.front()});
  const Captured ran = run_captured(plan.command, variables);
  const std::string said = first_line(ran.errors.empty() ? ran.output : ran.errors);
  if (ran.status.code() != 0)
    throw Error(Failure::runtime,
                fmt::format("the launch ended with status {}{}", ran.status.code(), said.empty() ? "" : ": " + said),
                in_one_line(plan.command), "try the command by itself, then again");
  const Outcome outcome = outcome_of(directory, number.value);
  if (outcome.recorded.empty())
    throw Error(Failure::runtime, "nothing was recorded", in_one_line(plan.command),
                why_nothing_recorded(plan.command, directory));
  if (!outcome.complete())
    throw Error(Failure::runtime, "the recording of a launch is not whole here", directory.string(),
                "where ranks run on other hosts, name a directory that all of them share, with --keep");
}

} // namespace

std::string in_one_line(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

int launch(const LaunchPlan& plan, const std::function<void(const trace::Source& recording)>& look) {
  const CounterChoice choice = choose_recording_counter(plan.counter);
  LaunchPlan made = plan;
  made.counter = choice.counter;
  int done = 0;
  for (; done < plan.launches; ++done) {
    if (done > 0 && plan.until && std::chrono::steady_clock::now() >= *plan.until) break;
    const auto begin = std::chrono::steady_clock::now();
    if (plan.keep.empty()) {
      const TemporaryFile directory(fs::temp_directory_path(), "launch");
      directory.create_directory();
      record_into(directory.path(), made);
      look(*gather::open_run(directory.path()));
    } else {
      const fs::path directory = plan.keep / fmt::format("{}-{}", plan.counter, done + 1);
      if (fs::exists(directory))
        throw Error(Failure::usage, "there is a recording already", directory.string(),
                    "remove it, name another directory with --keep, or use what is there with --from");
      fs::create_directories(directory);
      record_into(directory, made);
      look(*gather::open_run(directory));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!plan.timestamps)
      print_notice(fmt::format("recorded what it computes, by {}: {}", made.counter, human_seconds(seconds)));
    else
      print_notice(fmt::format("{} {} of {}: {}", plan.counter, done + 1, plan.launches, human_seconds(seconds)));
  }
  return done;
}

std::vector<fs::path> kept_recordings(const fs::path& directory) {
  std::map<std::pair<std::string, int>, fs::path> found;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename().string();
    const std::size_t dash = name.rfind('-');
    if (!entry.is_directory() || dash == std::string::npos) continue;
    found[{name.substr(0, dash), std::atoi(name.c_str() + dash + 1)}] = entry.path();
  }
  if (found.empty())
    throw Error(Failure::invalid_input, "no recordings of launches are here", directory.string(),
                "name the directory that was given to --keep");
  std::vector<fs::path> all;
  for (const auto& [number, path] : found)
    all.push_back(path);
  return all;
}

std::string counter_option(const std::string& counter) {
  if (counter == "PAPI_TOT_INS") return "papi";
  return counter == "icount" ? counter : "papi:" + counter;
}

std::size_t ranks_per_host(const trace::Run& run) {
  std::map<std::uint32_t, std::size_t> of_host;
  std::size_t most = 0;
  for (const trace::RankRecord& record : run.ranks)
    most = std::max(most, ++of_host[record.host]);
  return most;
}

std::string why_folded(const trace::Run& run) {
  char here[256] = {};
  if (gethostname(here, sizeof(here) - 1) != 0) return {};
  std::size_t ranks = 0;
  for (const trace::RankRecord& record : run.ranks)
    if (record.host < run.hosts.size() && run.hosts[record.host].name == here) ++ranks;
  const std::size_t processors = usable_processors().size();
  if (ranks <= processors) return {};
  return fmt::format("{} ranks share {} processors: what they take from each other's caches and memory is in the times",
                     ranks, processors);
}

} // namespace timeless::tools
