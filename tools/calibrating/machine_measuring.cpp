#include "tools/calibrating/machine_measuring.h"

#include "base/error.h"
#include "base/processes/command.h"
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
#include <future>
#include <unistd.h>

namespace timeless::tools {

namespace {

std::string host_name() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.c_str();
}

/// What the micro-kernels have printed.
std::string output_of(const Captured& ran, const std::string& command) {
  if (ran.interrupted != 0)
    throw Error(Failure::runtime, fmt::format("interrupted ({}): nothing is kept", ::strsignal(ran.interrupted)),
                command);
  if (ran.status.code() != 0)
    throw Error(Failure::runtime,
                fmt::format("the micro-kernels failed with status {}: {}", ran.status.code(),
                            ran.errors.empty() ? "they said nothing" : ran.errors.substr(0, ran.errors.find('\n'))),
                command);
  return ran.output;
}

/// One part of the cases; they take long under the tool.
std::string counted_part(std::size_t part, std::size_t parts) {
  const std::string directory = icount_directory().string();
  const std::vector<std::string> command{icount_tool().string(),    "--tool=icount", "--memory=yes",
                                         "--command-line-only=yes", "--quiet",       "--vgdb=no",
                                         micro_kernels().string(),  "count",         std::to_string(part),
                                         std::to_string(parts)};
  return output_of(run_captured(command, {{"VALGRIND_LIB", directory}, {"VALGRIND_LAUNCHER", icount_tool().string()}}),
                   command.front());
}

std::string counted(std::size_t processors) {
  constexpr std::size_t most = 16;
  constexpr std::chrono::milliseconds often{200};
  const std::size_t parts = std::min(processors, most);
  Progress progress("counting", parts);
  std::vector<std::future<std::string>> running;
  for (std::size_t part = 0; part < parts; ++part)
    running.push_back(std::async(std::launch::async, counted_part, part, parts));
  std::string lines;
  for (std::size_t part = 0; part < parts; ++part) {
    while (running[part].wait_for(often) != std::future_status::ready)
      progress.update(part, 0);
    lines += running[part].get();
  }
  return lines;
}

std::string timed(const MeasuringPlan& plan) {
  std::vector<std::string> command{micro_kernels().string(), "measure", fmt::format("{}", plan.budget),
                                   std::to_string(plan.seed)};
  for (const int processor : plan.processors)
    command.push_back(std::to_string(processor));
  constexpr double tenths = 10;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  Progress progress("timing", static_cast<std::uint64_t>(plan.budget * tenths));
  const Captured ran = run_watched(command, {}, {.meanwhile = [&] {
                                     const std::chrono::duration<double> spent = Clock::now() - begin;
                                     progress.update(static_cast<std::uint64_t>(spent.count() * tenths), 0);
                                   }});
  return output_of(ran, command.front());
}

} // namespace

std::string measure_machine(const MeasuringPlan& plan, const std::function<void(std::string_view)>& tell) {
  if (icount_tool().empty())
    throw Error(Failure::missing_capability, "the icount tool is not there, which counts what the micro-kernels do",
                (icount_directory() / "icount-amd64-linux").string(), "install valgrind and rebuild Timeless");
  if (access(micro_kernels().c_str(), X_OK) != 0)
    throw Error(Failure::missing_capability, "the micro-kernels are not there", micro_kernels().string(),
                "build or install Timeless whole");
  std::string raw = fmt::format("# format: timeless.machine-raw/1\n# date: {:%Y-%m-%dT%H:%M:%SZ}\n# host: {}\n"
                                "# processor: {}\n# processors: {}\n# seed: {}\n# version: {}\n",
                                fmt::gmtime(std::time(nullptr)), host_name(), tracer::cpu_model(),
                                plan.processors.size(), plan.seed, version);
  tell("counting what the micro-kernels do, under icount");
  raw += counted(plan.processors.size());
  tell(fmt::format("timing them on {} processor{}, alone and all at once", plan.processors.size(),
                   plan.processors.size() == 1 ? "" : "s"));
  return raw + timed(plan);
}

} // namespace timeless::tools
