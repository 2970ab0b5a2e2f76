#include "tools/symbols/kernel_listing.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace timeless::tools::symbols {

KernelListing list_kernels(const trace::Run& run, const std::vector<analysis::KernelFigures>& figures, std::size_t top,
                           Symboliser& symboliser, std::vector<double> weights) {
  if (std::ranges::none_of(weights, [](double weight) { return weight > 0; })) {
    weights.clear();
    for (const analysis::KernelFigures& kernel : figures)
      weights.push_back(kernel.volume);
  }
  weights.resize(figures.size());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<trace::KernelId> listed = analysis::heaviest(figures);
  std::ranges::stable_sort(listed, std::ranges::greater{}, [&](trace::KernelId kernel) { return weights[kernel]; });
  KernelListing listing{.kernels = {}, .visited = listed.size(), .notices = {}};
  if (top > 0) listed.resize(std::min(listed.size(), top));
  const KernelPlaces places(run, figures, symboliser);
  for (const trace::KernelId kernel : listed)
    listing.kernels.push_back({.kernel = kernel,
                               .figures = figures[kernel],
                               .share = total > 0 ? weights[kernel] / total : 0,
                               .begin = places.begin_path(kernel),
                               .end = places.end_path(kernel),
                               .ends = places.ends(kernel)});
  listing.notices = symboliser.notices();
  return listing;
}

} // namespace timeless::tools::symbols
