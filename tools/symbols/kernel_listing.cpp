#include "tools/symbols/kernel_listing.h"

#include <algorithm>
#include <numeric>

namespace timeless::tools::symbols {

KernelListing list_kernels(const trace::Run& run, const std::vector<analysis::KernelFigures>& figures, std::size_t top,
                           Symboliser& symboliser) {
  const double total =
      std::accumulate(figures.begin(), figures.end(), 0.0,
                      [](double sum, const analysis::KernelFigures& kernel) { return sum + kernel.volume; });
  std::vector<trace::KernelId> listed = analysis::heaviest(figures);
  KernelListing listing{.kernels = {}, .visited = listed.size(), .notices = {}};
  if (top > 0) listed.resize(std::min(listed.size(), top));
  const KernelPlaces places(run, figures, symboliser);
  for (const trace::KernelId kernel : listed)
    listing.kernels.push_back({.kernel = kernel,
                               .figures = figures[kernel],
                               .share = total > 0 ? figures[kernel].volume / total : 0,
                               .begin = places.begin_path(kernel),
                               .end = places.end_path(kernel),
                               .ends = places.ends(kernel)});
  listing.notices = symboliser.notices();
  return listing;
}

} // namespace timeless::tools::symbols
