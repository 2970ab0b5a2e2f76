#include "tools/render/info/rank_statuses.h"

#include "base/rank_ranges.h"
#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace timeless::tools {

std::string to_text(const std::vector<analysis::RankStatus>& statuses) {
  if (statuses.empty()) return {};
  constexpr std::size_t most = 16;
  std::string text = "\n";
  const bool known =
      std::ranges::any_of(statuses, [](const analysis::RankStatus& rank) { return rank.calls.has_value(); });
  text += text_line("where the ranks stand that have not finalized{}",
                    known ? "" : " (the calls they were in are known beside their journals only)");
  for (const analysis::CallGroup& group : analysis::group_by_call(statuses))
    text += text_line("  {:<28} rank{} {}", group.where, plural(group.ranks.size()), rank_ranges(group.ranks));
  for (std::size_t i = 0; i < std::min(statuses.size(), most); ++i) {
    const analysis::RankStatus& rank = statuses[i];
    text += text_line("rank {}: {} actions{}; {}", rank.rank, rank.actions,
                      rank.calls ? fmt::format(", {} MPI calls", *rank.calls) : "",
                      rank.reason.empty() ? "no word of its end" : rank.reason);
    for (const analysis::CallInProgress& in : rank.in)
      text += text_line("  {:<6}{}{}{}{}{}", "in", in.call, in.with.empty() ? "" : " ", in.with,
                        in.site.empty() ? "" : ", called at ", in.site);
    if (!rank.last_action.empty()) text += text_line("  {:<6}{}", "last", rank.last_action);
    for (const std::string& request : rank.requests)
      text += text_line("  {:<6}{}", "open", request);
    if (rank.open_requests > rank.requests.size())
      text += text_line("  {:<6}and {} more requests", "", rank.open_requests - rank.requests.size());
  }
  if (statuses.size() > most) text += text_line("and {} more ranks (all with --json)", statuses.size() - most);
  return text;
}

nlohmann::ordered_json to_json(const std::vector<analysis::RankStatus>& statuses) {
  auto json = nlohmann::ordered_json::array();
  for (const analysis::RankStatus& rank : statuses) {
    auto in = nlohmann::ordered_json::array();
    for (const analysis::CallInProgress& call : rank.in)
      in.push_back({{"call", call.call}, {"with", call.with}, {"site", call.site}});
    json.push_back({{"rank", rank.rank},
                    {"ending", name(rank.ending)},
                    {"ending_reason", rank.reason},
                    {"actions", rank.actions},
                    {"mpi_calls", rank.calls ? nlohmann::ordered_json(*rank.calls) : nlohmann::ordered_json()},
                    {"in", in},
                    {"last_action", rank.last_action},
                    {"open_requests", rank.open_requests},
                    {"oldest_open_requests", rank.requests}});
  }
  return json;
}

} // namespace timeless::tools
