#include "tools/calibrating/launches.h"

#include "analysis/calibration/compute/steady_clocks.h"
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
#include <cstring>
#include <limits>
#include <map>
#include <string_view>

namespace timeless::tools {

namespace {

namespace fs = std::filesystem;

/// The first line that says something: launchers draw lines around what they say, and advise below.
std::string first_telling_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of("- \t\r") != std::string_view::npos) return std::string(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

/// How far launches are, on a terminal: by what those before took.
class LaunchProgress {
public:
  explicit LaunchProgress(const LaunchPlan& plan)
      : bar_((plan.timestamps ? "launching, " : "recording, ") + plan.counter,
             static_cast<std::uint64_t>(plan.launches) * steps) {}

  void begin() { begun_ = Clock::now(); }
  void end() {
    longest_ = std::max(longest_, seconds());
    ++done_;
  }
  void show() {
    const double share = longest_ > 0 ? std::min(seconds() / longest_, 1.0) : 0;
    bar_.update(done_ * steps + static_cast<std::uint64_t>(share * steps), 0);
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
  /// Of the launches that have ended; 0: none has.
  double longest() const { return longest_; }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t steps = 1000; // of a launch

  Progress bar_;
  Clock::time_point begun_;
  std::uint64_t done_ = 0;
  double longest_ = 0;
};

/// What the next launch may take.
std::chrono::seconds limit_of(const LaunchPlan& plan, const LaunchProgress& progress) {
  constexpr double times = 10;
  constexpr std::chrono::seconds beside{60};
  if (!(progress.longest() > 0)) return plan.limit;
  const double longest = std::min(times * progress.longest(), static_cast<double>(plan.limit.count()));
  return std::min(plan.limit, std::chrono::seconds(static_cast<std::int64_t>(longest)) + beside);
}

void record_into(const fs::path& directory, const LaunchPlan& plan, LaunchProgress& progress) {
  const RecordingNumber number = recording_number(plan.command);
  const Variables variables = recording_variables({.library = preloaded_library().string(),
                                                   .directory = fs::absolute(directory).string(),
                                                   .number = number.value,
                                                   .counter = plan.counter,
                                                   .timestamps = plan.timestamps,
                                                   .profile = plan.profile,
                                                   .launcher = plan.command.front()});
  const std::chrono::seconds limit = limit_of(plan, progress);
  bool late = false;
  const Captured ran = run_watched(
      plan.command, variables, {.limit = limit, .late = [&] { late = true; }, .meanwhile = [&] { progress.show(); }});
  // What a program prints before it is ended says nothing of why.
  const bool by_itself = ran.interrupted == 0 && !late;
  const std::string said = first_telling_line(ran.errors.empty() && by_itself ? ran.output : ran.errors);
  const auto stop = [&](const std::string& what, const std::string& advice) {
    throw Error(Failure::runtime, fmt::format("the launch {}{}", what, said.empty() ? "" : ": " + said),
                in_one_line(plan.command), advice);
  };
  if (ran.interrupted != 0) stop(fmt::format("was interrupted ({})", ::strsignal(ran.interrupted)), "");
  if (late)
    stop(fmt::format("did not end within {} s", limit.count()),
         "try the command by itself; --limit gives it more time");
  if (ran.status.code() != 0)
    stop(fmt::format("ended with status {}", ran.status.code()), "try the command by itself, then again");
  const Outcome outcome = outcome_of(directory, number.value);
  if (outcome.recorded.empty())
    throw Error(Failure::runtime, "nothing was recorded", in_one_line(plan.command),
                why_nothing_recorded(plan.command, directory));
  if (!outcome.complete())
    throw Error(Failure::runtime, "the recording of a launch is not whole here", directory.string(),
                has_no_room(directory)
                    ? "its disk is full: free some space, or name a directory on another disk with --keep"
                    : "where ranks run on other hosts, name a directory that all of them share, with --keep");
}

void demand_steady_clocks(const trace::Source& launch, double elapsed, Failure failure, const std::string& where) {
  if (const std::string jump = analysis::clock_jump(launch, elapsed); !jump.empty())
    throw Error(failure, jump, where, "launch again, on hosts whose clocks nobody sets");
}

} // namespace

std::string in_one_line(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

void demand_launcher(const std::vector<std::string>& command) {
  if (found_command(command.front()).empty())
    throw Error(Failure::runtime, "cannot be executed: there is no such command", command.front(),
                "give a command that runs on its own");
}

int launch(const LaunchPlan& plan, const std::function<void(const trace::Source& recording)>& look) {
  const CounterChoice choice = choose_recording_counter(plan.counter);
  LaunchPlan made = plan;
  made.counter = choice.counter;
  std::error_code refused;
  fs::create_directories(plan.keep, refused);
  if (refused)
    throw Error(Failure::runtime, "no recording can be kept there: " + refused.message(), plan.keep.string(),
                "name another directory with --keep");
  LaunchProgress progress(made);
  int done = 0;
  for (; done < plan.launches; ++done) {
    if (done > 0 && plan.until && std::chrono::steady_clock::now() >= *plan.until) break;
    const fs::path recording = plan.keep / fmt::format("{}-{}", plan.counter, done + 1);
    if (fs::exists(recording))
      throw Error(Failure::usage, "there is a recording already", recording.string(),
                  "remove it, name another directory with --keep, or use what is there with --from");
    progress.begin();
    TemporaryFile part(plan.keep, "launch", recording);
    part.create_directory();
    record_into(part.path(), made, progress);
    if (plan.timestamps)
      demand_steady_clocks(*gather::open_run(part.path()), progress.seconds(), Failure::runtime, plan.command.front());
    part.keep_as(recording, Existing::refuse, Durable::no);
    if (plan.recorded) plan.recorded();
    progress.end();
    look(*gather::open_run(recording));
    const std::string seconds = human_seconds(progress.seconds());
    if (!plan.timestamps)
      print_notice(fmt::format("recorded what it computes, by {}: {}", made.counter, seconds));
    else
      print_notice(fmt::format("{} {} of {}: {}", plan.counter, done + 1, plan.launches, seconds));
  }
  return done;
}

namespace {

/// COUNTER-1, COUNTER-2, ..., by counter and number.
std::map<std::pair<std::string, int>, fs::path> recordings_in(const fs::path& directory) {
  std::map<std::pair<std::string, int>, fs::path> found;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename().string();
    const std::size_t dash = name.rfind('-');
    if (name.starts_with('.') || !entry.is_directory() || dash == std::string::npos) continue;
    found[{name.substr(0, dash), std::atoi(name.c_str() + dash + 1)}] = entry.path();
  }
  return found;
}

} // namespace

LaunchDirectory::LaunchDirectory(fs::path named, fs::path saved) : path_(std::move(named)), saved_(std::move(saved)) {
  if (!path_.empty()) return;
  temporary_.emplace(directory_of(saved_), "launches", saved_);
  temporary_->create_directory();
  path_ = temporary_->path();
}

void LaunchDirectory::fill(const std::function<void()>& launch_all) {
  try {
    launch_all();
  } catch (const Error& error) {
    if (error.failure() != Failure::runtime) throw;
    const fs::path kept = save();
    if (kept.empty()) throw;
    const std::size_t count = recordings_in(kept).size();
    throw Error(Failure::runtime, error.description(), error.where(),
                fmt::format("{}{}what was launched before ({} recording{}) is kept in {}, which --from reads",
                            error.advice(), error.advice().empty() ? "" : "; ", count, count == 1 ? "" : "s",
                            escaped(kept.string())));
  }
}

fs::path LaunchDirectory::save() {
  if (recordings_in(path_).empty()) return {};
  if (!temporary_) return path_;
  const fs::path name = free_name();
  temporary_->keep_as(name, Existing::refuse, Durable::no);
  temporary_.reset();
  path_ = name;
  return path_;
}

fs::path LaunchDirectory::free_name() const {
  constexpr int most = 1000;
  fs::path name = saved_;
  for (int number = 2; fs::exists(fs::symlink_status(name)) && number <= most; ++number)
    name = saved_.string() + fmt::format("-{}", number);
  return name;
}

void LaunchDirectory::keep_when_interrupted() {
  if (temporary_) temporary_->keep_when_interrupted(free_name());
}

std::vector<fs::path> kept_recordings(const fs::path& directory) {
  const auto found = recordings_in(directory);
  if (found.empty())
    throw Error(Failure::invalid_input, "no recordings of launches are here", directory.string(),
                "name the directory that was given to --keep");
  std::vector<fs::path> all;
  for (const auto& [number, path] : found)
    all.push_back(path);
  return all;
}

std::unique_ptr<trace::Source> open_launch(const fs::path& recording) {
  auto source = gather::open_run(recording);
  if (!source->run().complete())
    throw Error(Failure::invalid_input, "the recording of this launch is cut short, or ranks are missing",
                recording.string(), "move it away to do without it, or launch again");
  demand_steady_clocks(*source, std::numeric_limits<double>::infinity(), Failure::invalid_input, recording.string());
  return source;
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
