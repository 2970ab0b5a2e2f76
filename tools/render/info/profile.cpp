#include "tools/render/info/profile.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include "trace/model/memory_events.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

std::string site_text(const trace::Run& run, const trace::CallSite& site) {
  const std::string& module = run.modules.at(site.module).path;
  if (module.empty()) return "-";
  return fmt::format("{}+{:#x}", module.substr(module.rfind('/') + 1), site.offset);
}

/// Caches to show the misses of: a core has about the first two to itself, and shares the last.
struct ShownCache {
  const char* name;
  double bytes;
};
constexpr std::array<ShownCache, 3> shown_caches = {{{"32KiB", 32768}, {"1MiB", 1048576}, {"32MiB", 33554432}}};

bool is_of_memory(const trace::Run& run) {
  return run.profile_events == trace::memory_events();
}

/// Returns lines that a cache misses, without new ones: those in the order of their neighbours, and the others.
std::pair<double, double> misses(const analysis::KernelCounts& counts, double bytes) {
  const auto of = [&](trace::FetchOrder order) { return trace::lines_beyond(counts.sums, order, bytes); };
  return {of(trace::FetchOrder::sequential), of(trace::FetchOrder::random) + of(trace::FetchOrder::chained)};
}

std::vector<std::string> columns(const trace::Run& run) {
  if (!is_of_memory(run)) return run.profile_events;
  std::vector<std::string> names{"instructions", "loads", "stores", "waits", "mispredicted", "new lines"};
  for (const ShownCache& cache : shown_caches)
    names.push_back(fmt::format("miss {}", cache.name));
  return names;
}

std::vector<std::string> cells(const analysis::KernelCounts& counts, const trace::Run& run) {
  std::vector<std::string> row;
  if (!is_of_memory(run)) {
    for (const double sum : counts.sums)
      row.push_back(human_count(sum));
    return row;
  }
  for (const trace::MemoryEvent event : {trace::memory_instructions, trace::memory_loads, trace::memory_stores,
                                         trace::memory_waits, trace::memory_misguesses})
    row.push_back(human_count(counts.sums.at(event)));
  row.push_back(human_count(trace::new_lines(counts.sums)));
  for (const ShownCache& cache : shown_caches) {
    const auto [in_order, others] = misses(counts, cache.bytes);
    row.push_back(human_count(in_order) + " + " + human_count(others));
  }
  return row;
}

nlohmann::ordered_json cache_misses(const analysis::KernelCounts& counts) {
  auto json = nlohmann::ordered_json::array();
  for (const ShownCache& cache : shown_caches) {
    const auto [in_order, others] = misses(counts, cache.bytes);
    json.push_back({{"bytes", cache.bytes}, {"in_order", in_order}, {"others", others}});
  }
  return json;
}

} // namespace

std::string to_text(const analysis::Profile& profile, const trace::Run& run) {
  if (run.profile_events.empty()) return "no profile: record with --profile EVENTS to have one\n";
  std::vector<std::string> header{"kernel", "from", "to", "bursts"};
  std::ranges::move(columns(run), std::back_inserter(header));
  Table table(header);
  for (const analysis::KernelCounts& counts : profile.kernels) {
    const trace::Kernel& kernel = run.kernels.at(counts.kernel);
    std::vector<std::string> row{std::to_string(counts.kernel), site_text(run, kernel.begin),
                                 site_text(run, kernel.end), std::to_string(counts.bursts)};
    std::ranges::move(cells(counts, run), std::back_inserter(row));
    table.add(row);
  }
  std::string text = table.text() + "sums over all bursts of all ranks, of the threads that call MPI\n";
  if (is_of_memory(run))
    text +=
        "waits in cycles; misses are lines of 64 bytes that a cache of this size would not hold, a rank's own: in the "
        "order\nof their neighbours + others\n";
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
    if (is_of_memory(run)) kernels.back()["cache_misses"] = cache_misses(counts);
  }
  return {{"events", run.profile_events}, {"ranks_without", profile.ranks_without}, {"kernels", kernels}};
}

} // namespace timeless::tools
