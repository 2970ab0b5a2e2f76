#include "tools/calibrating/ping_launches.h"

#include "base/error.h"
#include "base/files/exclusive.h"
#include "base/files/new_file.h"
#include "base/processes/command.h"
#include "base/processes/pipe.h"
#include "ping/raw.h"
#include "tools/cli/console.h"
#include "tools/cli/locate.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace timeless::tools {

namespace {

namespace fs = std::filesystem;

/// The file of measurements: what is in it stays. Without any there is no file. A file that is there already is
/// replaced once all has been measured, and measurements stand in NAME.part until then.
class RawLog {
public:
  RawLog(fs::path path, bool force) : target_(std::move(path)), path_(target_) {
    demand_free_output(target_, force ? Existing::replace : Existing::refuse);
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(target_, ignored))) path_ += ".part";
    fs::remove(path_, ignored);
    descriptor_ = open_exclusively(path_, O_WRONLY);
    if (descriptor_ < 0) stop(errno);
  }
  ~RawLog() {
    std::error_code ignored;
    if (!holds_measurements()) fs::remove(path_, ignored);
    ::close(descriptor_);
  }
  RawLog(const RawLog&) = delete;
  RawLog& operator=(const RawLog&) = delete;

  /// False, from then on, where the system refuses.
  bool write(std::string_view bytes) {
    if (failed_with_ == 0 && !write_whole(descriptor_, bytes)) failed_with_ = errno;
    return failed_with_ == 0;
  }
  void demand_written() const {
    if (failed_with_ != 0) stop(failed_with_);
  }
  /// The next write() has a measurement that ends after so many bytes of it.
  void expect_measurement(std::size_t end) {
    if (first_end_ == 0) first_end_ = position() + static_cast<off_t>(end);
  }
  bool holds_measurements() const { return first_end_ > 0 && position() >= first_end_; }
  /// Returns where they are.
  const fs::path& path() const { return path_; }
  /// Gives the file its name: all has been measured.
  void finish() {
    std::error_code refused;
    if (path_ != target_) fs::rename(path_, target_, refused);
    if (refused) stop(refused.value());
    path_ = target_;
  }

private:
  [[noreturn]] void stop(int code) const {
    throw Error(Failure::runtime, fmt::format("measurements cannot be kept: {}", std::strerror(code)), path_.string(),
                holds_measurements() ? "name another file with --raw; what was measured before is in it"
                                     : "name another file with --raw");
  }
  off_t position() const { return ::lseek(descriptor_, 0, SEEK_CUR); }

  fs::path target_;
  fs::path path_;
  int descriptor_ = -1;
  int failed_with_ = 0;
  off_t first_end_ = 0; ///< of the first measurement; 0: there was none
};

/// Parts what one launch prints into measurements, which are kept, and the rest.
class Output {
public:
  explicit Output(RawLog& log) : log_(log) {}

  bool hear(std::string_view bytes) {
    pending_ += bytes;
    std::string kept;
    for (std::size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
      const std::string line = pending_.substr(0, end + 1);
      pending_.erase(0, end + 1);
      if (ping::is_raw_line(line)) {
        kept += line;
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
  RawLog& log_;
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

[[noreturn]] void stop(const PingLaunches& launches, const RawLog& log, unsigned number, const std::string& what,
                       const std::string& said) {
  const std::string kept =
      log.holds_measurements()
          ? fmt::format("what was measured is in {}: calibrate network --from fits it", escaped(log.path().string()))
          : std::string("nothing was measured, and no file is written");
  throw Error(Failure::runtime, fmt::format("launch {} of {} {}", number + 1, launches.count, what),
              launches.launcher.front(), kept + lines_said(said));
}

} // namespace

void measure(const PingLaunches& launches) {
  if (!fs::exists(mpi_command()))
    throw Error(Failure::missing_capability, "the program that measures is not there", mpi_command().string(),
                "build or install Timeless whole, with MPI");
  RawLog log(launches.raw, launches.force);
  const double share = launches.budget / launches.count;
  // To start on many hosts, to search, and to end the last experiment.
  constexpr double least_grace = 30;
  constexpr double most_seconds = 1e9;
  const double limit = std::min(share + std::max(least_grace, share), most_seconds);
  constexpr double tenths = 10;
  const auto total = static_cast<std::uint64_t>(launches.budget * tenths);
  Progress progress("measuring", total);
  std::size_t measured = 0;
  for (unsigned number = 0; number < launches.count; ++number) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    Output output(log);
    bool late = false;
    print_notice(fmt::format("launch {} of {}: {:.0f} s", number + 1, launches.count, share));
    const auto show = [&] {
      const double seconds = std::min(std::chrono::duration<double>(Clock::now() - begin).count(), share);
      progress.update(static_cast<std::uint64_t>((number * share + seconds) * tenths),
                      static_cast<double>(measured + output.measurements()));
    };
    const Captured ended = run_watched(ping_command(launches, number, share), {},
                                       {.heard = [&](std::string_view bytes) { return output.hear(bytes); },
                                        .limit = std::chrono::milliseconds(static_cast<std::int64_t>(limit * 1e3)),
                                        .late = [&] { late = true; },
                                        .meanwhile = show});
    measured += output.measurements();
    log.demand_written();
    const std::string said = output.other() + ended.errors;
    if (ended.interrupted != 0)
      stop(launches, log, number, fmt::format("was interrupted ({})", ::strsignal(ended.interrupted)), said);
    if (late) stop(launches, log, number, fmt::format("did not end within {:.0f} s", limit), said);
    if (ended.status.code() != 0)
      stop(launches, log, number, fmt::format("ended with status {}", ended.status.code()), said);
    if (output.measurements() < 2) stop(launches, log, number, "measured nothing", said);
  }
  log.finish();
}

} // namespace timeless::tools
