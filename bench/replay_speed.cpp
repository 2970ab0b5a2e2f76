// How many actions a second the replay does on one core: generated programs, from memory and from an archive with
// decoding included, and any archive given. CPU time, the median of some runs.
#include "gathered_archive.h"
#include "generated_programs.h"
#include "scaled_networks.h"
#include "simgrid_text.h"
#include "stopwatch.h"

#include "replay/large_pages.h"
#include "replay/replay.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/smpi/smpi_replay.h"
#include "trace/archive/reader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace {

using namespace timeless;

struct Options {
  bench::ProgramSize size;
  std::vector<std::size_t> lanes{1, 21, 64, 256};
  int repeat = 5;
  std::string answer = "none";
  std::string archive;
  std::string platform;
  std::uint64_t simgrid_actions = 300'000;
  bool text = true;
  std::filesystem::path keep;
};

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Answers of a replay beyond times, by the names that --answer takes.
replay::ReplayOptions asking(const std::string& answer) {
  replay::ReplayOptions options;
  options.jumps = replay::Jumps::none;
  options.ideal = answer == "ideal" || answer == "all";
  options.sensitivities = answer == "sensitivities" || answer == "all";
  options.critical_path = answer == "path";
  if (answer == "calls") options.attribute = replay::AttributeBy::calls;
  if (answer == "schedule") options.collectives = replay::CollectiveModel::schedule;
  if (answer == "kernels") options.attribute = replay::AttributeBy::kernels;
  return options;
}

/// Returns actions per CPU second, the median of some replays.
double speed(const trace::Source& source, std::size_t lanes, int repeat, const std::string& answer = "none") {
  std::vector<double> speeds;
  for (int run = 0; run < repeat; ++run) {
    const replay::Network network = bench::scaled_networks(source.run().size, lanes);
    const double begin = bench::cpu_seconds();
    const replay::Result result = replay::replay(source, network, asking(answer));
    speeds.push_back(static_cast<double>(result.actions) / (bench::cpu_seconds() - begin));
  }
  return bench::median(std::move(speeds));
}

