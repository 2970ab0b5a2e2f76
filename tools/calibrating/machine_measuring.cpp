#include "tools/calibrating/machine_measuring.h"

#include "base/error.h"
#include "base/processes/command.h"
#include "replay/network/compute_costs.h"
#include "tools/calibrating/noise.h"
#include "tools/calibrating/raw_log.h"
#include "tools/cli/console.h"
#include "tools/cli/locate.h"
#include "tools/version.h"
#include "tracer/counters/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <optional>
#include <unistd.h>

namespace timeless::tools {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Parts what the micro-kernels print into whole lines of measurements, which are kept, and the rest.
class MachineOutput {
public:
  explicit MachineOutput(RawLog& log) : log_(log) {}

  bool hear(std::string_view bytes) {
    pending_ += bytes;
    std::string kept;
    for (std::size_t end = pending_.find('\n'); end != std::string::npos; end = pending_.find('\n')) {
      kept += pending_.substr(0, end + 1);
      if (pending_.starts_with("time,")) log_.expect_measurement(kept.size());
      if (pending_.starts_with("count,")) ++counted_;
      pending_.erase(0, end + 1);
    }
    return log_.write(kept);
  }

  std::size_t counted() const { return counted_; }

private:
  RawLog& log_;
  std::string pending_;
  std::size_t counted_ = 0;
};

[[noreturn]] void stop(const RawLog& log, const std::string& what, const std::string& command) {
  throw Error(Failure::runtime, what, command,
              log.holds_measurements()
                  ? fmt::format("what was measured is in {}: calibrate machine --from fits it where enough was timed",
                                log.path().string())
                  : std::string("nothing was timed, and no file is written"));
}

/// Runs the micro-kernels for so many seconds at most, and keeps what they print. Returns false where they were ended.
bool run_kernels(const std::vector<std::string>& command, const Variables& variables, double most_seconds,
                 MachineOutput& output, const RawLog& log, const std::function<void()>& meanwhile) {
  bool late = false;
  const Captured ran = run_watched(command, variables,
                                   {.heard = [&](std::string_view bytes) { return output.hear(bytes); },
                                    .limit = std::chrono::milliseconds(static_cast<std::int64_t>(most_seconds * 1e3)),
                                    .late = [&] { late = true; },
                                    .meanwhile = meanwhile});
  log.demand_written();
  if (ran.interrupted != 0) stop(log, fmt::format("interrupted ({})", ::strsignal(ran.interrupted)), command.front());
  if (late) return false;
  if (ran.status.code() != 0)
    stop(log,
         fmt::format("the micro-kernels failed with status {}: {}", ran.status.code(),
                     ran.errors.empty() ? "they said nothing" : ran.errors.substr(0, ran.errors.find('\n'))),
         command.front());
  return true;
}

/// Returns how many were counted, where the time was over before all were.
std::optional<std::size_t> count(std::size_t processors, double most_seconds, RawLog& log) {
  constexpr std::size_t most = 16;
  constexpr std::uint64_t about = 138; // cases
  const std::string directory = icount_directory().string();
  const std::vector<std::string> command{
      icount_tool().string(),    "--tool=icount", "--memory=yes",
      "--command-line-only=yes", "--quiet",       "--vgdb=no",
      micro_kernels().string(),  "count",         std::to_string(std::min(processors, most))};
  MachineOutput output(log);
  Progress progress("counting", about);
  const bool all =
      run_kernels(command, {{"VALGRIND_LIB", directory}, {"VALGRIND_LAUNCHER", icount_tool().string()}}, most_seconds,
                  output, log, [&] { progress.update(std::min<std::uint64_t>(output.counted(), about), 0); });
  return all ? std::nullopt : std::optional(output.counted());
}

void time_kernels(const MeasuringPlan& plan, double budget, RawLog& log) {
  constexpr double grace = 5; // seconds in which the last one may end by itself
  std::vector<std::string> command{micro_kernels().string(), "measure", fmt::format("{}", budget),
                                   std::to_string(plan.seed)};
  for (const int processor : plan.processors)
    command.push_back(std::to_string(processor));
  constexpr double tenths = 10;
  const Clock::time_point begin = Clock::now();
  Progress progress("timing", static_cast<std::uint64_t>(budget * tenths));
  MachineOutput output(log);
  run_kernels(command, {}, budget + grace, output, log,
              [&] { progress.update(static_cast<std::uint64_t>(seconds_since(begin) * tenths), 0); });
}

void demand_tools() {
  if (icount_tool().empty())
    throw Error(Failure::missing_capability, "the icount tool is not there, which counts what the micro-kernels do",
                (icount_directory() / "icount-amd64-linux").string(), "install valgrind and rebuild Timeless");
  if (access(micro_kernels().c_str(), X_OK) != 0)
    throw Error(Failure::missing_capability, "the micro-kernels are not there", micro_kernels().string(),
                "build or install Timeless whole");
}

/// With fewer counts than costs, nothing can be fitted, however long the rest is timed.
void demand_enough(const std::optional<std::size_t>& counted, double budget) {
  constexpr std::size_t least = replay::ComputeCosts{}.size();
  if (!counted || *counted >= least) return;
  throw Error(Failure::invalid_input,
              fmt::format("{} micro-kernel{} counted in two thirds of {:.3g} s (--budget), and {} are needed: "
                          "nothing was timed",
                          *counted, *counted == 1 ? " was" : "s were", budget, least),
              "", "measure for longer, with --budget");
}

} // namespace

void measure_machine(const MeasuringPlan& plan, const std::function<void(std::string_view)>& tell) {
  constexpr double for_counting = 2.0 / 3; // of the budget, at most
  demand_tools();
  const Noise noise = noise_here();
  RawLog log(plan.raw, plan.force, "name another file with -o");
  log.write(fmt::format("# format: timeless.machine-raw/1\n# date: {:%Y-%m-%dT%H:%M:%SZ}\n# host: {}\n"
                        "# processor: {}\n# processors: {}\n# seed: {}\n# version: {}\n# noise: {}\n",
                        fmt::gmtime(std::time(nullptr)), noise.host, tracer::cpu_model(), plan.processors.size(),
                        plan.seed, version, noise_text(noise)));
  const Clock::time_point begin = Clock::now();
  tell("counting what the micro-kernels do, under icount");
  const auto counted = count(plan.processors.size(), for_counting * plan.budget, log);
  const double counting = seconds_since(begin);
  demand_enough(counted, plan.budget);
  if (counted)
    tell(fmt::format(
        "counting ended after two thirds of {:.3g} s (--budget), with {} micro-kernel{} counted: the others "
        "are left out; a longer budget reaches them",
        plan.budget, *counted, *counted == 1 ? "" : "s"));
  tell(fmt::format("timing them on {} processor{}, alone and all at once", plan.processors.size(),
                   plan.processors.size() == 1 ? "" : "s"));
  time_kernels(plan, std::max(plan.budget - seconds_since(begin), 0.1), log);
  if (!log.holds_measurements())
    throw Error(Failure::invalid_input,
                fmt::format("nothing was timed within {:.3g} s (--budget), of which counting took {:.3g} s: no file is "
                            "written",
                            plan.budget, counting),
                "", "measure for longer, with --budget");
  log.finish();
}

} // namespace timeless::tools
