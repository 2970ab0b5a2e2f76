// How the cost of a replay grows with ranks, actions and lanes, and what threads save: from archives, decoding
// included. Every replay is a process of its own, so that its memory is its own, too; all take turns, so that what
// disturbs the machine disturbs all alike.
#include "gathered_archive.h"
#include "generated_programs.h"
#include "scaled_networks.h"
#include "stopwatch.h"

#include "replay/large_pages.h"
#include "replay/replay.h"
#include "trace/archive/reader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace timeless;

struct Options {
  std::vector<trace::Rank> ranks{64, 256, 1024, 4096, 16384};
  std::vector<std::uint64_t> actions{1'000'000, 4'000'000, 16'000'000};
  std::vector<std::size_t> lanes{1, 2, 4, 8, 16, 32, 64, 128, 256};
  std::vector<std::uint32_t> threads{1, 2};
  int repeat = 5;
};

constexpr trace::Rank usual_ranks = 1024;
constexpr std::uint64_t usual_actions = 4'000'000;

/// One replay to measure.
struct Case {
  bool halo = false;
  trace::Rank ranks = usual_ranks;
  std::uint64_t actions = usual_actions;
  std::size_t lanes = 1;
  std::uint32_t threads = 1;
  auto operator<=>(const Case&) const = default;
};

struct Figures {
  double cpu = 0;     ///< seconds
  double seconds = 0; ///< on the wall
  double actions = 0; ///< replayed
  double mebibytes = 0;
};

/// Does work in a process of its own and returns what it says.
Figures apart(const std::function<Figures()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) throw Error(Failure::runtime, "cannot make a pipe");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error(Failure::runtime, "cannot start a process");
  if (child == 0) {
    try {
      const Figures figures = work();
      ::_exit(::write(ends[1], &figures, sizeof figures) == sizeof figures ? 0 : 1);
    } catch (const std::exception& problem) {
      fmt::print(stderr, "replay_growth: {}\n", problem.what());
      ::_exit(1);
    }
  }
  ::close(ends[1]);
  Figures figures;
  const bool told = ::read(ends[0], &figures, sizeof figures) == sizeof figures;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  if (!told) throw Error(Failure::runtime, "a measurement has failed");
  return figures;
}

Figures measure(const std::filesystem::path& archive, const Case& one) {
  const trace::ArchiveReader reader(archive);
  const replay::Network network = bench::scaled_networks(reader.run().size, one.lanes);
  replay::ReplayOptions options;
  options.jumps = replay::Jumps::none;
  options.threads = one.threads;
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = bench::cpu_seconds();
  const replay::Result result = replay::replay(reader, network, options);
  Figures figures{.cpu = bench::cpu_seconds() - cpu_begin,
                  .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
                  .actions = static_cast<double>(result.actions)};
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  figures.mebibytes = static_cast<double>(usage.ru_maxrss) / 1024;
  return figures;
}

/// All archives and replays, and what was measured of them.
class Measurements {
public:
  explicit Measurements(std::filesystem::path directory) : directory_(std::move(directory)) {}

  void want(const Case& one) { figures_[one]; }

  void measure_all(int rounds) {
    for (int round = 0; round < rounds; ++round)
      for (auto& [one, figures] : figures_) {
        const std::filesystem::path archive = archive_of(one);
        figures.push_back(apart([&] { return measure(archive, one); }));
      }
  }

  Figures of(const Case& one) const {
    const std::vector<Figures>& all = figures_.at(one);
    Figures median = all.front();
    for (const auto figure : {&Figures::cpu, &Figures::seconds, &Figures::mebibytes}) {
      std::vector<double> values;
      for (const Figures& each : all)
        values.push_back(each.*figure);
      std::ranges::sort(values);
      median.*figure = values[values.size() / 2];
    }
    return median;
  }

private:
  std::filesystem::path archive_of(const Case& one) const {
    const std::filesystem::path path =
        directory_ / fmt::format("{}-{}-{}.tia", one.halo ? "halo" : "wavefront", one.ranks, one.actions);
    if (std::filesystem::exists(path)) return path;
    const bench::ProgramSize size{.ranks = one.ranks, .actions = one.actions};
    apart([&] {
      bench::write_gathered(one.halo ? bench::halo(size) : bench::wavefront(size), path);
      return Figures{};
    });
    return path;
  }

  std::filesystem::path directory_;
  std::map<Case, std::vector<Figures>> figures_;
};

