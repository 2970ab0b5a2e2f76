#pragma once

#include "analysis/trace/kernel_figures.h"
#include "tools/symbols/kernel_places.h"

#include <cstddef>
#include <string>
#include <vector>

namespace timeless::tools::symbols {

/// A kernel, what it computes and where.
struct ListedKernel {
  trace::KernelId kernel = trace::no_kernel;
  analysis::KernelFigures figures;
  double share = 0; ///< of what all kernels compute, or of the weights that they are listed by
  CallPath begin;
  CallPath end;
  KernelEnds ends; ///< the same in words
};

/// The kernels of a run that compute most.
struct KernelListing {
  std::vector<ListedKernel> kernels;
  std::size_t visited = 0;          ///< kernels in which anything was computed
  std::vector<std::string> notices; ///< of modules whose places cannot be named, a sentence each
};

/// Returns the `top` kernels of a run by what they compute, all for 0. `figures` are by KernelId, and so are `weights`,
/// such as the time that they take, which count in place of volumes unless none is above 0.
KernelListing list_kernels(const trace::Run& run, const std::vector<analysis::KernelFigures>& figures, std::size_t top,
                           Symboliser& symboliser, std::vector<double> weights = {});

} // namespace timeless::tools::symbols
