#include "tools/calibrating/ping_request.h"
#include "tools/calibrating/raw_log.h"
#include "tools/cli/console.h"
#include "tools/mpi/command.h"

#include "base/files/new_file.h"
#include "ping/ping.h"

#include <CLI/CLI.hpp>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace timeless::tools {

namespace {

/// What ranks do that wait, as the library's control variables tell it; empty where they do not.
std::string waiting_here() {
  int provided = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return {};
  std::string waiting;
  int index = 0;
  MPI_T_cvar_handle handle = nullptr;
  int count = 0;
  // Open MPI's; it sets it where ranks outnumber the slots of a node.
  if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    std::array<char, 64> value{}; // of whichever type: 0 is false
    if (count == 1 && MPI_T_cvar_read(handle, value.data()) == MPI_SUCCESS)
      waiting = value.front() != 0 ? "yields" : "spins";
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return waiting;
}

/// The raw file, or standard output. What was written stays, also when a process aborts the launch; there is no file
/// before there is a measurement.
class PingOutput {
public:
  explicit PingOutput(const PingRequest& options) : options_(options) {}

  void write(const std::string& text) {
    if (options_.output.empty()) {
      std::cout << text << std::flush;
      return;
    }
    const bool measurements = begun_ && !text.empty() && !text.starts_with('#');
    if (!std::exchange(begun_, true))
      demand_free_output(options_.output, options_.force ? Existing::replace : Existing::refuse);
    pending_ += text;
    if (!log_ && !measurements) return;
    if (!log_) {
      log_.emplace(options_.output, options_.force, "name another file with -o");
      log_->expect_measurement(pending_.size());
    }
    log_->write(std::exchange(pending_, {}));
    log_->demand_written();
  }

  void finish(std::uint64_t measured) {
    if (!log_) return;
    log_->finish();
    print_line("{} measurements in {}", measured, options_.output);
  }

private:
  const PingRequest& options_;
  bool begun_ = false;
  std::string pending_; ///< the head, until there are measurements
  std::optional<RawLog> log_;
};

int measure(const PingRequest& options) {
  PingOutput output(options);
  std::optional<Progress> progress;
  constexpr double tenths = 10;
  const auto total = static_cast<std::uint64_t>(options.plan.budget * tenths);
  const std::uint64_t measured =
      ping::ping(MPI_COMM_WORLD, {.plan = options.plan,
                                  .write = [&](const std::string& text) { output.write(text); },
                                  .progress =
                                      [&](double seconds, std::uint64_t measurements) {
                                        if (!progress) progress.emplace("measuring", total);
                                        progress->update(std::min(static_cast<std::uint64_t>(seconds * tenths), total),
                                                         static_cast<double>(measurements));
                                      },
                                  .timing = ping::real_timing(),
                                  .waiting = waiting_here()});
  progress.reset();
  output.finish(measured);
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
