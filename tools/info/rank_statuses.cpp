#include "tools/info/rank_statuses.h"

#include "tools/cli/console.h"

#include "base/rank_ranges.h"
#include "gather/parts/rank_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

namespace timeless::tools {

namespace {

/// The ranks' own files at a path, by rank.
std::map<trace::Rank, std::filesystem::path> rank_files(const InfoRequest& request, const trace::Run& run) {
  std::map<trace::Rank, std::filesystem::path> files;
  if (!request.from.ours()) return files;
  const std::filesystem::path path = request.trace;
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    for (const gather::RankFile& file : gather::list_rank_files(path))
      files[file.rank] = file.path;
  else if (run.ranks.size() == 1)
    files[run.ranks.front().rank] = path;
  return files;
}

} // namespace

std::vector<RankStatus> rank_statuses_of(const InfoRequest& request, const trace::Source& source) {
  return rank_statuses(source, rank_files(request, source.run()), request.brief);
}

void print_rank_statuses(const std::vector<RankStatus>& all) {
  if (all.empty()) return;
  constexpr std::size_t most = 16;
  fmt::print("\n");
  const bool known = std::ranges::any_of(all, [](const RankStatus& rank) { return rank.calls.has_value(); });
  print_line("where the ranks stand that have not finalized{}",
             known ? "" : " (the calls they were in are known beside their journals only)");
  for (const CallGroup& group : group_by_call(all))
    print_line("  {:<28} rank{} {}", group.where, group.ranks.size() == 1 ? "" : "s", rank_ranges(group.ranks));
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) {
    const RankStatus& rank = all[i];
    print_line("rank {}: {} actions{}; {}", rank.rank, rank.actions,
               rank.calls ? fmt::format(", {} MPI calls", *rank.calls) : "",
               rank.reason.empty() ? "no word of its end" : rank.reason);
    for (const CallInProgress& in : rank.in)
      print_line("  {:<6}{}{}{}{}{}", "in", in.call, in.with.empty() ? "" : " ", in.with,
                 in.site.empty() ? "" : ", called at ", in.site);
    if (!rank.last_action.empty()) print_line("  {:<6}{}", "last", rank.last_action);
    for (const std::string& request : rank.requests)
      print_line("  {:<6}{}", "open", request);
    if (rank.open_requests > rank.requests.size())
      print_line("  {:<6}and {} more requests", "", rank.open_requests - rank.requests.size());
  }
  if (all.size() > most) print_line("and {} more ranks (all with --json)", all.size() - most);
}

nlohmann::ordered_json rank_statuses_json(const std::vector<RankStatus>& all) {
  auto json = nlohmann::ordered_json::array();
  for (const RankStatus& rank : all) {
    auto in = nlohmann::ordered_json::array();
    for (const CallInProgress& call : rank.in)
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
