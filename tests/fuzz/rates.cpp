// Files of rates, applied to a run with two ranks and one kernel.
#include "replay/network/compute_rates.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/run_of_kernels.h"

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  static fuzz::MemoryFile file;
  static const trace::Run run = fuzz::run_of_one_kernel(2).run();
  file.hold(fuzz::text(data, size));
  std::optional<replay::ComputeRates> rates;
  if (!fuzz::reads([&] { rates = replay::read_rates(file.path()); })) return 0;
  fuzz::reads([&] {
    for (const double factor : replay::kernel_factors(*rates, run))
      fuzz::demand(factor >= 0 && std::isfinite(factor), "a factor is a number");
  });
  if (!rates->instances.empty()) {
    const std::array<replay::KernelOfRun, 2> kernels{{{.units_per_visit = 100, .places = "main 1/2..main 2/2"}, {}}};
    for (const replay::KernelTiming& timing :
         replay::timings(rates->instances, run, std::span(kernels).first(run.kernels.size()), 1000))
      fuzz::demand(!std::isnan(timing.seconds_per_unit), "a unit takes some time");
  }
  const std::array<std::string, 2> nodes{"node-1", "node-2.cluster"};
  const std::array<double, 2> otherwise{1e-9, 2e-9};
  fuzz::reads([&] {
    for (const double seconds : replay::seconds_per_unit(*rates, nodes, otherwise))
      fuzz::demand(seconds > 0 && std::isfinite(seconds), "a unit takes some time");
  });
  return 0;
}
