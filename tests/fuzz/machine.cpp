// Machine files, applied to a run with a profile of memory.
#include "replay/network/compute_costs.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/run_of_kernels.h"
#include "trace/model/memory_events.h"

#include <cmath>
#include <optional>

namespace {

timeless::trace::Run profiled() {
  timeless::trace::MemorySource program = timeless::fuzz::run_of_one_kernel(1);
  timeless::trace::Run& run = program.description();
  run.profile_events = timeless::trace::memory_events();
  timeless::trace::KernelProfile profile{.kernel = 0};
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
