#include "analysis/sufficiency.h"

#include "base/rank_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace timeless::analysis {

namespace {

/// The actions of a rank whose recording did not stop early.
std::uint64_t usual_actions(const trace::Run& run) {
  std::vector<std::uint64_t> finished;
  std::uint64_t most = 0;
  for (const trace::RankRecord& rank : run.ranks) {
    most = std::max(most, rank.actions);
    if (rank.ending == trace::Ending::finalized) finished.push_back(rank.actions);
  }
  if (finished.empty()) return most;
  const auto middle = finished.begin() + static_cast<std::ptrdiff_t>(finished.size() / 2);
  std::ranges::nth_element(finished, middle);
  return *middle;
}

/// "rank 1 stopped after 0 of about 412 actions"; empty where none stopped too early.
std::string stopped_too_early(const trace::Run& run) {
  const std::uint64_t usual = usual_actions(run);
  std::vector<trace::Rank> ranks;
  std::uint64_t most = 0;
  for (const trace::RankRecord& rank : run.ranks) {
    const bool enough =
        rank.actions > 0 && static_cast<double>(rank.actions) >= least_recorded_share * static_cast<double>(usual);
    if (rank.ending == trace::Ending::finalized || enough) continue;
    ranks.push_back(rank.rank);
    most = std::max(most, rank.actions);
  }
  if (ranks.empty()) return {};
  const bool one = ranks.size() == 1;
  if (usual == 0)
    return fmt::format("rank{} {} stopped before an action was recorded", one ? "" : "s", rank_ranges(ranks));
  return fmt::format("rank{} {} stopped after {}{} of about {} actions", one ? "" : "s", rank_ranges(ranks),
                     one || most == 0 ? "" : "at most ", most, usual);
}

} // namespace

std::string too_little_to_advise(const trace::Run& run) {
  std::string lack = stopped_too_early(run);
  if (const std::vector<trace::Rank> missing = run.missing_ranks(); !missing.empty())
    lack = fmt::format("rank{} {} missing{}{}", missing.size() == 1 ? "" : "s",
                       rank_ranges(missing) + (missing.size() == 1 ? " is" : " are"), lack.empty() ? "" : "; ", lack);
  return lack.empty() ? lack : "not enough was recorded to advise: " + lack;
}

std::string nothing_to_judge_by(const trace::Run& run, double makespan) {
  std::string lack = too_little_to_advise(run);
  if (lack.empty() && makespan <= 0)
    lack = "the run takes 0 s: nothing that was recorded of it takes time, so there is nothing to judge by";
  return lack;
}

std::string nothing_to_judge_by(const trace::Run& run, std::span<const replay::LaneResult> lanes) {
  return nothing_to_judge_by(run, std::ranges::max_element(lanes, {}, &replay::LaneResult::makespan)->makespan);
}

} // namespace timeless::analysis