/// A directory among the temporary ones, removed in the end.
struct Scratch {
  Scratch() : path(std::filesystem::temp_directory_path() / fmt::format("timeless-growth-{}", ::getpid())) {
    std::filesystem::create_directory(path);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path path;
};

/// Rows of cases: for each program and each number of lanes a column of nanoseconds, and one of memory.
void print_table(const Measurements& measured, const std::string& title, const std::vector<std::string>& names,
                 const std::vector<Case>& cases, const std::vector<std::size_t>& lanes) {
  std::string header = fmt::format("\n| {} |", title);
  std::string line = "|---|";
  for (const char* program : {"wavefront", "halo"})
    for (const std::size_t lane : lanes) {
      header += lanes.size() > 1 ? fmt::format(" {}, {} lane{} |", program, lane, lane == 1 ? "" : "s")
                                 : fmt::format(" {} |", program);
      line += "---|";
    }
  fmt::print("{}\n{}\n", header, line);
  for (std::size_t row = 0; row < names.size(); ++row) {
    fmt::print("| {} |", names[row]);
    for (const bool halo : {false, true})
      for (const std::size_t lane : lanes) {
        Case one = cases[row];
        one.halo = halo;
        if (lanes.size() > 1) one.lanes = lane;
        const Figures figures = measured.of(one);
        fmt::print(" {:.1f} ns, {:.0f} MiB |", 1e9 * figures.cpu / figures.actions, figures.mebibytes);
      }
    fmt::print("\n");
  }
}

void print_threads(const Measurements& measured, const Options& options, std::size_t lanes) {
  fmt::print("\n| {} lanes, threads | wavefront: seconds | CPU | speed-up | halo: seconds | CPU | speed-up |\n"
             "|---|---|---|---|---|---|---|\n",
             lanes);
  for (const std::uint32_t threads : options.threads) {
    fmt::print("| {} |", threads);
    for (const bool halo : {false, true}) {
      const Figures one = measured.of({.halo = halo, .lanes = lanes, .threads = options.threads.front()});
      const Figures some = measured.of({.halo = halo, .lanes = lanes, .threads = threads});
      fmt::print(" {:.3f} | {:.3f} | {:.2f} |", some.seconds, some.cpu, one.seconds / some.seconds);
    }
    fmt::print("\n");
  }
}

void run(const Options& options) {
  const Scratch scratch;
  Measurements measured(scratch.path);
  const std::vector<std::size_t> few{1, 64};
  std::vector<Case> by_ranks;
  std::vector<Case> by_actions;
  std::vector<Case> by_lanes;
  std::vector<std::string> ranks;
  std::vector<std::string> actions;
  std::vector<std::string> lanes;
  for (const trace::Rank count : options.ranks) {
    by_ranks.push_back({.ranks = count});
    ranks.push_back(std::to_string(count));
  }
  for (const std::uint64_t count : options.actions) {
    by_actions.push_back({.actions = count});
    actions.push_back(fmt::format("{:g} million", static_cast<double>(count) / 1e6));
  }
  for (const std::size_t count : options.lanes) {
    by_lanes.push_back({.lanes = count});
    lanes.push_back(std::to_string(count));
  }
  const auto want = [&](Case one) {
    for (const bool halo : {false, true}) {
      one.halo = halo;
      measured.want(one);
    }
  };
  for (const auto* cases : {&by_ranks, &by_actions})
    for (Case one : *cases)
      for (const std::size_t count : few) {
        one.lanes = count;
        want(one);
      }
  for (const Case& one : by_lanes)
    want(one);
  const std::vector<std::size_t> divided{64, 256};
  for (const std::size_t count : divided)
    for (const std::uint32_t threads : options.threads)
      want({.lanes = count, .threads = threads});
  measured.measure_all(options.repeat);
  fmt::print("nanoseconds of CPU time an action, and the most memory; medians of {}; {} ranks and {:g} million actions "
             "where not said otherwise\n",
             options.repeat, usual_ranks, static_cast<double>(usual_actions) / 1e6);
  print_table(measured, "ranks", ranks, by_ranks, few);
  print_table(measured, "actions", actions, by_actions, few);
  print_table(measured, "lanes", lanes, by_lanes, {0});
  for (const std::size_t count : divided)
    print_threads(measured, options, count);
}

} // namespace

int main(int argc, char** argv) {
  timeless::replay::prefer_large_pages();
  CLI::App app("How the cost of a replay grows with ranks, actions and lanes, and what threads save");
  Options options;
  app.add_option("--ranks", options.ranks, "numbers of ranks")->delimiter(',')->capture_default_str();
  app.add_option("--actions", options.actions, "numbers of actions, about")->delimiter(',')->capture_default_str();
  app.add_option("--lanes", options.lanes, "numbers of lanes")->delimiter(',')->capture_default_str();
  app.add_option("--threads", options.threads, "numbers of threads")->delimiter(',')->capture_default_str();
  app.add_option("--repeat", options.repeat, "rounds to take the median of")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const timeless::Error& error) {
    fmt::print(stderr, "replay_growth: {} ({}): {}\n", error.description(), error.where(), error.advice());
    return static_cast<int>(error.failure());
  }
  return 0;
}
