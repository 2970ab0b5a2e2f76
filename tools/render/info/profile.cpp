#include "tools/render/info/profile.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <fmt/format.h>

#include <vector>

namespace timeless::tools {

namespace {

std::string site_text(const trace::Run& run, const trace::CallSite& site) {
  const std::string& module = run.modules.at(site.module).path;
  if (module.empty()) return "-";
  return fmt::format("{}+{:#x}", module.substr(module.rfind('/') + 1), site.offset);
}

} // namespace

std::string to_text(const analysis::Profile& profile, const trace::Run& run) {
  if (run.profile_events.empty()) return "no profile: record with --profile EVENTS to have one\n";
  std::vector<std::string> header{"kernel", "from", "to", "bursts"};
  header.insert(header.end(), run.profile_events.begin(), run.profile_events.end());
  Table table(header);
  for (const analysis::KernelCounts& counts : profile.kernels) {
    const trace::Kernel& kernel = run.kernels.at(counts.kernel);
    std::vector<std::string> row{std::to_string(counts.kernel), site_text(run, kernel.begin),
                                 site_text(run, kernel.end), std::to_string(counts.bursts)};
    for (const double sum : counts.sums)
      row.push_back(human_count(sum));
    table.add(row);
  }
  std::string text = table.text() + "sums over all bursts of all ranks, of the threads that call MPI\n";
  if (profile.ranks_without > 0)
    text += fmt::format("{} of {} ranks did not come to write theirs\n", profile.ranks_without, run.ranks.size());
  return text;
}

nlohmann::ordered_json to_json(const analysis::Profile& profile, const trace::Run& run) {
  auto kernels = nlohmann::ordered_json::array();
  for (const analysis::KernelCounts& counts : profile.kernels) {
    const trace::Kernel& kernel = run.kernels.at(counts.kernel);
    auto events = nlohmann::ordered_json::object();
    for (std::size_t event = 0; event < run.profile_events.size(); ++event)
      events[run.profile_events[event]] = {{"sum", counts.sums[event]}, {"per_rank", to_json(counts.per_rank[event])}};
    kernels.push_back({{"kernel", counts.kernel},
                       {"from", site_text(run, kernel.begin)},
                       {"to", site_text(run, kernel.end)},
                       {"bursts", counts.bursts},
                       {"events", events}});
  }
  return {{"events", run.profile_events}, {"ranks_without", profile.ranks_without}, {"kernels", kernels}};
}

} // namespace timeless::tools
