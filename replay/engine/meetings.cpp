#include "replay/engine/meetings.h"

#include "replay/engine/contradiction.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace timeless::replay {

namespace {

bool fit(const CollectiveCall& left, const CollectiveCall& right) {
  const bool roots = left.root == right.root || left.idle || right.idle;
  const bool algorithms = left.algorithm == right.algorithm && left.scheduled == right.scheduled;
  return left.shape.kind == right.shape.kind && roots && left.nonblocking == right.nonblocking &&
         (algorithms || left.idle || right.idle);
}

/// Calls that look the same but for their sizes say these, too.
void tell_apart(CollectiveMismatch& mismatch, const CollectiveCall& first, const CollectiveCall& second) {
  if (mismatch.first_call != mismatch.second_call) return;
  mismatch.first_call += fmt::format(" of {} bytes", first.shape.bytes);
  mismatch.second_call += fmt::format(" of {} bytes", second.shape.bytes);
}

void merge(CollectiveShape& into, const CollectiveShape& other) {
  into.bytes = std::max(into.bytes, other.bytes);
  into.group = std::max(into.group, other.group);
  into.element_bytes = std::max(into.element_bytes, other.element_bytes);
  into.user_operation = into.user_operation || other.user_operation;
  into.commutative = into.commutative && other.commutative;
}

/// Hostile sizes stay what they are: large.
trace::Bytes sum(trace::Bytes left, trace::Bytes right) {
  constexpr trace::Bytes most = ~trace::Bytes{0};
  return right > most - left ? most : left + right;
}

} // namespace

std::string describe(const CollectiveCall& call) {
  std::string text = trace::mpi_name({.kind = call.shape.kind, .request = call.nonblocking ? 0 : trace::no_request});
  if (call.root != trace::no_rank) text += " with root " + std::to_string(call.root);
  return text;
}

std::uint32_t Meetings::open(const CollectiveCall& call, trace::Rank rank, std::uint64_t action,
                             std::uint64_t ordinal) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(meetings_.size()));
    meetings_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  meetings_[number] = {.call = call,
                       .first_rank = rank,
                       .first_action = action,
                       .ordinal = ordinal,
                       .latest = {},
                       .to_leave = static_cast<std::uint32_t>(communicators_.members(call.communicator).size()),
                       .cost = {}};
  return number;
}

std::uint32_t Meetings::arrive(const CollectiveCall& call, trace::Rank rank, std::uint64_t action) {
  Order& order = orders_[call.communicator];
  const std::size_t members = communicators_.members(call.communicator).size();
  if (order.next.empty()) order.next.resize(members);
  const std::uint64_t ordinal = order.next[call.member]++;
  const std::uint64_t place = ordinal - order.first_incomplete;
  if (place == order.incomplete.size()) order.incomplete.push_back(open(call, rank, action, ordinal));
  const std::uint32_t number = order.incomplete[place];
  Meeting& meeting = meetings_[number];
  if (!fit(meeting.call, call)) {
    CollectiveMismatch mismatch{
        call.communicator, ordinal, meeting.first_rank, meeting.first_action, describe(meeting.call), rank, action,
        describe(call)};
    tell_apart(mismatch, meeting.call, call);
    // Who came first is an accident of the replay.
    if (mismatch.second_rank < mismatch.first_rank) {
      std::swap(mismatch.first_rank, mismatch.second_rank);
      std::swap(mismatch.first_action, mismatch.second_action);
      std::swap(mismatch.first_call, mismatch.second_call);
    }
    Diagnosis diagnosis;
    diagnosis.mismatches.push_back(std::move(mismatch));
    throw ReplayProblem(std::move(diagnosis));
  }
  merge(meeting.call.shape, call.shape);
  if (meeting.call.idle && !call.idle) {
    meeting.call.idle = false;
    meeting.call.root = call.root;
    meeting.call.algorithm = call.algorithm;
  }
  if (meeting.arrived > 0) meeting.call.moved = sum(meeting.call.moved, call.moved);
  if (++meeting.arrived == members) {
    meeting.complete = true;
    order.incomplete.pop_front();
    ++order.first_incomplete;
  }
  return number;
}

void Meetings::leave(std::uint32_t number) {
  Meeting& meeting = meetings_[number];
  meeting.left = true;
  if (--meeting.to_leave > 0) return;
  if (meeting.in_flight > 0)
    fail(
        fmt::format("the members of communicator {} disagree on the sizes in {}, its collective {}: {} of its messages "
                    "are never received",
                    meeting.call.communicator, describe(meeting.call), meeting.ordinal, meeting.in_flight));
  meeting.latest.reset();
  free_.push_back(number);
}

std::uint64_t Meetings::calls(trace::CommunicatorId communicator, std::uint32_t member) const {
  const auto& next = orders_[communicator].next;
  return member < next.size() ? next[member] : 0;
}

} // namespace timeless::replay
