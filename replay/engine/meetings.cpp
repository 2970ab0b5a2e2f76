#include "replay/engine/meetings.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

namespace {

bool fit(const CollectiveCall& left, const CollectiveCall& right) {
  return left.shape.kind == right.shape.kind && left.root == right.root && left.nonblocking == right.nonblocking;
}

void merge(CollectiveShape& into, const CollectiveShape& other) {
  into.bytes = std::max(into.bytes, other.bytes);
  into.element_bytes = std::max(into.element_bytes, other.element_bytes);
  into.user_operation = into.user_operation || other.user_operation;
  into.commutative = into.commutative && other.commutative;
}

} // namespace

std::string describe(const CollectiveCall& call) {
  std::string text = trace::mpi_name({.kind = call.shape.kind, .request = call.nonblocking ? 0 : trace::no_request});
  if (call.root != trace::no_rank) text += " with root " + std::to_string(call.root);
  return text;
}

void unite(Caller& first, const CollectiveCall& call, trace::Rank rank, std::uint64_t action, std::uint64_t ordinal) {
  if (fit(first.call, call)) return merge(first.call.shape, call.shape);
  const Caller other{call, rank, action};
  // Who came first is an accident of the replay.
  const auto& [lower, higher] =
      std::minmax(first, other, [](const Caller& left, const Caller& right) { return left.rank < right.rank; });
  Diagnosis diagnosis;
  diagnosis.mismatches.push_back({first.call.communicator, ordinal, lower.rank, lower.action, describe(lower.call),
                                  higher.rank, higher.action, describe(higher.call)});
  throw ReplayProblem(std::move(diagnosis));
}

Meetings::Order& Meetings::order(trace::CommunicatorId communicator) {
  Order& order = orders_[communicator];
  if (!order.next.empty()) return order;
  const auto members = communicators_.members(communicator);
  order.next.resize(members.size());
  for (const trace::Rank member : members)
    if (share_.holds(member)) order.here.push_back(static_cast<std::uint32_t>(member - share_.begin));
  return order;
}

std::uint32_t Meetings::open(const Caller& caller, std::uint64_t ordinal) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(meetings_.size()));
    meetings_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  meetings_[number] = {.first = caller,
                       .ordinal = ordinal,
                       .latest = {},
                       .to_leave = static_cast<std::uint32_t>(members(caller.call.communicator).size()),
                       .cost = {}};
  return number;
}

std::uint32_t Meetings::arrive(const CollectiveCall& call, trace::Rank rank, std::uint64_t action) {
  Order& here = order(call.communicator);
  const std::uint64_t ordinal = here.next[call.member]++;
  const std::uint64_t place = ordinal - here.first_incomplete;
  const bool first = place == here.incomplete.size();
  if (first) here.incomplete.push_back(open({call, rank, action}, ordinal));
  const std::uint32_t number = here.incomplete[place];
  Meeting& meeting = meetings_[number];
  if (!first) unite(meeting.first, call, rank, action, ordinal);
  if (++meeting.arrived == here.here.size()) {
    meeting.gathered = true;
    here.incomplete.pop_front();
    ++here.first_incomplete;
  }
  return number;
}

void Meetings::leave(std::uint32_t number) {
  Meeting& meeting = meetings_[number];
  if (--meeting.to_leave > 0) return;
  meeting.latest.reset();
  free_.push_back(number);
}

std::uint64_t Meetings::calls(trace::CommunicatorId communicator, std::uint32_t member) const {
  const auto& next = orders_[communicator].next;
  return member < next.size() ? next[member] : 0;
}

} // namespace timeless::replay
