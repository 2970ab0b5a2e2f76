// What jumps over steady states save: generated programs whose iterations are all the same, and any archives given,
// replayed as ever, with stops at cuts, and with jumps. CPU time from an archive, decoding included, the median of some
// runs that take turns.
#include "gathered_archive.h"
#include "generated_programs.h"
#include "iterated_program.h"
#include "scaled_networks.h"
#include "stopwatch.h"

#include "replay/replay.h"
#include "trace/archive/reader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace timeless;

struct Options {
  trace::Rank ranks = 64;
  std::vector<std::uint64_t> iterations{250, 2500};
  std::size_t lanes = 1;
  double within = 0;
  double sample = 0;
  std::uint64_t longer = 0;
  int repeat = 3;
  std::vector<std::string> archives;
};

constexpr std::array modes{replay::Jumps::none, replay::Jumps::dry, replay::Jumps::taken};

/// Replays a run, and adds the CPU seconds that it took.
replay::Result timed(const trace::Source& source, const Options& options, replay::Jumps jumps,
                     std::vector<double>& seconds) {
  const replay::Network network = bench::scaled_networks(source.run().size, options.lanes);
  replay::ReplayOptions replaying;
  replaying.jumps = jumps;
  replaying.within = options.within;
  replaying.sample = options.sample;
  if (jumps == replay::Jumps::taken) replaying.iterations = options.longer;
  const double begin = bench::cpu_seconds();
  replay::Result result = replay::replay(source, network, replaying);
  seconds.push_back(bench::cpu_seconds() - begin);
  return result;
}

void report(const std::string& name, const trace::Source& source, const Options& options) {
  std::array<std::vector<double>, modes.size()> seconds;
  replay::Result result;
  double as_ever = 0;
  for (int run = 0; run < options.repeat; ++run)
    for (std::size_t mode = 0; mode < modes.size(); ++mode) {
      result = timed(source, options, modes[mode], seconds[mode]);
      if (modes[mode] == replay::Jumps::none) as_ever = result.lanes.front().makespan;
    }
  std::array<double, modes.size()> median{};
  std::ranges::transform(seconds, median.begin(), bench::median);
  const replay::SteadyReport& steady = result.steady.value();
  const auto actions = static_cast<double>(result.actions);
  const double played = actions - static_cast<double>(steady.actions);
  fmt::print("{:<32} {:>9.3f} {:>9.4f} {:>8.1f} {:>9.4f} {:>9.4f} {:>9.4f} {:>8.1f}\n", name, actions / 1e6,
             played / 1e6, actions / played, median[0], median[1], median[2], median[0] / median[2]);
  if (steady.replaced) {
    const replay::LaneResult& lane = result.lanes.front();
    fmt::print("  {} iterations replaced: -{:.1e} and +{:.1e} of the time at most\n", steady.replaced->iterations,
               lane.earlier / lane.makespan, lane.later / lane.makespan);
  }
  if (steady.sampled) {
    const replay::LaneResult& lane = result.lanes.front();
    fmt::print("  estimated: {:+.1e} of the time off, {:.1e} of it to either side were said\n",
               lane.makespan / as_ever - 1, lane.sampling_error / lane.makespan);
  }
  for (const std::string& why : steady.played_since)
    fmt::print("  played: {}\n", why);
}

/// Reports a run of more iterations than the source has, which only jumps can replay.
void report_longer(const std::string& name, const trace::Source& source, const Options& options) {
  std::vector<double> seconds;
  replay::Result result;
  for (int run = 0; run < options.repeat; ++run)
    result = timed(source, options, replay::Jumps::taken, seconds);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto actions = static_cast<double>(result.actions);
  fmt::print(
      "{:<32} as {} iterations: {:.3f} G actions, {:.3f} M played, {:.2f} s, makespan {:.6g} s; the process took "
      "at most {:.0f} MiB\n",
      name, options.longer, actions / 1e9, (actions - static_cast<double>(result.steady->actions)) / 1e6,
      bench::median(seconds), result.lanes.front().makespan, static_cast<double>(usage.ru_maxrss) / 1024);
}

} // namespace

int main(int count, char** arguments) {
  CLI::App command("What jumps over steady states save");
  Options options;
  command.add_option("archive", options.archives, "Archives to replay, beside the generated programs");
  command.add_option("--ranks", options.ranks, "Of the generated programs")->capture_default_str();
  command.add_option("--iterations", options.iterations, "Of the generated programs")->capture_default_str();
  command.add_option("--lanes", options.lanes, "Configurations at once")->capture_default_str();
  command.add_option("--longer", options.longer, "Replay as so many iterations, more than there are, and nothing else");
  command.add_option("--within", options.within, "What may be off where volumes nearly repeat, of the time")
      ->capture_default_str();
  command.add_option("--sample", options.sample, "The share of the iterations to play")->capture_default_str();
  command.add_option("--repeat", options.repeat, "Runs of each")->capture_default_str();
  CLI11_PARSE(command, count, arguments);

  fmt::print("{:<32} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9} {:>8}\n", "", "M actions", "M played", "fewer", "as ever s",
             "stops s", "jumps s", "less");
  for (const std::uint64_t iterations : options.iterations) {
    // The least there is: a sweep there and back, a step of the halo.
    const bench::ProgramSize one{.ranks = options.ranks, .actions = 1};
    for (const bool halo : {false, true}) {
      const bench::IteratedProgram program(halo ? bench::halo(one) : bench::wavefront(one), iterations);
      const bench::TemporaryArchive archive(program);
      const auto measure = options.longer > 0 ? report_longer : report;
      measure(fmt::format("{}, {} iterations", halo ? "halo" : "wavefront", iterations),
              trace::ArchiveReader(archive.path()), options);
    }
  }
  for (const std::string& archive : options.archives)
    report(std::filesystem::path(archive).filename().string(), trace::ArchiveReader(archive), options);
}
