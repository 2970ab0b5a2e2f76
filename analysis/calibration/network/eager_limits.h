#pragma once

#include "analysis/calibration/network/curve.h"
#include "analysis/calibration/network/samples.h"

#include <cstdint>
#include <optional>

namespace timeless::analysis {

/// The largest message that does not wait for its receive.
struct EagerLimit {
  std::uint64_t at_least = 0;              ///< such a message did not wait
  std::optional<std::uint64_t> below = {}; ///< such a message did wait; nothing: none was found that does
  bool exact() const { return below && *below == at_least + 1; }
};

/// Finds the limit from sends whose receive came late: one that took half of its delay or more has waited. Nothing
/// without samples. Launches that contradict each other: the largest size that waited in none of them.
std::optional<EagerLimit> eager_limit(const Series& delayed);

/// A share of something, and its interval.
struct MeasuredShare {
  double share = 0;
  FitInterval interval = {};
};

/// Returns what is left to wait for once the sender of a message has computed for several times what it takes, over
/// what half a round trip takes: 0 where a rendezvous progresses meanwhile, 1 where it does not begin. The median over
/// messages above `eager`; nothing without.
std::optional<MeasuredShare> left_after_overlap(const Series& overlap, const Curve& half_round_trip,
                                                std::uint64_t eager);

} // namespace timeless::analysis
