#include "analysis/trace/profile.h"

#include <algorithm>
#include <map>

namespace timeless::analysis {

std::vector<KernelCounts> kernel_counts(const trace::Run& run) {
  const std::size_t events = run.profile_events.size();
  std::map<trace::KernelId, std::vector<const trace::KernelProfile*>> profiles;
  for (const trace::RankRecord& record : run.ranks)
    for (const trace::KernelProfile& profile : record.profile)
      profiles[profile.kernel].push_back(&profile);
  std::vector<KernelCounts> result;
  for (const auto& [kernel, of_ranks] : profiles) {
    KernelCounts counts{.kernel = kernel, .bursts = 0, .sums = std::vector<double>(events), .per_rank = {}};
    for (const trace::KernelProfile* profile : of_ranks)
      counts.bursts += profile->bursts;
    for (std::size_t event = 0; event < events; ++event) {
      std::vector<double> values;
      for (const trace::KernelProfile* profile : of_ranks) {
        values.push_back(static_cast<double>(profile->sums[event]));
        counts.sums[event] += values.back();
      }
      counts.per_rank.push_back(spread(values));
    }
    result.push_back(std::move(counts));
  }
  std::ranges::stable_sort(result, std::greater{}, [](const KernelCounts& counts) { return counts.sums.at(0); });
  return result;
}

Profile profile_of(const trace::Run& run) {
  const auto without = std::ranges::count_if(run.ranks, [](const auto& record) { return record.profile.empty(); });
  return {.kernels = kernel_counts(run), .ranks_without = static_cast<std::size_t>(without)};
}

} // namespace timeless::analysis
