#include "tools/symbols/place_labels.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace timeless::tools::symbols {

namespace {

/// The places of a run, by the function that they are in.
class Places {
public:
  Places(const trace::Run& run, Symboliser& symboliser) {
    std::set<trace::CallSite> sites;
    for (const trace::Kernel& kernel : run.kernels) {
      sites.insert(kernel.begin);
      sites.insert(kernel.end);
    }
    for (const trace::CallSite& site : sites) {
      if (site.module >= run.modules.size() || run.modules[site.module].path.empty()) continue;
      const SourcePlace place = symboliser.place(site);
      const std::string& function = place.inlined_into.empty() ? place.function : place.inlined_into;
      if (function.empty()) continue;
      std::set<trace::CallSite>& all = by_function_[{site.module, function}];
      all.insert(site);
      function_of_[site] = {site.module, function};
    }
  }

  std::string label(const trace::CallSite& site) const {
    const auto known = function_of_.find(site);
    if (known == function_of_.end()) return {};
    const std::set<trace::CallSite>& all = by_function_.at(known->second);
    const auto place = std::distance(all.begin(), all.find(site)) + 1;
    return fmt::format("{} {}/{}", known->second.second, place, all.size());
  }

private:
  using Function = std::pair<std::uint32_t, std::string>; ///< module and name
  std::map<Function, std::set<trace::CallSite>> by_function_;
  std::map<trace::CallSite, Function> function_of_;
};

} // namespace

std::vector<std::string> place_labels(const trace::Run& run, Symboliser& symboliser) {
  const Places places(run, symboliser);
  std::vector<std::string> labels;
  std::map<std::string, std::size_t> uses;
  for (const trace::Kernel& kernel : run.kernels) {
    const std::string begin = places.label(kernel.begin);
    const std::string end = places.label(kernel.end);
    labels.push_back(begin.empty() || end.empty() ? "" : begin + ".." + end);
    ++uses[labels.back()];
  }
  for (std::string& label : labels)
    if (uses[label] > 1) label.clear();
  return labels;
}

} // namespace timeless::tools::symbols
