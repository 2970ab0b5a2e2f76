#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <string>

namespace timeless::analysis {

/// An extrapolated run beside a recorded one of the same program and number of ranks, action by action.
struct ActionComparison {
  std::uint64_t ranks = 0;
  std::uint64_t ranks_alike = 0; ///< whose actions are the same but for bytes and volumes, all of them
  std::uint64_t actions = 0;     ///< of the recorded run
  std::uint64_t actions_alike = 0;
  std::uint64_t sized = 0;       ///< actions alike that say bytes
  std::uint64_t sized_equal = 0; ///< with the same bytes, and counts
  std::uint64_t volumes = 0;     ///< actions alike that have a volume
  std::uint64_t volumes_equal = 0;
  double volume = 0;       ///< of the recorded run, sum over all ranks
  double volume_error = 0; ///< (extrapolated - recorded) / recorded, of that sum
  double rank_error = 0;   ///< the largest of a rank's sum, as its absolute value
  double balance = 1;      ///< a rank's sum on average by the largest, extrapolated
  double balance_recorded = 1;
  double action_error = 0;           ///< sum of how far each is off, of actions alike, by the recorded sum
  std::string first_difference = {}; ///< in words; empty where all ranks are alike
};

/// Throws Error(invalid_input) where a recorded run has another number of ranks, with which nothing can be compared.
void demand_ranks(const trace::Run& recorded, trace::Rank ranks);

/// Compares runs whose numbers of kernels, regions and communicators may differ. Throws Error(invalid_input) where they
/// have different numbers of ranks.
ActionComparison compare_actions(const trace::Source& extrapolated, const trace::Source& recorded);

} // namespace timeless::analysis
