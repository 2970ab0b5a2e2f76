#include "trace/check/collectives.h"

#include <algorithm>

namespace timeless::trace::checking {

Collectives::Collectives(const Run& run, CheckReport& report, Findings& findings)
    : run_(run), report_(report), findings_(findings), states_(run.communicators.size()) {}

std::uint32_t Collectives::size(CommunicatorId communicator) const {
  const Communicator& known = run_.communicators[communicator];
  return static_cast<std::uint32_t>(known.members.size() + known.remote_members.size());
}

std::uint64_t Collectives::ahead(CommunicatorId communicator, const Membership& membership) const {
  const State& state = states_[communicator];
  return membership.calls > state.first ? membership.calls - state.first : 0;
}

void Collectives::compare(Call& call, Rank rank, std::uint64_t action_number, const Action& action,
                          CommunicatorId communicator) {
  const bool inter = !run_.communicators[communicator].remote_members.empty();
  State& state = states_[communicator];
  const std::string there = " where rank " + std::to_string(call.first_rank) + " calls ";
  Action first{.kind = call.kind};
  if (call.nonblocking) first.request = 0;
  const std::string other = mpi_name(first) + " (its action " + std::to_string(call.first_action) + ")";
  if (action.kind != call.kind || nonblocking(action) != call.nonblocking) {
    findings_.add(Severity::inconsistent, rank, action_number,
                  "calls " + mpi_name(action) + " on " + words(communicator) + there + other +
                      "; later collectives there are not compared");
    state.reported = true;
  } else if (!inter && action.peer != call.root) {
    findings_.add(Severity::inconsistent, rank, action_number,
                  "calls " + mpi_name(action) + " on " + words(communicator) + " with root " +
                      std::to_string(action.peer) + there + other + " with root " + std::to_string(call.root));
  }
}

std::string Collectives::difference(const Call& call, Rank rank, std::uint64_t number, const CollectiveSizes& sizes) {
  const std::string first = std::to_string(call.common_rank);
  if (!sizes.common_is_bytes) return " with other sizes than rank " + first + " gives";
  if (call.common_rank == rank)
    return " sends " + counted(*call.common, "byte") + " and expects " + std::to_string(number);
  return " with " + counted(number, "byte") + " where rank " + first + " has " + std::to_string(*call.common);
}

void Collectives::compare_sizes(Call& call, Rank rank, std::uint64_t action_number, const Action& action,
                                CommunicatorId communicator, const Membership& membership) {
  const Communicator& known = run_.communicators[communicator];
  if (!known.remote_members.empty()) return;
  const std::string wrong = malformed(action, membership.place, static_cast<Rank>(known.members.size()));
  if (!wrong.empty()) {
    findings_.add(Severity::inconsistent, rank, action_number, mpi_name(action) + " " + wrong);
    call.spoilt = true;
    return;
  }
  if ((action.flags & flag_truncated) != 0) {
    findings_.add(Severity::note, rank, action_number,
                  "calls " + mpi_name(action) + " on " + words(communicator) +
                      ", to which more came than its buffers hold (MPI_ERR_TRUNCATE): its sizes are not compared");
    call.truncated = true;
    return;
  }
  const CollectiveSizes sizes = sizes_of(action, membership.place);
  call.given += sizes.given;
  call.expected += sizes.expected;
  call.compare_sums = sizes.sums;
  for (const auto& number : {sizes.common, sizes.also_common}) {
    if (!number || call.spoilt) continue;
    if (!call.common) {
      call.common = *number;
      call.common_rank = rank;
    } else if (*call.common != *number) {
      call.spoilt = true;
      findings_.add(Severity::inconsistent, rank, action_number,
                    mpi_name(action) + " on " + words(communicator) + difference(call, rank, *number, sizes));
    }
  }
}

void Collectives::enter(Rank rank, std::uint64_t action_number, const Action& action, CommunicatorId communicator,
                        Membership& membership) {
  State& state = states_[communicator];
  const std::uint64_t index = membership.calls++ - state.first;
  if (index == state.calls.size()) {
    state.calls.push_back({.kind = action.kind,
                           .nonblocking = nonblocking(action),
                           .root = action.peer,
                           .first_rank = rank,
                           .first_action = action_number,
                           .left = state.left});
  } else if (!state.reported) {
    compare(state.calls[index], rank, action_number, action, communicator);
  }
  Call& call = state.calls[index];
  if (!state.reported) compare_sizes(call, rank, action_number, action, communicator, membership);
  ++call.entered;
  retire(communicator);
}

void Collectives::retire(CommunicatorId communicator) {
  State& state = states_[communicator];
  while (!state.calls.empty() && state.calls.front().entered + state.calls.front().left == size(communicator)) {
    const Call& call = state.calls.front();
    if (call.left == 0) ++report_.collectives;
    if (call.left == 0 && !state.reported && !call.spoilt && !call.truncated && call.compare_sums &&
        call.given != call.expected)
      findings_.add(Severity::inconsistent, call.first_rank, call.first_action,
                    mpi_name(Action{.kind = call.kind}) + " on " + words(communicator) +
                        ": what its members send and what they expect to receive differs");
    state.calls.pop_front();
    ++state.first;
  }
}

void Collectives::leave(CommunicatorId communicator, std::uint64_t calls) {
  State& state = states_[communicator];
  ++state.left;
  for (std::uint64_t index = calls > state.first ? calls - state.first : 0; index < state.calls.size(); ++index)
    ++state.calls[index].left;
  retire(communicator);
}

void Collectives::finish() {
  for (CommunicatorId communicator = 0; communicator < states_.size(); ++communicator) {
    const State& state = states_[communicator];
    if (state.calls.empty() || state.reported) continue;
    const Call& call = state.calls.front();
    Action action{.kind = call.kind};
    if (call.nonblocking) action.request = 0;
    findings_.add(Severity::inconsistent, call.first_rank, call.first_action,
                  "calls " + mpi_name(action) + " on " + words(communicator) + ", and " +
                      counted(size(communicator) - call.entered - call.left, "member") + " of " +
                      std::to_string(size(communicator)) + " never do" +
                      (state.calls.size() > 1 ? "; so with " + counted(state.calls.size() - 1, "later call") : ""));
  }
}

} // namespace timeless::trace::checking
