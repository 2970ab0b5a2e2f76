#include "tools/info/kernels.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/render/kernel_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

void print_listing(const KernelListing& listing, std::size_t visited) {
  if (listing.run.counter.unit == trace::VolumeUnit::none) {
    fmt::print("\n");
    print_line("no kernels: no computation was recorded");
    return;
  }
  fmt::print("\n{}", listing_text(listing));
  if (visited > listing.listed.size())
    print_line("  and {} more kernels: --top 0 lists all", visited - listing.listed.size());
}

} // namespace

void show_kernels(const InfoRequest& request, const trace::Source& source, nlohmann::ordered_json& json) {
  const trace::Run& run = source.run();
  std::vector<KernelFigures> kernels;
  {
    Progress progress("reading", total_actions(run));
    kernels = kernel_figures(source, [&](std::uint64_t done) { progress.update(done); });
  }
  std::vector<trace::KernelId> listed = heaviest(kernels);
  const std::size_t visited = listed.size();
  if (request.top > 0) listed.resize(std::min(listed.size(), request.top));
  symbols::Symboliser symboliser(run, {request.symbols.begin(), request.symbols.end()});
  const KernelListing listing{run, kernels, listed, symboliser};
  if (request.as_data()) {
    json["kernels_visited"] = visited;
    json["kernels"] = listing_json(listing);
    json["notices"] = symboliser.notices();
  } else {
    print_listing(listing, visited);
  }
  for (const std::string& notice : symboliser.notices())
    print_warning(notice);
}

} // namespace timeless::tools
