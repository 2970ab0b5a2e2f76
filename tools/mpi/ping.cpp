#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/mpi/command.h"

#include "base/files/new_file.h"
#include "base/units.h"
#include "ping/ping.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace timeless::tools {

namespace {

struct PingCommand {
  std::string output;
  ping::PlanOptions plan;
  bool force = false;
};

int measure(const PingCommand& options) {
  std::optional<NewFile> file;
  std::optional<Progress> progress;
  constexpr double tenths = 10;
  const auto total = static_cast<std::uint64_t>(options.plan.budget * tenths);
  const std::uint64_t measured = ping::ping(
      MPI_COMM_WORLD, {.plan = options.plan,
                       .write =
                           [&](const std::string& text) {
                             if (options.output.empty()) return void(std::cout << text);
                             if (!file)
                               file.emplace(options.output, options.force ? Existing::replace : Existing::refuse);
                             file->write(text);
                           },
                       .progress =
                           [&](double seconds) {
                             if (!progress) progress.emplace("measuring", total);
                             progress->update(std::min(static_cast<std::uint64_t>(seconds * tenths), total));
                           }});
  progress.reset();
  if (file) {
    file->finish();
    print_line("{} measurements in {}", measured, options.output);
  }
  return 0;
}

} // namespace

MpiAction add_mpi_ping(CLI::App& command) {
  auto options = std::make_shared<PingCommand>();
  command.add_option("-o,--output", options->output, "The raw file; standard output unless given")
      ->always_capture_default(false);
  command.add_option("--max-bytes", options->plan.most_bytes, "The largest message")
      ->transform(CLI::AsSizeValue(false));
  command.add_option("--budget", options->plan.budget, "How long to measure")
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"min", 60}}));
  command.add_option("--seed", options->plan.seed, "Of the messages' sizes and the order of experiments");
  command.add_flag("--force", options->force, "Replace an existing output");
  command.footer("Example: mpirun --host a,b -np 2 timeless-mpi ping -o raw.csv");
  return [options] { return measure(*options); };
}

} // namespace timeless::tools
