#include "replay/engine/ending.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace timeless::replay {

namespace {

/// Members that have come to different collectives are to blame for all that waits.
void require_calls_fit(const std::vector<Ending>& endings) {
  std::map<std::pair<trace::CommunicatorId, std::uint64_t>, Caller> known;
  for (const Ending& ending : endings)
    for (const auto& [ordinal, caller] : ending.open_collectives) {
      const auto [first, added] = known.try_emplace({caller.call.communicator, ordinal}, caller);
      if (!added) unite(first->second, caller.call, caller.rank, caller.action, ordinal);
    }
}

/// Returns, of each deserted collective, the lowest rank that went through it.
std::vector<RankStatus> one_of_each(std::vector<RankStatus> deserted) {
  const auto collective = [](const RankStatus& one) {
    return std::pair(one.instance.communicator, one.instance.ordinal);
  };
  std::ranges::sort(deserted, {}, [&](const RankStatus& one) { return std::pair(collective(one), one.rank); });
  const auto others = std::ranges::unique(deserted, {}, collective);
  deserted.erase(others.begin(), others.end());
  return deserted;
}

} // namespace

Diagnosis diagnose(const trace::Run& run, const Communicators& communicators, const std::vector<Ending>& endings) {
  require_calls_fit(endings);
  CollectiveMatching matching(communicators, {});
  std::vector<RankStatus> status;
  std::vector<RankStatus> deserted;
  for (const Ending& ending : endings) {
    for (const auto& [communicator, member, calls] : ending.calls)
      matching.set_calls(communicator, member, calls);
    std::ranges::copy(ending.status, std::back_inserter(status));
    std::ranges::copy(ending.deserted, std::back_inserter(deserted));
  }
  if (status.empty()) status = one_of_each(std::move(deserted));
  const auto place = [](const RankStatus& one) { return std::pair(one.rank, one.thread); };
  std::ranges::stable_sort(status, {}, place);
  const auto doubled = std::ranges::unique(status, {}, place);
  status.erase(doubled.begin(), doubled.end());
  return status.empty() ? Diagnosis{} : diagnose({run, communicators, matching}, status);
}

bool ends_with_recording(const trace::Run& run, const Diagnosis& diagnosis) {
  return diagnosis.cycle.empty() && diagnosis.mismatches.empty() && !run.complete();
}

std::string require_ended(const trace::Run& run, Diagnosis diagnosis, const std::vector<Ending>& endings) {
  for (const Ending& ending : endings)
    std::ranges::copy(ending.leftovers, std::back_inserter(diagnosis.leftovers));
  if (diagnosis.blocked.empty() && diagnosis.leftovers.empty()) return {};
  if (ends_with_recording(run, diagnosis))
    return diagnosis.blocked.empty()
               ? ""
               : waits_for_unrecorded(diagnosis.blocked.size(), static_cast<std::uint64_t>(run.size));
  sort(diagnosis.leftovers);
  std::ranges::move(remarks(run), std::back_inserter(diagnosis.remarks));
  throw ReplayProblem(std::move(diagnosis));
}

void Findings::add(const Findings& other) {
  if (other.incast && (!incast || other.incast->seconds > incast->seconds ||
                       (other.incast->seconds == incast->seconds && other.incast->rank < incast->rank)))
    incast = other.incast;
  notes.insert(other.notes.begin(), other.notes.end());
  open_requests += other.open_requests;
  order_matters = order_matters || other.order_matters;
  for (std::size_t kind = 0; kind < not_modelled.size(); ++kind) {
    not_modelled[kind].calls += other.not_modelled[kind].calls;
    not_modelled[kind].ranks += other.not_modelled[kind].ranks;
  }
}

void tell(const trace::Run& run, const Findings& findings, Result& result) {
  std::set<std::string> all = findings.notes;
  if (run.counter.unit == trace::VolumeUnit::none) all.insert("no computation was recorded, so none takes time");
  if (findings.open_requests > 0) all.insert(fmt::format("{} requests were never completed", findings.open_requests));
  result.notes.assign(all.begin(), all.end());
  std::ranges::move(remarks(run), std::back_inserter(result.notes));
  result.incast = findings.incast;
  result.order_matters = findings.order_matters;
  result.not_modelled = list(findings.not_modelled, run.ranks);
}

} // namespace timeless::replay
