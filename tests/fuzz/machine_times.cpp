// Measurements of a machine, and the costs that are fitted to them.
#include "tests/fuzz/fuzz.h"
#include "tools/calibrating/machine_raw.h"

#include <cmath>
#include <optional>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  std::optional<tools::MachineRaw> raw;
  if (!fuzz::reads([&] { raw = tools::read_machine_raw(fuzz::text(data, size), "raw.csv"); })) return 0;
  try {
    const analysis::MachineFit fit = analysis::fit_machine(raw->cases, raw->processors, std::nullopt);
    for (const replay::ComputeCosts* costs : {&fit.machine.alone, &fit.machine.busy})
      for (const double cost : *costs)
        fuzz::demand(cost >= 0 && std::isfinite(cost), "a cost is a number");
  } catch (const Error& problem) {
    fuzz::demand(problem.failure() == Failure::usage || problem.failure() == Failure::invalid_input, problem.what());
  }
  return 0;
}
