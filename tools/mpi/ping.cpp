#include "tools/calibrating/ping_request.h"
#include "tools/cli/console.h"
#include "tools/mpi/command.h"

#include "base/files/new_file.h"
#include "ping/ping.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace timeless::tools {

namespace {

int measure(const PingRequest& options) {
  std::optional<NewFile> file;
  std::optional<Progress> progress;
  constexpr double tenths = 10;
  const auto total = static_cast<std::uint64_t>(options.plan.budget * tenths);
  const std::uint64_t measured = ping::ping(
      MPI_COMM_WORLD, {.plan = options.plan,
                       .write =
                           [&](const std::string& text) {
                             if (options.output.empty()) return void(std::cout << text << std::flush);
                             if (!file)
                               file.emplace(options.output, options.force ? Existing::replace : Existing::refuse);
                             file->write(text);
                           },
                       .progress =
                           [&](double seconds) {
                             if (!progress) progress.emplace("measuring", total);
                             progress->update(std::min(static_cast<std::uint64_t>(seconds * tenths), total));
                           },
                       .timing = ping::real_timing()});
  progress.reset();
  if (file) {
    file->finish();
    print_line("{} measurements in {}", measured, options.output);
  }
  return 0;
}

} // namespace

MpiAction add_mpi_ping(CLI::App& command) {
  auto options = std::make_shared<PingRequest>();
  add_ping_options(command, *options);
  command.footer("Example: mpirun --host a,b -np 2 timeless-mpi ping -o raw.csv");
  return [options] { return measure(*options); };
}

} // namespace timeless::tools