void report(const std::string& name, const trace::Source& source, const Options& options) {
  std::string line = fmt::format("{:<28}", name);
  for (const std::size_t lanes : options.lanes) {
    const double rate = speed(source, lanes, options.repeat, options.answer);
    line += fmt::format("{:>16}", fmt::format("{:.1f} ({:.1f})", rate / 1e6, 1e9 / rate));
  }
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void report_archive(const std::string& name, const std::filesystem::path& path, const Options& options) {
  const trace::ArchiveReader reader(path);
  std::uint64_t actions = 0;
  for (const trace::RankRecord& record : reader.run().ranks)
    actions += record.actions;
  report(name, reader, options);
  fmt::print("  {:.3f} bytes an action, {:.2f} million actions, {} ranks\n",
             static_cast<double>(reader.file_bytes()) / static_cast<double>(std::max<std::uint64_t>(actions, 1)),
             static_cast<double>(actions) / 1e6, reader.run().size);
}

void report_generated(const std::string& name, const trace::MemorySource& source, const Options& options) {
  report(name + ", memory", source, options);
  const bool keep = !options.keep.empty();
  const std::filesystem::path path =
      keep ? options.keep / (name + ".tia")
           : std::filesystem::temp_directory_path() / fmt::format("timeless-{}-{}.tia", name, getpid());
  bench::write_gathered(source, path);
  report_archive(name + ", archive", path, options);
  if (!keep) std::filesystem::remove(path);
}

/// Reports SimGrid beside the model, on the same program: its own replay of text, and ours in SMPI from memory. Both do
/// one configuration a run; the model's rate counts every configuration.
void report_simgrid(const std::string& name, const trace::Source& source, const replay::SimgridPlatform& platform,
                    const Options& options) {
  const auto mapping = replay::map_ranks(source.run(), platform.hosts(), {});
  const replay::SmpiResult smpi = replay::smpi_replay(source, platform, mapping);
  const auto actions = static_cast<double>(smpi.replay.actions);
  const double memory = actions / smpi.cpu_seconds;
  fmt::print("{}, {:.2f} million actions, {} ranks: SimGrid from memory {:.4f} million actions/s", name, actions / 1e6,
             source.run().size, memory / 1e6);
  double text = 0;
  if (options.text) {
    text = actions / bench::simgrid_text_seconds(source, options.platform, mapping);
    fmt::print(", from text {:.4f}", text / 1e6);
  }
  fmt::print("\n");
  for (const std::size_t lanes : options.lanes) {
    const double rate = speed(source, lanes, options.repeat) * static_cast<double>(lanes);
    fmt::print("  {:>4} lane{}: {:.0f} times SimGrid from memory", lanes, lanes == 1 ? " " : "s", rate / memory);
    if (options.text) fmt::print(", {:.0f} times SimGrid from text", rate / text);
    fmt::print(", per configuration\n");
  }
  std::fflush(stdout);
}

void run(const Options& options) {
  std::string header = fmt::format("{:<28}", "million actions/s (ns each)");
  for (const std::size_t lanes : options.lanes)
    header += fmt::format("{:>16}", fmt::format("{} lane{}", lanes, lanes == 1 ? "" : "s"));
  fmt::print("{}\n", header);
  if (!options.archive.empty()) {
    report_archive(options.archive, options.archive, options);
    fmt::print("  at most {:.0f} MiB of memory\n", peak_mebibytes());
    if (!options.platform.empty())
      report_simgrid(options.archive, trace::ArchiveReader(options.archive),
                     replay::SimgridPlatform::load(options.platform), options);
    return;
  }
  report_generated("wavefront", bench::wavefront(options.size), options);
  report_generated("halo", bench::halo(options.size), options);
  if (options.platform.empty()) return;
  const bench::ProgramSize size{.ranks = options.size.ranks, .actions = options.simgrid_actions};
  const auto platform = replay::SimgridPlatform::load(options.platform);
  report_simgrid("wavefront", bench::wavefront(size), platform, options);
  report_simgrid("halo", bench::halo(size), platform, options);
}

} // namespace

int main(int argc, char** argv) {
  timeless::replay::prefer_large_pages();
  CLI::App app("How many actions a second the replay does on one core");
  Options options;
  app.add_option("--ranks", options.size.ranks, "ranks of the generated programs")->capture_default_str();
  app.add_option("--actions", options.size.actions, "actions of the generated programs, about")->capture_default_str();
  app.add_option("--lanes", options.lanes, "numbers of lanes")->delimiter(',')->capture_default_str();
  app.add_option("--repeat", options.repeat, "runs to take the median of")->check(CLI::PositiveNumber);
  app.add_option(
         "--answer", options.answer,
         "what else is asked for: ideal, sensitivities (all: both), calls, kernels, path (of one lane), schedule "
         "(collectives step by step)")
      ->check(CLI::IsMember({"none", "ideal", "sensitivities", "all", "calls", "kernels", "path", "schedule"}));
  app.add_option("--archive", options.archive, "measure this archive instead")->check(CLI::ExistingFile);
  app.add_option("--platform", options.platform, "also replay in SimGrid on this platform file")
      ->check(CLI::ExistingFile);
  app.add_option("--simgrid-actions", options.simgrid_actions, "actions of the programs replayed in SimGrid, about")
      ->capture_default_str();
  app.add_flag("!--no-text", options.text, "without SimGrid's replay of text (which an archive of a real run needs)");
  app.add_option("--keep", options.keep, "leave the generated archives in this directory")
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const timeless::Error& error) {
    fmt::print(stderr, "replay_speed: {} ({}): {}\n", error.description(), error.where(), error.advice());
    return static_cast<int>(error.failure());
  }
  return 0;
}
