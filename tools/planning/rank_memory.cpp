#include "tools/planning/rank_memory.h"

#include "base/error.h"
#include "base/launched_rank.h"
#include "base/processes/command.h"
#include "gather/merge/files_source.h"
#include "tools/cli/console.h"
#include "tools/cli/locate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>

namespace timeless::tools {

namespace fs = std::filesystem;

namespace {

std::uint64_t most_recorded(const trace::Run& run) {
  std::uint64_t most = 0;
  for (const trace::RankRecord& record : run.ranks)
    most = std::max(most, record.peak_memory);
  return most;
}

/// A directory that is removed with all it holds.
class Scratch {
public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "timeless-plan-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error(Failure::runtime, std::string("no directory can be made: ") + std::strerror(errno), name,
                  "set TMPDIR to a place that can be written");
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

private:
  fs::path path_;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Returns the value of a variable in what /proc/PID/environ holds.
std::string variable(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const std::string_view entry = environment.substr(0, environment.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return std::string(entry.substr(name.size() + 1));
    environment.remove_prefix(std::min(entry.size() + 1, environment.size()));
  }
  return {};
}

std::uint64_t peak_of(const fs::path& process) {
  const std::string status = text_of(process / "status");
  const std::size_t line = status.find("VmHWM:");
  return line == std::string::npos ? 0
                                   : std::strtoull(status.c_str() + line + std::strlen("VmHWM:"), nullptr, 10) * 1024;
}

/// Returns the rank that a launcher has given to the process with this environment; empty where none has.
std::string rank_in(const std::string& environment) {
  for (const char* const name : rank_variables)
    if (std::string rank = variable(environment, name); !rank.empty()) return rank;
  return {};
}

/// Returns what the ranks that are being recorded into a directory have had until now: the most, of one.
std::uint64_t most_running(const fs::path& directory) {
  std::map<std::string, std::uint64_t> by_rank;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", failed)) {
    if (!std::isdigit(static_cast<unsigned char>(entry.path().filename().string().front()))) continue;
    const std::string environment = text_of(entry.path() / "environ");
    if (variable(environment, "TIMELESS_DIR") != directory) continue;
    if (const std::string rank = rank_in(environment); !rank.empty()) by_rank[rank] += peak_of(entry.path());
  }
  std::uint64_t most = 0;
  for (const auto& [rank, bytes] : by_rank)
    most = std::max(most, bytes);
  return most;
}

[[noreturn]] void fail(const MeasureRequest& request, const Captured& ended) {
  std::string said = ended.errors;
  while (!said.empty() && said.back() == '\n')
    said.pop_back();
  throw Error(Failure::runtime,
              fmt::format("measuring the memory of {} ranks failed with status {}", request.ranks, ended.status.code()),
              fmt::format("{}", fmt::join(request.program, " ")),
              fmt::format("give --memory-per-rank instead, or mend what it said last: {}",
                          said.substr(said.size() - std::min<std::size_t>(said.size(), 400))));
}

} // namespace

RankMemory recorded_memory(const fs::path& trace, std::uint32_t planned_ranks) {
  const auto source = gather::open_run(trace);
  const trace::Run& run = source->run();
  RankMemory memory{.bytes = most_recorded(run),
                    .source = fmt::format("recorded in {}, by {}", trace.string(), run.counter.name),
                    .notes = {}};
  if (memory.bytes == 0)
    throw Error(Failure::invalid_input, "the trace does not say how much memory its ranks took", trace.string(),
                "it is older than that, or no rank of it ended in order: give --memory-per-rank, or --measure");
  if (static_cast<std::uint32_t>(run.size) != planned_ranks)
    memory.notes.push_back(
        fmt::format("the trace is of {} ranks: with {}, each may take more or less", run.size, planned_ranks));
  return memory;
}

namespace {

/// Returns the command that records the program's ranks into a directory.
std::vector<std::string> recording(const MeasureRequest& request, const fs::path& directory) {
  std::vector<std::string> command = {this_command().string(),
                                      "record",
                                      "--counter",
                                      request.counter,
                                      "-o",
                                      directory.string(),
                                      "--",
                                      "mpirun",
                                      "--oversubscribe",
                                      "--bind-to",
                                      "none",
                                      "-np",
                                      std::to_string(request.ranks)};
  command.insert(command.end(), request.program.begin(), request.program.end());
  return command;
}

/// Runs a command for at most so long, with a bar over that time; calls `late` when it is over.
Captured run_with_bar(const std::vector<std::string>& command, const MeasureRequest& request,
                      const std::function<void()>& late) {
  const auto begun = std::chrono::steady_clock::now();
  Progress bar("measuring the memory of a rank", static_cast<std::uint64_t>(request.limit.count()));
  return run_watched(command, {}, {.limit = request.limit, .late = late, .meanwhile = [&] {
                                     using std::chrono::milliseconds;
                                     const auto gone = std::chrono::steady_clock::now() - begun;
                                     const auto done = std::chrono::duration_cast<milliseconds>(gone).count();
                                     bar.update(static_cast<std::uint64_t>(done), 0);
                                   }});
}

} // namespace

RankMemory measured_memory(const MeasureRequest& request) {
  const Scratch scratch;
  const fs::path directory = scratch.path() / "trace";
  std::uint64_t until_the_limit = 0;
  bool late = false;
  const Captured ended = run_with_bar(recording(request, directory), request, [&] {
    late = true;
    until_the_limit = most_running(directory);
  });
  if (ended.interrupted != 0)
    throw Error(Failure::runtime,
                fmt::format("measuring the memory of a rank was interrupted ({})", ::strsignal(ended.interrupted)),
                fmt::format("{}", fmt::join(request.program, " ")),
                "nothing is kept: give --memory-per-rank, or measure again");
  const std::string how =
      fmt::format("measured with {} ranks of {}", request.ranks, fmt::format("{}", fmt::join(request.program, " ")));
  RankMemory memory{.bytes = until_the_limit, .source = how, .notes = {}};
  if (!late) {
    if (ended.status.code() != 0) fail(request, ended);
    memory.bytes = most_recorded(gather::open_run(directory)->run());
  }
  if (memory.bytes == 0) fail(request, ended);
  if (late)
    memory.notes.push_back(
        fmt::format("the program was ended after {} s: later it may take more memory (--measure-for)",
                    std::chrono::duration_cast<std::chrono::seconds>(request.limit).count()));
  return memory;
}

} // namespace timeless::tools
