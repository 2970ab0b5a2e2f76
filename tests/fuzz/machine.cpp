// Machine files, applied to a run with a profile of memory.
#include "replay/network/compute_costs.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include "trace/model/memory_events.h"
#include "trace/model/memory_source.h"

#include <cmath>
#include <optional>

namespace {

timeless::trace::Run profiled() {
  timeless::trace::MemorySource program(1);
  timeless::trace::Run& run = program.description();
  run.modules = {{.path = "/bin/app", .build_id = {}}};
  const auto kernel = program.add_kernel({.begin = {.module = 0, .offset = 16}, .end = {.module = 0, .offset = 32}});
  run.profile_events = timeless::trace::memory_events();
  timeless::trace::KernelProfile profile{.kernel = kernel};
  profile.sums.assign(run.profile_events.size(), 1000);
  run.ranks.at(0).profile = {profile};
  return program.run();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  static fuzz::MemoryFile file;
  static const trace::Run run = profiled();
  file.hold(fuzz::text(data, size));
  std::optional<replay::MachineCosts> machine;
  if (!fuzz::reads([&] { machine = replay::read_machine(file.path()); })) return 0;
  for (const std::uint32_t ranks : {1U, 2U, 1000U}) try {
      const replay::ComputedSpeeds speeds = replay::computed_speeds(*machine, run, ranks);
      fuzz::demand(speeds.units_per_second > 0 && std::isfinite(speeds.units_per_second), "a rate is a number");
      for (const double factor : speeds.kernel_factors)
        fuzz::demand(factor >= 0 && std::isfinite(factor), "a factor is a number");
    } catch (const Error& problem) {
      fuzz::demand(problem.failure() == Failure::usage, problem.what());
    }
  return 0;
}
