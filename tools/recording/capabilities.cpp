#include "tools/recording/capabilities.h"

#include "base/parsing.h"
#include "base/processes/command.h"
#include "tools/cli/console.h"
#include "tools/cli/locate.h"
#include "tools/recording/counter_choice.h"
#include "tools/recording/empty_loop.h"
#include "tools/recording/processors.h"
#include "tools/recording/program_file.h"
#include "tracer/counters/machine.h"
#include "tracer/counters/profile.h"
#include "tracer/icount/icount.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xbt/base.h> // which the next one needs

#include <simgrid/version.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

namespace timeless::tools {

namespace fs = std::filesystem;

namespace {

/// Returns a command's first line of output; nothing when it cannot be run or fails.
std::string version_line(const std::string& command) {
  try {
    const Captured captured = run_captured({command, "--version"});
    return captured.status.code() == 0 ? first_line(captured.output) : std::string();
  } catch (const Error&) {
    return {};
  }
}

/// Returns what the first launcher in the command says of itself, or the mpirun in PATH where that says nothing.
std::string version_of_launcher(const std::vector<std::string>& command) {
  const auto launcher = std::ranges::find_if(command, starts_ranks);
  const std::string version = launcher == command.end() ? "" : version_line(*launcher);
  return version.empty() ? version_line("mpirun") : version;
}

Check check_mpi(const std::vector<std::string>& command) {
  Check check{.subject = "MPI"};
  check.found = version_of_launcher(command);
  // Launchers name themselves: Hydra, which starts programs of MPICH and its relatives; OpenRTE, which is Open MPI's
  // under any name but mpirun and mpiexec; PRRTE, for Open MPI 5.
  for (const char* const known : {"Open MPI", "OpenRTE", "PRRTE", "HYDRA", "Intel(R) MPI", "slurm"})
    if (check.found.find(known) != std::string::npos) return check;
  check.health = check.found.empty() ? Health::missing : Health::warning;
  check.remedy = "Timeless records programs of Open MPI (Debian: openmpi-bin) and of MPICH (mpich)";
  if (check.found.empty()) check.found = "no mpirun in PATH";
  return check;
}

Check check_root() {
  const bool allowed =
      std::getenv("OMPI_ALLOW_RUN_AS_ROOT") != nullptr && std::getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") != nullptr;
  if (geteuid() != 0) return {.subject = "user", .found = "not root"};
  if (allowed) return {.subject = "user", .found = "root, which Open MPI has been allowed"};
  return {.subject = "user",
          .health = Health::warning,
          .found = "root, which Open MPI refuses to serve",
          .remedy = "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or work as another user"};
}

Check check_library() {
  Check check{.subject = "library", .found = preloaded_library().string()};
  std::string trouble;
  if (!fs::exists(preloaded_library())) {
    trouble = "not there";
  } else {
    const Captured shell = run_captured({"sh", "-c", ":"}, {{"LD_PRELOAD", preloaded_library().string()}});
    if (shell.status.code() != 0) trouble = "a shell fails with it";
    if (!shell.errors.empty()) trouble = first_line(shell.errors);
  }
  if (trouble.empty()) return check;
  check.health = Health::missing;
  check.found += ": " + trouble;
  check.remedy = "build or install Timeless whole, at a path without spaces or colons";
  return check;
}

Check check_hardware_counters() {
  const std::string why = why_no_hardware_counter();
  if (why.empty()) return {.subject = "hardware counters", .found = "PAPI_TOT_INS counts, and passes its self-test"};
  return {.subject = "hardware counters",
          .health = Health::warning,
          .found = why,
          .remedy = "recording uses icount instead; or use a machine with hardware counters"};
}

Check check_paranoid() {
  const std::optional<int> level = tracer::perf_event_paranoid();
  constexpr int users_may_count = 2;
  if (!level) return {.subject = "perf_event_paranoid", .found = "the kernel shows none"};
  if (*level <= users_may_count || geteuid() == 0)
    return {.subject = "perf_event_paranoid", .found = std::to_string(*level)};
  return {.subject = "perf_event_paranoid",
          .health = Health::warning,
          .found = std::to_string(*level) + ": users may not count",
          .remedy = "sudo sysctl kernel.perf_event_paranoid=2"};
}

/// Events that a profile may count; there may be none, and recording works all the same.
Check check_profile_events() {
  constexpr std::size_t shown = 100;
  try {
    const std::vector<std::string> events = tracer::available_events(shown);
    if (!events.empty()) return {.subject = "profile events", .found = fmt::format("{}", fmt::join(events, " "))};
    return {.subject = "profile events",
            .found = "none of the processor's; PAPI's software events, such as perf::PAGE-FAULTS"};
  } catch (const Error& problem) {
    return {.subject = "profile events",
            .health = Health::warning,
            .found = problem.description(),
            .remedy = "install PAPI 7 (Debian: libpapi7.0)"};
  }
}

/// Returns why a program under the tool does not count what it should, or nothing.
std::string icount_trouble() {
  if (const std::string why = why_no_icount(); !why.empty()) return why;
  const std::string tool = icount_tool().string();
  const Captured run =
      run_captured({tool, "--tool=icount", "--command-line-only=yes", "--quiet", "--vgdb=no", icount_probe()},
                   {{"VALGRIND_LIB", icount_directory()}, {"VALGRIND_LAUNCHER", tool}});
  unsigned long abi = 0;
  unsigned long shorter = 0;
  unsigned long longer = 0;
  std::istringstream answer(run.output);
  answer >> std::hex >> abi >> std::dec >> shorter >> longer;
  constexpr unsigned long more_instructions = 2 * 1000;
  if (run.status.code() != 0 || !answer) return "a program fails under it: " + first_line(run.errors);
  if (abi != ICOUNT_ABI_VERSION) return "it is of another version of Timeless";
  if (longer - shorter != more_instructions)
    return fmt::format("it counted {} for {} instructions", longer - shorter, more_instructions);
  return {};
}

Check check_icount() {
  const std::string trouble = icount_trouble();
  if (trouble.empty())
    return {.subject = "icount", .found = "works under Valgrind, and counted a loop of 2000 instructions exactly"};
  return {.subject = "icount",
          .health = Health::missing,
          .found = trouble,
          .remedy = "install valgrind on x86-64 Linux and rebuild Timeless, or use hardware counters"};
}

/// Returns whether times measured here mean something. Recording needs none.
Check check_quiet() {
  const analysis::Quietness worst = quietness_here();
  Check check{.subject = "quiet enough",
              .found = fmt::format("a loop of 1 ms on all processors varies by {:.1f} % (quartiles); one in 20 takes "
                                   "{:.0f} % longer",
                                   100 * worst.spread, 100 * worst.worst)};
  double load[1] = {};
  if (getloadavg(load, 1) == 1) check.found += fmt::format("; load {:.1f}", load[0]);
  if (worst.quiet()) return check;
  check.health = Health::warning;
  check.remedy = "too noisy to calibrate: stop other programs, take a node of its own, fix the processor's frequency "
                 "(cpupower frequency-set -g performance), bind ranks to cores; recording is not concerned";
  return check;
}

Check check_wide_vectors() {
  if (!tracer::cpu_has("avx512f")) return {.subject = "AVX-512", .found = "the processor has none"};
  return {.subject = "AVX-512",
          .health = Health::warning,
          .found =
              "the processor has it, Valgrind does not: programs built with -march=native die of SIGILL under icount",
          .remedy = "build programs to be recorded with icount with -mno-avx512f"};
}

Check check_simgrid() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return {.subject = "SimGrid", .found = fmt::format("{}.{}.{}", major, minor, patch)};
}

Check check_directory(const fs::path& directory) {
  fs::path existing = fs::absolute(directory);
  while (!fs::exists(existing) && existing.has_relative_path())
    existing = existing.parent_path();
  Check check{.subject = "trace directory"};
  if (access(existing.c_str(), W_OK | X_OK) != 0) {
    check.health = Health::missing;
    check.found = existing.string() + " cannot be written";
    check.remedy = "name another directory with timeless record -o";
    return check;
  }
  constexpr std::uintmax_t little = std::uintmax_t{1} << 30U;
  const std::uintmax_t free = fs::space(existing).available;
  check.found = fmt::format("{}: {} free", existing.string(), human_bytes(static_cast<double>(free)));
  if (free < little) {
    check.health = Health::warning;
    check.remedy = "long runs may fill it: name another directory with timeless record -o";
  }
  return check;
}

Check check_cores() {
  const std::size_t cores = usable_processors().size();
  return {.subject = "cores",
          .found = fmt::format("{} ({}); more ranks than that: mpirun --oversubscribe", cores, tracer::cpu_model())};
}

} // namespace

const char* name(Health health) {
  switch (health) {
  case Health::ok:
    return "ok";
  case Health::warning:
    return "warning";
  case Health::missing:
    break;
  }
  return "missing";
}

Capabilities examine(const fs::path& directory, const std::vector<std::string>& command) {
  Progress progress("examining this machine", 12, "checks");
  std::uint64_t done = 0;
  const auto done_with = [&](Check check) {
    progress.update(++done, 0);
    return check;
  };
  const Check mpi = done_with(check_mpi(command));
  const Check library = done_with(check_library());
  const Check counters = done_with(check_hardware_counters());
  const Check icount = done_with(check_icount());
  const Check writable = done_with(check_directory(directory));
  const bool counting = counters.health == Health::ok || icount.health == Health::ok;
  return {.checks = {mpi, done_with(check_root()), library, counters, done_with(check_paranoid()),
                     done_with(check_profile_events()), icount, done_with(check_wide_vectors()), writable,
                     done_with(check_simgrid()), done_with(check_cores()), done_with(check_quiet())},
          .recording_possible = counting && mpi.health == Health::ok && library.health == Health::ok &&
                                writable.health != Health::missing};
}

} // namespace timeless::tools
