#pragma once

#include "replay/result/full_links.h"
#include "replay/result/result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace timeless::analysis {

/// The time of something in the model, where every message is alone, and in SMPI on the same platform.
struct TimeWithAndWithout {
  double model = 0; ///< seconds
  double smpi = 0;  ///< seconds
  double difference() const { return smpi - model; }
};

/// A kernel's time with contention and without.
struct KernelContention {
  std::uint32_t kernel = 0; ///< or replay::no_subject, replay::other_subjects
  std::uint64_t count = 0;  ///< computations, over all ranks
  TimeWithAndWithout time;  ///< mean over the ranks: the kernel and the calls up to the next one
};

/// What SMPI's replay takes longer than the model of the same platform: messages that share links and hosts' cores, and
/// what else the two do differently (docs/smpi.md).
struct Contention {
  TimeWithAndWithout makespan;
  std::vector<TimeWithAndWithout> ranks;
  std::vector<KernelContention> kernels; ///< those that differ most first; empty where nobody divided the time
  /// SMPI's, those that slowed messages down most first; where they were watched.
  std::optional<std::vector<replay::FullLink>> links = {};
};

/// Compares two results of the same run, both divided by kernels or not; `lane` of the model's, and the only one of
/// SMPI's. The model's lane must not have ended in a deadlock.
Contention contention(const replay::Result& smpi, const replay::Result& model, std::size_t lane);

} // namespace timeless::analysis
