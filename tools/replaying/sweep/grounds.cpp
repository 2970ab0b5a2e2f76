#include "tools/replaying/sweep/grounds.h"

namespace timeless::tools {

analysis::Grounds grounds(const trace::Run& run, const PresetMachineOptions& machine, const RateRange& rates,
                          double makespan, const replay::Sensitivity& path) {
  return {.complete = run.complete(),
          .computes = run.counter.unit != trace::VolumeUnit::none,
          .rate_assumed = rates.from == "assumed",
          .rate_given = rates.from == "given",
          .rate_derived = rates.from == "machine",
          .rate_borrowed = machine.calibrated ? machine.calibrated->borrowed : 0,
          .rate_changes_times = !rates.from.empty(),
          .rate_fits = !machine.calibrated || machine.calibrated->fits,
          .rate_noisy = machine.rates_noisy,
          .exact = run.counter.exactness != trace::Exactness::inexact,
          .communication = makespan > 0 ? (path.latency + path.bandwidth) / makespan : 0,
          .compared = false};
}

} // namespace timeless::tools
