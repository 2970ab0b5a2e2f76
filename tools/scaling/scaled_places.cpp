#include "tools/scaling/scaled_places.h"

#include "analysis/trace/kernel_figures.h"
#include "tools/symbols/calling_function.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>

namespace timeless::tools {

namespace {

/// The places of one run's kernels.
struct PlacesOfRun {
  PlacesOfRun(const trace::Source& source, const std::vector<std::string>& symbols)
      : figures(analysis::kernel_figures(source)), symboliser(source.run(), {symbols.begin(), symbols.end()}),
        places(source.run(), figures, symboliser) {}

  std::vector<analysis::KernelFigures> figures;
  symbols::Symboliser symboliser;
  symbols::KernelPlaces places;
};

} // namespace

void add_functions(std::vector<analysis::ScaledRun>& runs, const std::map<std::string, const trace::Source*>& sources,
                   const std::vector<std::string>& symbols) {
  std::vector<const analysis::ScaledRun*> largest_first;
  for (const analysis::ScaledRun& run : runs)
    largest_first.push_back(&run);
  std::ranges::stable_sort(largest_first, std::greater{},
                           [](const analysis::ScaledRun* run) { return run->place.ranks; });
  std::map<analysis::KernelKey, std::string> names;
  for (const analysis::ScaledRun* scaled : largest_first) {
    const trace::Run& run = sources.at(scaled->name)->run();
    std::optional<symbols::Symboliser> symboliser;
    for (const auto& [key, kernel] : scaled->figures.kernels) {
      if (names.contains(key)) continue;
      if (!symboliser) symboliser.emplace(run, std::vector<std::filesystem::path>{symbols.begin(), symbols.end()});
      names.emplace(key, symbols::calling_function(run, run.kernels[kernel.kernel], *symboliser));
    }
  }
  std::erase_if(names, [](const auto& named) { return named.second.empty(); });
  for (analysis::ScaledRun& run : runs)
    analysis::add_functions(run.figures, names, name(sources.at(run.name)->run().counter.unit));
}

void name_places(ScalingAnswer& answer, const std::map<std::string, const trace::Source*>& sources,
                 const std::vector<std::string>& symbols) {
  std::map<std::size_t, std::unique_ptr<PlacesOfRun>> runs;
  std::map<analysis::SitePath, std::string> words;
  for (const analysis::ScaledKernel& kernel : answer.scaling.kernels) {
    std::unique_ptr<PlacesOfRun>& run = runs[kernel.run];
    if (!run) run = std::make_unique<PlacesOfRun>(*sources.at(answer.scaling.runs[kernel.run].name), symbols);
    answer.kernel_ends.push_back(run->places.ends(kernel.kernel));
    words.emplace(kernel.key.begin, answer.kernel_ends.back().from);
    words.emplace(kernel.key.end, answer.kernel_ends.back().to);
  }
  for (const analysis::ScaledCall& call : answer.scaling.calls) {
    const auto found = words.find(call.key.place);
    answer.call_places.push_back(call.key.place.empty() || found == words.end() ? "" : found->second);
  }
  std::set<std::string> said;
  for (const auto& [number, run] : runs)
    for (const std::string& notice : run->symboliser.notices())
      if (said.insert(notice).second) answer.notices.push_back(notice);
}

} // namespace timeless::tools
