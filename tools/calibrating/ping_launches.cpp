#include "tools/calibrating/ping_launches.h"

#include "base/error.h"
#include "base/files/new_file.h"
#include "base/processes/command.h"
#include "ping/raw.h"
#include "tools/calibrating/launch_budget.h"
#include "tools/calibrating/launches.h"
#include "tools/calibrating/noise.h"
#include "tools/calibrating/raw_log.h"
#include "tools/cli/console.h"
#include "tools/cli/locate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

namespace timeless::tools {

namespace {

namespace fs = std::filesystem;

/// Parts what one launch prints into measurements, which are kept, and the rest.
class Output {
public:
  /// `noise` goes into the head of what the launch measured.
  Output(RawLog& log, std::string noise) : log_(log), noise_(std::move(noise)) {}

  bool hear(std::string_view bytes) {
    pending_ += bytes;
    std::string kept;
    for (std::size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
      const std::string line = pending_.substr(0, end + 1);
      pending_.erase(0, end + 1);
      if (ping::is_raw_line(line)) {
        kept += line;
        if (line.starts_with(ping::format_line)) kept += noise_line();
        if (line.front() != '#' && ++measurements_ > 1) log_.expect_measurement(kept.size());
      } else {
        other_ += line;
      }
    }
    return log_.write(kept);
  }

  /// Lines, with that of the columns' names.
  std::size_t measurements() const { return measurements_; }
  const std::string& other() const { return other_; }

private:
  /// Once.
  std::string noise_line() {
    const std::string noise = std::exchange(noise_, {});
    return noise.empty() ? noise : "# noise: " + noise + "\n";
  }

  RawLog& log_;
  std::string noise_;
  std::string pending_;
  std::string other_;
  std::size_t measurements_ = 0;
};

/// The first and the last lines of what a launcher said: why it failed is in either, with advice between.
std::string lines_said(const std::string& text) {
  constexpr std::size_t first_lines = 4;
  constexpr std::size_t last_lines = 8;
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    // Launchers frame what they say.
    const std::size_t last = text.find_last_not_of(" \r", end - (end > begin ? 1 : 0));
    if (text.find_first_not_of(" -\n\r", begin) < end) lines.push_back(text.substr(begin, last + 1 - begin));
    begin = end + 1;
  }
  std::string all;
  if (lines.size() > first_lines + last_lines) {
    lines.erase(lines.begin() + first_lines, lines.end() - last_lines);
    lines.insert(lines.begin() + first_lines, "...");
  }
  for (const std::string& line : lines)
    all += "\n  " + escaped(line);
  return all;
}

std::vector<std::string> ping_command(const PingLaunches& launches, unsigned number, double share) {
  std::vector<std::string> command = launches.launcher;
  for (const std::string& word :
       {mpi_command().string(), std::string("ping"), std::string("--budget"), fmt::format("{}", share),
        std::string("--max-bytes"), fmt::format("{}", launches.plan.most_bytes), std::string("--seed"),
        fmt::format("{}", launches.plan.seed + number)})
    command.push_back(word);
  if (!launches.plan.sizes.empty())
    command.insert(command.end(), {"--sizes", fmt::format("{}", fmt::join(launches.plan.sizes, ","))});
  return command;
}

/// What to try where a launch hangs: whether it is the launcher that does.
std::string advice_for_silence(const PingLaunches& launches) {
  return fmt::format(
      "; a host that does not answer, or wants a password, holds a launcher up: try it with `{} hostname`",
      in_one_line(launches.launcher));
}

[[noreturn]] void stop(const PingLaunches& launches, const RawLog& log, unsigned number, const std::string& what,
                       const std::string& said, const std::string& advice = {}) {
  const std::string kept =
      log.holds_measurements()
          ? fmt::format("what was measured is in {}: calibrate network --from fits it", escaped(log.path().string()))
          : std::string("nothing was measured, and no file is written");
  throw Error(Failure::runtime, fmt::format("launch {} of {} {}", number + 1, launches.count, what),
              launches.launcher.front(), kept + advice + lines_said(said));
}

/// Measures with one launch after the other.
class PingRunner {
public:
  PingRunner(const PingLaunches& launches, RawLog& log, std::string noise)
      : launches_(launches), log_(log), noise_(std::move(noise)), budget_(launches.budget, launches.count),
        progress_("measuring", static_cast<std::uint64_t>(launches.budget * tenths), "measurements") {}

  /// Returns what the budget did not reach, a sentence; empty where it reached all.
  std::string run() {
    for (double share = budget_.next(); share > 0; share = budget_.next())
      launch(share);
    if (budget_.made() == launches_.count) return {};
    return fmt::format("{} of {} launches were made: each took {:.2g} s beside measuring, and the time was over "
                       "(--budget)",
                       budget_.made(), launches_.count, budget_.start_up());
  }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr double tenths = 10;

  void launch(double share) {
    const unsigned number = budget_.made();
    // To start on many hosts, to search, and to end the last experiment.
    constexpr double least_grace = 30;
    constexpr double most_seconds = 1e9;
    const double limit = std::min(share + std::max(least_grace, share), most_seconds);
    const Clock::time_point begin = Clock::now();
    Output output(log_, std::exchange(noise_, {}));
    bool late = false;
    print_notice(fmt::format("launch {} of {}: {:.2g} s", number + 1, launches_.count, share));
    const auto show = [&] {
      const double seconds = std::chrono::duration<double>(Clock::now() - first_).count();
      progress_.update(static_cast<std::uint64_t>(std::min(seconds, launches_.budget) * tenths),
                       static_cast<double>(measured_ + output.measurements()));
    };
    const Captured ended = run_watched(ping_command(launches_, number, share), {},
                                       {.heard = [&](std::string_view bytes) { return output.hear(bytes); },
                                        .limit = std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1e3)),
                                        .late = [&] { late = true; },
                                        .meanwhile = show});
    measured_ += output.measurements();
    log_.demand_written();
    const std::string said = output.other() + ended.errors;
    const auto fail = [&](const std::string& what, const std::string& advice = {}) {
      stop(launches_, log_, number, what, said, advice);
    };
    if (ended.interrupted != 0) fail(fmt::format("was interrupted ({})", ::strsignal(ended.interrupted)));
    if (late) fail(fmt::format("did not end within {:.0f} s", limit), advice_for_silence(launches_));
    if (ended.status.code() != 0) fail(fmt::format("ended with status {}", ended.status.code()));
    if (output.measurements() < 2) fail("measured nothing");
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    log_.write(ping::elapsed_line(elapsed));
    log_.demand_written();
    budget_.ended(elapsed);
  }

  const PingLaunches& launches_;
  RawLog& log_;
  std::string noise_; ///< for the head of the first launch
  LaunchBudget budget_;
  Progress progress_;
  Clock::time_point first_ = Clock::now();
  std::size_t measured_ = 0;
};

} // namespace

std::string measure(const PingLaunches& launches) {
  if (!fs::exists(mpi_command()))
    throw Error(Failure::missing_capability, "the program that measures is not there", mpi_command().string(),
                "build or install Timeless whole, with MPI");
  demand_launcher(launches.launcher);
  demand_free_output(launches.raw, launches.force ? Existing::replace : Existing::refuse);
  std::string noise = noise_text(noise_here()); // before there is a file that an interruption would leave empty
  RawLog log(launches.raw, launches.force, "name another file with --raw");
  const std::string not_reached = PingRunner(launches, log, std::move(noise)).run();
  if (!not_reached.empty()) log.write(ping::cut_line(not_reached));
  log.demand_written();
  log.finish();
  return not_reached;
}

} // namespace timeless::tools
