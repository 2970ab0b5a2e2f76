#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace timeless::analysis {

/// What one kernel computes: over its visits, over all ranks. Volumes are in the run's unit.
///
/// A visit is one computation of the kernel; those of volume 0 are not recorded and do not count.
struct KernelFigures {
  std::uint64_t visits = 0;
  double volume = 0; ///< of all visits
  double mean = 0;   ///< of a visit
  double least = 0;
  double most = 0;
  double squares = 0; ///< of the differences from the mean, summed

  std::size_t ranks = 0;    ///< that have visited it; the next two are over these
  double least_of_rank = 0; ///< volume of all visits of a rank
  double most_of_rank = 0;

  double workers = 0; ///< volume of the ranks' worker threads meanwhile, where they were counted

  std::string begin_call =
      {};                    ///< "MPI_Send": the call at its begin; empty when it is not known, or not always the same
  std::string end_call = {}; ///< likewise

  /// Returns the coefficient of variation over the visits: standard deviation over mean.
  double variation() const;
};

/// Returns the figures of every kernel of the run, by KernelId. Reads the run once; its memory is bounded by the number
/// of kernels. `progress`, if given, is called now and then with the actions read.
std::vector<KernelFigures> kernel_figures(const trace::Source& source,
                                          const std::function<void(std::uint64_t)>& progress = {});

/// Returns the kernels in which anything was computed, those that compute most first.
std::vector<trace::KernelId> heaviest(const std::vector<KernelFigures>& kernels);

} // namespace timeless::analysis
