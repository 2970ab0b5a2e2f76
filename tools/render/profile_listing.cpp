#include "tools/render/profile_listing.h"

#include "tools/cli/console.h"

#include <fmt/format.h>

#include <vector>

namespace timeless::tools {

namespace {

std::string site_text(const trace::Run& run, const trace::CallSite& site) {
  const std::string& module = run.modules.at(site.module).path;
  if (module.empty()) return "-";
  return fmt::format("{}+{:#x}", module.substr(module.rfind('/') + 1), site.offset);
}

/// Ranks that are there without a profile: it is written when the recording ends.
std::size_t ranks_without(const trace::Run& run) {
  std::size_t ranks = 0;
  for (const trace::RankRecord& record : run.ranks)
    ranks += record.profile.empty() ? 1 : 0;
  return ranks;
}

} // namespace

std::string profile_text(const trace::Run& run) {
  if (run.profile_events.empty()) return "no profile: record with --profile EVENTS to have one\n";
  std::vector<std::string> header{"kernel", "from", "to", "bursts"};
  header.insert(header.end(), run.profile_events.begin(), run.profile_events.end());
  Table table(header);
  for (const KernelCounts& counts : kernel_counts(run)) {
    const trace::Kernel& kernel = run.kernels.at(counts.kernel);
    std::vector<std::string> row{std::to_string(counts.kernel), site_text(run, kernel.begin),
                                 site_text(run, kernel.end), std::to_string(counts.bursts)};
    for (const double sum : counts.sums)
      row.push_back(human_count(sum));
    table.add(row);
  }
  std::string text = table.text() + "sums over all bursts of all ranks, of the threads that call MPI\n";
  if (const std::size_t without = ranks_without(run); without > 0)
    text += fmt::format("{} of {} ranks did not come to write theirs\n", without, run.ranks.size());
  return text;
}

nlohmann::ordered_json profile_json(const trace::Run& run) {
  auto kernels = nlohmann::ordered_json::array();
  for (const KernelCounts& counts : kernel_counts(run)) {
    const trace::Kernel& kernel = run.kernels.at(counts.kernel);
    auto events = nlohmann::ordered_json::object();
    for (std::size_t event = 0; event < run.profile_events.size(); ++event)
      events[run.profile_events[event]] = {{"sum", counts.sums[event]},
                                           {"per_rank",
                                            {{"least", counts.per_rank[event].least},
                                             {"mean", counts.per_rank[event].mean},
                                             {"most", counts.per_rank[event].most}}}};
    kernels.push_back({{"kernel", counts.kernel},
                       {"from", site_text(run, kernel.begin)},
                       {"to", site_text(run, kernel.end)},
                       {"bursts", counts.bursts},
                       {"events", events}});
  }
  return {{"events", run.profile_events}, {"ranks_without", ranks_without(run)}, {"kernels", kernels}};
}

} // namespace timeless::tools
