#include "replay/engine/engine.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <utility>

namespace timeless::replay {

using trace::Rank;

std::string Engine::where(std::uint32_t number) const {
  return fmt::format("rank {}, action {}", world_rank(number), action(ranks_[number]));
}

std::vector<Standing> Engine::standing() const {
  std::vector<Standing> all;
  for (std::uint32_t number = 0; number < ranks_.size(); ++number) {
    const RankState& rank = ranks_[number];
    if (rank.finished) continue;
    Standing& one = all.emplace_back(
        Standing{.rank = world_rank(number),
                 .action = action(rank),
                 .call = trace::mpi_name(rank.block.dictionary()[rank.sequence[rank.position]]),
                 .for_meeting = rank.waiting == Waiting::for_meeting || rank.waiting == Waiting::for_step ||
                                rank.waiting == Waiting::for_agent});
    if (one.for_meeting) {
      const Progress* progress = nullptr;
      if (rank.waiting == Waiting::for_step) progress = &progress_[number];
      if (rank.waiting == Waiting::for_agent) progress = &agents_[rank.subject].progress;
      const Meeting& meeting = meetings_[progress ? progress->meeting : rank.subject];
      one.meeting = {meeting.call.communicator, meeting.ordinal, describe(meeting.call)};
      if (progress) {
        one.member = communicators_.members(meeting.call.communicator)[progress->step.from];
        one.only_member = neighbourhood(meeting.call.shape.kind);
      }
    } else if (rank.waiting == Waiting::for_posting) {
      one.channel = channels_.key(handshakes_[rank.subject].channel);
      one.sends = handshakes_[rank.subject].bytes;
    } else {
      one.channel = channels_.key(rank.subject);
    }
  }
  return all;
}

/// For each scheduled collective that some members went through and others never reached, its first member as if it
/// stood there still: were it not carried out step by step, it would.
std::vector<Standing> Engine::deserted() const {
  std::vector<Standing> all;
  meetings_.for_each_deserted([&](const Meeting& meeting) {
    const std::string call = describe(meeting.call);
    all.push_back({.rank = meeting.first_rank,
                   .action = meeting.first_action,
                   .call = call,
                   .for_meeting = true,
                   .meeting = {meeting.call.communicator, meeting.ordinal, call}});
  });
  std::ranges::sort(all, {}, &Standing::rank);
  const auto doubled = std::ranges::unique(all, {}, &Standing::rank);
  all.erase(doubled.begin(), doubled.end());
  return all;
}

void Engine::require_all_ended() {
  Diagnosis diagnosis;
  if (last_deadlock_)
    diagnosis = *last_deadlock_;
  else if (finished_ < ranks_.size())
    diagnosis = diagnose({source_.run(), communicators_, meetings_}, standing());
  else
    diagnosis = diagnose({source_.run(), communicators_, meetings_}, deserted());
  diagnosis.leftovers = leftovers(channels_);
  if (diagnosis.blocked.empty() && diagnosis.leftovers.empty()) return;
  std::ranges::move(remarks(source_.run()), std::back_inserter(diagnosis.remarks));
  throw ReplayProblem(std::move(diagnosis));
}

Result Engine::result() {
  Result result;
  result.actions = actions_;
  result.notes = notes();
  result.not_modelled = not_modelled_.list(source_.run().ranks);
  for (std::size_t number = 0; number < ranks_.size(); ++number)
    clocks_.settle(clocks_[number]);
  const auto names = network_.lanes();
  if (attributor_) {
    result.attribution = attributor_->result(names.size(), share_.begin);
    if (attributor_->crowded())
      result.notes.push_back(
          "there was no memory to divide every rank's time: what comes later is under 'others' (fewer "
          "configurations need less)");
  }
  if (tracer_ && !deadlocks_[0]) {
    const auto last = std::ranges::max_element(ranks_, {}, [&](const RankState& rank) {
      return clocks_.times(clocks_[static_cast<std::size_t>(&rank - ranks_.data())], 0).end;
    });
    const auto number = static_cast<std::uint32_t>(last - ranks_.begin());
    result.critical_path = tracer_->path(number, world_rank(number), action(*last));
  }
  // The ideal lane comes after the network's.
  double ideal_makespan = 0;
  for (std::size_t number = 0; options_.ideal && number < ranks_.size(); ++number)
    ideal_makespan = std::max(ideal_makespan, clocks_.times(clocks_[number], names.size()).end);
  for (std::size_t lane = 0; lane < names.size(); ++lane) {
    LaneResult& one = result.lanes.emplace_back();
    one.name = names[lane];
    if (deadlocks_[lane]) {
      one.deadlock = deadlocks_[lane];
      one.makespan = std::numeric_limits<double>::infinity();
      continue;
    }
    if (options_.ideal) one.ideal_makespan = ideal_makespan * clocks_.rows().compute_scale()[lane];
    for (std::size_t number = 0; number < ranks_.size(); ++number) {
      one.ranks.push_back(clocks_.times(clocks_[number], lane));
      const bool last = number == 0 || one.ranks.back().end > one.makespan;
      if (last) one.makespan = one.ranks.back().end;
      if (!options_.sensitivities) continue;
      one.rank_sensitivities.push_back(clocks_.sensitivity(clocks_[number], lane));
      if (last) one.sensitivity = one.rank_sensitivities.back();
    }
  }
  return result;
}

/// Of a whole block at once: what is begun will be replayed, or the replay fails.
void Engine::count_not_modelled(const RankState& rank) {
  std::vector<std::uint64_t> calls(rank.program.operations.size());
  for (const std::uint32_t entry : rank.block.sequence())
    ++calls[entry];
  for (const auto& [entry, what] : rank.program.unmodelled)
    if (calls[entry] > 0) not_modelled_.add(what, number_of(rank), calls[entry]);
}

std::vector<std::string> Engine::notes() {
  const trace::Run& run = source_.run();
  if (run.counter.unit == trace::VolumeUnit::none) notes_.insert("no computation was recorded, so none takes time");
  if (compiler_.uses_files() && options_.file_system.assumed)
    notes_.insert("the file system is assumed: " + describe(options_.file_system));
  std::uint64_t open_requests = 0;
  for (RankState& rank : ranks_)
    rank.requests.for_each_active([&](const Request&) { ++open_requests; });
  if (open_requests > 0) notes_.insert(fmt::format("{} requests were never completed", open_requests));
  std::vector<std::string> all(notes_.begin(), notes_.end());
  std::ranges::move(remarks(source_.run()), std::back_inserter(all));
  return all;
}

} // namespace timeless::replay
