#include "trace/formats/common/exported_rank.h"

#include "base/error.h"
#include "trace/model/action_block.h"

#include <algorithm>

namespace timeless::trace::formats {

ExportedRank::ExportedRank(ExportJob& job, Rank rank)
    : job_(job), rank_(rank), request_outcomes_(outcomes_of(job.source, rank)) {}

void ExportedRank::say_all() {
  ActionBlock block;
  for (const auto stream = job_.source.open(rank_); stream->next(block);) {
    for_each_action(block, [&](const Action& action, std::uint64_t volume) { say(action, volume); });
    if (job_.options.progress) job_.options.progress(job_.report.actions, job_.actions);
  }
}

std::string ExportedRank::here() const {
  return "rank " + std::to_string(rank_) + ", action " + std::to_string(number_);
}

void ExportedRank::lowered(const Action& action, std::string_view how) {
  ++job_.report.lowered[mpi_name(action) + " as " + std::string(how)];
}

void ExportedRank::lost(const Action& action) {
  ++job_.report.lost[mpi_name(action)];
}

const Communicator& ExportedRank::known_communicator(CommunicatorId id) const {
  if (id < run().communicators.size()) return run().communicators[id];
  throw Error(Failure::invalid_input, "a call on a communicator that the run does not have", here());
}

Rank ExportedRank::world(const Action& action, Rank peer) const {
  const Communicator& on = known_communicator(action.communicator);
  const bool inter = !on.remote_members.empty();
  const bool in_first = !inter || std::ranges::find(on.members, rank_) != on.members.end();
  const auto& peers = inter && in_first ? on.remote_members : on.members;
  if (peer < 0 || static_cast<std::size_t>(peer) >= peers.size())
    throw Error(Failure::invalid_input, "a " + mpi_name(action) + " with a rank that its communicator does not have",
                here());
  const Rank there = peers[static_cast<std::size_t>(peer)];
  if (there == foreign_rank)
    throw Error(Failure::missing_capability, "messages to processes of another MPI_COMM_WORLD", here());
  return there;
}

std::uint64_t ExportedRank::nanoseconds(std::uint64_t volume) {
  const bool is_time = run().counter.unit == VolumeUnit::nanoseconds;
  const double time = static_cast<double>(volume) * (is_time ? 1 : 1e9 / job_.options.rate) + carried_;
  if (!(time < 0x1p60))
    throw Error(Failure::missing_capability, "a computation of more than 2^60 ns", here(), "give a higher --rate");
  const auto whole = static_cast<std::uint64_t>(time);
  carried_ = time - static_cast<double>(whole);
  return whole;
}

bool ExportedRank::lower(const Action& action, const std::function<void(const LoweredStep&)>& visit) {
  if (job_.options.lower && job_.options.lower(run(), rank_, action, visit)) return true;
  lost(action);
  return false;
}

void ExportedRank::say(const Action& action, std::uint64_t volume) {
  if (!has_volume(action.kind)) last_computation_ = 0;
  carry_out(action, volume);
  ++number_;
  ++job_.report.actions;
}

void ExportedRank::carry_out(const Action& action, std::uint64_t volume) {
  switch (family(action.kind)) {
  case ActionFamily::computation:
    return compute(action, volume);
  case ActionFamily::point_to_point:
    return message(action);
  case ActionFamily::completion:
    return say_completion(action);
  case ActionFamily::request:
    if (action.kind == ActionKind::request_free) say_freed(action.request);
    return;
  case ActionFamily::collective:
    return say_collective(action);
  case ActionFamily::communicator:
    return creation(action);
  case ActionFamily::window:
    return say_window(action);
  case ActionFamily::lifecycle:
    return say_end();
  default:
    return lost(action);
  }
}

/// Computes while the calling thread waits for its workers: a burst takes as long as the longest of them.
void ExportedRank::compute(const Action& action, std::uint64_t volume) {
  if (action.kind == ActionKind::workers_sum) return;
  std::uint64_t more = volume;
  if (action.kind == ActionKind::workers_maximum) {
    lowered(action, "more computation of its rank");
    more = volume > last_computation_ ? volume - last_computation_ : 0;
  } else {
    last_computation_ = volume;
  }
  if (more > 0) say_computation(more);
}

void ExportedRank::message(const Action& action) {
  if (exchanges_messages(action.kind)) return say_exchange(action);
  if (receives_message(action.kind)) return receive(action);
  if (!sends_message(action.kind)) return lost(action);
  const RequestOutcome* const later = request_outcomes_.of(number_);
  if (action.peer != no_rank && (later == nullptr || !later->cancelled)) say_send(action);
}

void ExportedRank::receive(Action action) {
  if (action.peer == no_rank) return;
  if (const RequestOutcome* const later = request_outcomes_.of(number_)) {
    if (later->cancelled) return;
    action.peer = later->peer;
    action.tag = later->tag;
    action.bytes = later->bytes;
  }
  if (action.peer == any_rank || action.tag == any_tag)
    throw Error(Failure::missing_capability, "a receive of which the trace does not say what it received", here());
  say_receive(action);
}

void ExportedRank::creation(const Action& action) {
  if (!traits(action.kind).creates) return lost(action);
  if (const auto where = creating_communicator(action)) say_creation(action, *where);
}

} // namespace timeless::trace::formats
