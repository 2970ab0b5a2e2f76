// What the command timeless replay costs beside the engine within it, and beside other simulators: each in a process of
// its own, CPU time of system and user, the median of some runs that take turns.
#include "gathered_archive.h"
#include "generated_programs.h"
#include "scaled_networks.h"
#include "simgrid_text.h"
#include "stopwatch.h"

#include "replay/replay.h"
#include "replay/simgrid/simgrid_platform.h"
#include "trace/archive/reader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace timeless;
using bench::median;

const int nowhere = ::open("/dev/null", O_WRONLY);

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Returns the CPU seconds of a command, whose output nobody sees.
double command_seconds(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::vfork(); // which copies no page tables
  if (child == 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::execv(arguments.front(), arguments.data());
    ::_exit(1);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child || status != 0) {
    fmt::print(stderr, "a measured process failed\n");
    std::exit(1);
  }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// What a process of this program does that is one of those measured.
void run_engine(const std::string& archive, const std::string& collectives, bool answers) {
  const trace::ArchiveReader source(archive);
  replay::ReplayOptions options;
  options.jumps = replay::Jumps::none;
  if (collectives == "schedule") options.collectives = replay::CollectiveModel::schedule;
  options.ideal = options.sensitivities = options.incast = answers;
  replay::replay(source, bench::scaled_networks(source.run().size, 1), options);
}

void report(const std::string& name, const std::string& archive, const std::string& collectives, int repeat) {
  std::vector<double> command;
  std::vector<double> asked;
  std::vector<double> alone;
  for (int run = 0; run < repeat; ++run) {
    command.push_back(
        command_seconds({TIMELESS_COMMAND, "replay", archive, "--network", "e10g", "--collectives", collectives}));
    asked.push_back(command_seconds({"/proc/self/exe", "--only", archive, "--collectives", collectives, "--answers"}));
    alone.push_back(command_seconds({"/proc/self/exe", "--only", archive, "--collectives", collectives}));
  }
  fmt::print("{:<22} {:<9} {:>10.4f} {:>10.4f} {:>10.4f} {:>12.2f} {:>12.2f}\n", name, collectives, median(command),
             median(asked), median(alone), median(command) / median(asked), median(command) / median(alone));
}

/// Other simulators, where they are asked for.
struct Peers {
  std::string loggopsim;
  std::string platform; ///< for SimGrid
  bool any() const { return !loggopsim.empty() || !platform.empty(); }
};

/// Returns the CPU seconds of LogGOPSim on the same run, written as GOAL: its collectives are messages there.
double loggopsim_seconds(const std::string& program, const std::string& archive, int repeat) {
  const std::string goal = archive + ".goal-binary";
  command_seconds({TIMELESS_COMMAND, "convert", archive, "-o", goal, "--to", "goal-binary", "--force"});
  std::vector<double> runs;
  for (int run = 0; run < repeat; ++run)
    runs.push_back(command_seconds({program, "-f", goal, "-b", "-S", "1000000000"})); // all messages eager, as ours
  std::filesystem::remove(goal);
  return median(std::move(runs));
}

/// Prints whole commands beside those of others; ours with collectives step by step, as LogGOPSim has them.
void report_peers(const std::string& name, const std::string& archive, const Peers& peers, int repeat) {
  std::vector<double> runs;
  for (int run = 0; run < repeat; ++run)
    runs.push_back(
        command_seconds({TIMELESS_COMMAND, "replay", archive, "--network", "e10g", "--collectives", "schedule"}));
  const double ours = median(std::move(runs));
  fmt::print("{:<22} {:>10.4f}", name, ours);
  if (!peers.loggopsim.empty()) {
    const double theirs = loggopsim_seconds(peers.loggopsim, archive, repeat);
    fmt::print(" {:>12.3f} {:>8.1f}", theirs, theirs / ours);
  }
  if (!peers.platform.empty()) {
    const trace::ArchiveReader source(archive);
    const auto platform = replay::SimgridPlatform::load(peers.platform);
    const double theirs =
        bench::simgrid_text_seconds(source, peers.platform, replay::map_ranks(source.run(), platform.hosts(), {}));
    fmt::print(" {:>12.3f} {:>8.1f}", theirs, theirs / ours);
  }
  fmt::print("\n");
}

} // namespace

int main(int count, char** arguments) {
  CLI::App app("What the command costs beside the engine");
  bench::ProgramSize size{.ranks = 1024, .actions = 1'000'000};
  int repeat = 5;
  std::vector<std::string> archives;
  app.add_option("archive", archives, "Archives to replay, beside the generated programs");
  app.add_option("--ranks", size.ranks, "Of the generated programs")->capture_default_str();
  app.add_option("--actions", size.actions, "Of the generated programs")->capture_default_str();
  app.add_option("--repeat", repeat, "Runs of each")->capture_default_str();
  Peers peers;
  app.add_option("--loggopsim", peers.loggopsim, "Also LogGOPSim, this program, on the same as GOAL")
      ->check(CLI::ExistingFile);
  app.add_option("--platform", peers.platform,
                 "Also SimGrid's own replay, of text, on this platform; not of archives given")
      ->check(CLI::ExistingFile);
  std::string only;
  std::string collectives_of_one = "mpich";
  bool answers = false;
  app.add_option("--only", only, "Replay this archive by the engine, and do nothing else")->group("");
  app.add_option("--collectives", collectives_of_one)->group("");
  app.add_flag("--answers", answers)->group("");
  CLI11_PARSE(app, count, arguments);
  if (!only.empty()) {
    run_engine(only, collectives_of_one, answers);
    return 0;
  }

  fmt::print("{:<22} {:<9} {:>10} {:>10} {:>10} {:>12} {:>12}\n", "CPU seconds", "", "command", "same asked", "engine",
             "/ same asked", "/ engine");
  const bench::TemporaryArchive wavefront(bench::wavefront(size));
  const bench::TemporaryArchive halo(bench::halo(size));
  for (const std::string collectives : {"mpich", "schedule"}) {
    report("wavefront", wavefront.path(), collectives, repeat);
    report("halo", halo.path(), collectives, repeat);
    for (const std::string& archive : archives)
      report(std::filesystem::path(archive).filename().string(), archive, collectives, repeat);
  }
  if (!peers.any()) return 0;
  fmt::print("\n{:<22} {:>10}{}{}\n", "CPU seconds", "command", peers.loggopsim.empty() ? "" : "    LogGOPSim    times",
             peers.platform.empty() ? "" : "      SimGrid    times");
  report_peers("wavefront", wavefront.path(), peers, repeat);
  report_peers("halo", halo.path(), peers, repeat);
}
