#pragma once

#include "replay/network/measured_rates.h"
#include "trace/model/source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace timeless::replay {

/// A run whose volumes have become those that take, at one rate, what its kernels' timings give them. Whatever replays
/// it needs that rate and nothing else.
class RatedSource : public trace::Source {
public:
  struct Rates {
    std::vector<KernelTiming> kernels; ///< by KernelId
    KernelTiming rest;                 ///< of computations without a kernel
    double units_per_second = 1;       ///< the rate that the volumes are for
    /// Draws each visit's time from its kernel's relative times. A visit's number is drawn from seed, rank, kernel and
    /// the count of the rank's visits to it, so that neither threads nor processes nor instructions change it.
    std::optional<std::uint64_t> noise = {};
  };

  RatedSource(std::unique_ptr<trace::Source> source, Rates rates)
      : source_(std::move(source)), rates_(std::move(rates)) {}

  const trace::Run& run() const override { return source_->run(); }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override;

private:
  std::unique_ptr<trace::Source> source_;
  Rates rates_;
};

/// Returns the value of the distribution with these quantiles at u, 0 <= u < 1: on the lines between them, constant at
/// the ends. Only sums and products, so the same on all machines.
double relative_time(const RelativeTimes& times, double u);

} // namespace timeless::replay
