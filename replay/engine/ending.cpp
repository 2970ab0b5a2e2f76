#include "replay/engine/ending.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace timeless::replay {

namespace {

/// Members that have come to different collectives are to blame for all that waits.
void require_meetings_fit(const std::vector<Ending>& shares) {
  std::map<std::pair<trace::CommunicatorId, std::uint64_t>, Caller> known;
  for (const Ending& share : shares)
    for (const auto& [ordinal, caller] : share.meetings) {
      const auto [first, added] = known.try_emplace({caller.call.communicator, ordinal}, caller);
      if (!added) unite(first->second, caller.call, caller.rank, caller.action, ordinal);
    }
}

} // namespace

void require_ended(const trace::Run& run, const Communicators& communicators, std::vector<Ending> shares) {
  require_meetings_fit(shares);
  Meetings meetings(communicators, {});
  std::vector<Standing> standing;
  std::vector<LeftoverMessages> leftovers;
  for (Ending& share : shares) {
    for (const auto& [communicator, member, calls] : share.calls)
      meetings.set_calls(communicator, member, calls);
    std::ranges::move(share.standing, std::back_inserter(standing));
    std::ranges::move(share.leftovers, std::back_inserter(leftovers));
  }
  if (standing.empty() && leftovers.empty()) return;
  Diagnosis diagnosis = diagnose({run, communicators, meetings}, standing);
  sort(leftovers);
  diagnosis.leftovers = std::move(leftovers);
  diagnosis.remarks = remarks(run);
  throw ReplayProblem(std::move(diagnosis));
}

void Findings::add(const Findings& other) {
  notes.insert(other.notes.begin(), other.notes.end());
  open_requests += other.open_requests;
}

std::vector<std::string> notes(const trace::Run& run, const Findings& findings) {
  std::set<std::string> all = findings.notes;
  if (run.counter.unit == trace::VolumeUnit::none) all.insert("no computation was recorded, so none takes time");
  std::map<std::string, std::uint64_t> unrecorded;
  for (const trace::RankRecord& record : run.ranks)
    for (const auto& [call, count] : record.unrecorded_calls)
      unrecorded[call] += count;
  for (const auto& [call, count] : unrecorded)
    all.insert(fmt::format("{} takes no time: its {} calls were seen, but not recorded as actions", call, count));
  if (findings.open_requests > 0) all.insert(fmt::format("{} requests were never completed", findings.open_requests));
  std::vector<std::string> list(all.begin(), all.end());
  std::ranges::move(remarks(run), std::back_inserter(list));
  return list;
}

} // namespace timeless::replay
