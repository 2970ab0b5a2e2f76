#include "tools/reporting/contents.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"

#include "analysis/traffic.h"

#include <algorithm>

namespace timeless::tools {

namespace {

constexpr std::size_t most_kernels = 40;

/// Seconds that each kernel computes on the base machine, over all ranks.
std::map<trace::KernelId, double> computing(const Report& report) {
  std::map<trace::KernelId, double> seconds;
  for (const replay::AttributedTimes& part : report.prediction.result.attribution.parts)
    if (report.base < part.lanes.size()) seconds[part.subject] += part.lanes[report.base].compute;
  return seconds;
}

void read_kernels(Report& report, const trace::Source& source, const std::function<void(std::uint64_t)>& progress) {
  symbols::Symboliser symboliser(source.run(), {report.asked.symbols.begin(), report.asked.symbols.end()});
  symbols::KernelListing listing =
      symbols::list_kernels(source.run(), analysis::kernel_figures(source, progress), most_kernels, symboliser);
  const std::map<trace::KernelId, double> seconds = computing(report);
  const auto& path = report.prediction.critical_path;
  for (symbols::ListedKernel& kernel : listing.kernels) {
    ReportedKernel one{.kernel = std::move(kernel)};
    if (const auto found = seconds.find(one.kernel.kernel); found != seconds.end()) one.seconds = found->second;
    if (path)
      if (const auto found = path->by_kernel.find(one.kernel.kernel); found != path->by_kernel.end())
        one.path_seconds = found->second;
    if (one.seconds > 0) one.rate = one.kernel.figures.volume / one.seconds;
    report.kernels.push_back(std::move(one));
  }
  report.kernel_count = listing.visited;
  report.symbol_notices = std::move(listing.notices);
}

} // namespace

void read_contents(Report& report, const trace::Source& source) {
  Progress bar("reading " + report.asked.traces.front(), 4 * total_actions(source.run()));
  std::uint64_t before = 0;
  const auto progress = [&](std::uint64_t done) { bar.update(before + done); };
  const auto next = [&] { before += total_actions(source.run()); };
  report.summary = analysis::summarise(source, progress);
  next();
  report.messages.sizes = analysis::size_histogram(source, progress);
  next();
  report.messages.matrix = analysis::traffic_blocks(analysis::traffic(source, {}, progress), source.run().size);
  next();
  read_kernels(report, source, progress);
  if (report.asked.platforms.empty())
    report.messages.eager_limit = named_network(report.asked.machine.networks[report.base]).eager_limit;
}

} // namespace timeless::tools
