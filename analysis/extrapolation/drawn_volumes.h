#pragma once

#include "analysis/extrapolation/recorded_class.h"

#include <cstdint>
#include <optional>
#include <vector>

/// Volumes that differ between ranks in the same position without a law, drawn for a target.
namespace timeless::analysis {

/// A recorded rank.
struct RecordedRank {
  std::uint32_t run = 0; ///< number of the run
  trace::Rank rank = 0;
};

/// Returns the ranks in a position, given by run, whose differences from the laws are drawn from: those of the largest
/// run, and of smaller ones where it has few, since by how much ranks differ may change with their number.
std::vector<RecordedRank> donors_in(const std::vector<std::vector<trace::Rank>>& position);

/// Returns the donor of a rank of the target: any, one as likely as the other, the same for the same seed.
RecordedRank donor_of(const std::vector<RecordedRank>& donors, std::uint64_t seed, trace::Rank rank);

/// What ranks of a run have of a figure.
struct RunMean {
  double mean = 0;    ///< 0 where the run lacks it
  double stretch = 1; ///< by how much differences from the mean of so few ranks are too small: sqrt(n / (n - 1))
};

/// Returns the mean of a figure in each of so many runs. `by_visit`: what is drawn differs from visit to visit, too, of
/// which there are enough: differences are left as they are, as are those between trips.
std::vector<RunMean> means_by_run(const std::vector<Observation>& figure, std::size_t runs, bool by_visit);

/// The volumes of a recorded rank, by slot and trip. Memory for all of its actions.
class DonorVolumes {
public:
  /// Reads a rank that has these slots.
  DonorVolumes(const RecordedRun& run, const RecordedRank& rank, const LoopLayout& layout);

  /// Returns whose they are.
  const RecordedRank& rank() const { return rank_; }
  /// Returns the volume in a slot, in a trip of the loop around: those beyond what the rank makes begin again with its
  /// first. Nothing where it makes no trip of that loop.
  std::optional<std::uint64_t> at(std::size_t slot, std::uint64_t trip) const;

private:
  RecordedRank rank_;
  const LoopLayout* layout_;
  std::vector<std::uint64_t> trips_;   ///< by loop
  std::vector<std::uint64_t> volumes_; ///< by action; 0 of those without
};

} // namespace timeless::analysis
