#include "tools/replaying/options/kernel_names.h"

#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/options/timeline_request.h"
#include "tools/symbols/kernel_places.h"

#include "base/error.h"

#include <utility>

namespace timeless::tools {

void name_kernels(Prediction& prediction, const trace::Source& source, const std::vector<std::string>& symbols) {
  const trace::Run& run = source.run();
  std::vector<analysis::KernelFigures> figures;
  {
    Progress progress("reading", total_actions(run));
    figures = analysis::kernel_figures(source, [&](std::uint64_t done) { progress.update(done); });
  }
  symbols::Symboliser symboliser(run, {symbols.begin(), symbols.end()});
  const symbols::KernelPlaces places(run, figures, symboliser);
  const auto name = [&](trace::KernelId kernel) {
    if (kernel < run.kernels.size() && !prediction.kernels.contains(kernel))
      prediction.kernels[kernel] = places.ends(kernel);
  };
  if (prediction.result.attribution.by == replay::AttributeBy::kernels)
    for (const replay::AttributedTimes& part : prediction.result.attribution.parts)
      name(part.subject);
  for (const auto& contention : prediction.contentions)
    if (contention)
      for (const analysis::KernelContention& kernel : contention->kernels)
        name(kernel.kernel);
  if (prediction.critical_path)
    for (const auto& [kernel, seconds] : prediction.critical_path->by_kernel)
      name(kernel);
  // Contention by kernel comes unasked: what its names lack is no reason to warn.
  const bool asked =
      prediction.result.attribution.by == replay::AttributeBy::kernels || prediction.critical_path.has_value();
  if (!asked) return;
  for (const std::string& notice : symboliser.notices())
    print_warning(notice);
}

std::string KernelNames::operator()(trace::KernelId kernel) {
  if (kernel >= source_.run().kernels.size()) return "kernel " + std::to_string(kernel);
  if (figures_.empty()) figures_ = analysis::kernel_figures(source_);
  const std::string name = symbols::KernelPlaces(source_.run(), figures_, symboliser_).text(kernel);
  return name.empty() ? "kernel " + std::to_string(kernel) : name;
}

std::unique_ptr<replay::timeline::Timeline> asked_timeline(ReplayRequest& request, const trace::Source& source,
                                                           bool writes) {
  replay::timeline::TimelineOptions options = timeline_options(request.timeline, source.run().size);
  const bool simgrids = timeline_format(request.timeline) == "simgrid";
  if (simgrids && request.prediction.backend != Backend::smpi)
    throw Error(Failure::usage, "SimGrid writes a timeline of what it simulates", "--timeline-format simgrid",
                "give --backend smpi, or take another format");
  if (request.timeline.asked()) demand_output_apart(request.timeline.file, files_read(request.prediction, source));
  if (!request.timeline.asked() || simgrids) return nullptr;
  options.kernel = [names = std::make_shared<KernelNames>(source, request.symbols)](trace::KernelId kernel) {
    return (*names)(kernel);
  };
  options.writes = writes;
  auto timeline = std::make_unique<replay::timeline::Timeline>(std::move(options));
  request.prediction.observer = timeline.get();
  return timeline;
}

} // namespace timeless::tools
