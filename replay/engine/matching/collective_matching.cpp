#include "replay/engine/matching/collective_matching.h"

#include "replay/engine/matching/trace_error.h"
#include "replay/result/problem.h"

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

/// Adds sizes; hostile ones stay what they are: large.
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

void unite(Caller& first, const CollectiveCall& call, trace::Rank rank, std::uint64_t action, std::uint64_t ordinal) {
  CollectiveCall& known = first.call;
  if (fit(known, call)) {
    // Who came first is an accident of the replay.
    if (rank < first.rank) {
      first.rank = rank;
      first.action = action;
    }
    merge(known.shape, call.shape);
    known.moved = sum(known.moved, call.moved);
    if (!known.idle || call.idle) return;
    known.idle = false;
    known.root = call.root;
    known.algorithm = call.algorithm;
    return;
  }
  CollectiveMismatch mismatch{call.communicator, ordinal, first.rank, first.action,
                              describe(known),   rank,    action,     describe(call)};
  tell_apart(mismatch, known, call);
  if (mismatch.second_rank < mismatch.first_rank) {
    std::swap(mismatch.first_rank, mismatch.second_rank);
    std::swap(mismatch.first_action, mismatch.second_action);
    std::swap(mismatch.first_call, mismatch.second_call);
  }
  Diagnosis diagnosis;
  diagnosis.mismatches.push_back(std::move(mismatch));
  throw ReplayProblem(std::move(diagnosis));
}

CollectiveMatching::Order& CollectiveMatching::order(trace::CommunicatorId communicator) {
  Order& order = orders_[communicator];
  if (!order.next.empty()) return order;
  const auto members = communicators_.members(communicator);
  order.next.resize(members.size());
  for (const trace::Rank member : members)
    if (local_ranks_.holds(member)) order.here.push_back(static_cast<std::uint32_t>(member - local_ranks_.begin));
  return order;
}

std::uint32_t CollectiveMatching::open(trace::CommunicatorId communicator, std::uint64_t ordinal) {
  const std::uint32_t number = numbers_.take();
  ++under_way_;
  if (number == matching_.size()) matching_.emplace_back();
  matching_[number] = {.first = {},
                       .ordinal = ordinal,
                       .latest = {},
                       .to_leave = static_cast<std::uint32_t>(members(communicator).size()),
                       .cost = {}};
  return number;
}

std::uint32_t CollectiveMatching::arrive(const CollectiveCall& call, trace::Rank rank, std::uint64_t action) {
  Order& here = order(call.communicator);
  const std::uint64_t ordinal = here.next[call.member]++;
  const std::uint64_t place = ordinal - here.first_incomplete;
  if (place == here.incomplete.size()) here.incomplete.push_back(open(call.communicator, ordinal));
  const std::uint32_t number = here.incomplete[place];
  CollectiveInstance& instance = matching_[number];
  if (instance.arrived == 0)
    instance.first = {call, rank, action};
  else
    unite(instance.first, call, rank, action, ordinal);
  if (++instance.arrived == here.here.size()) {
    instance.gathered = true;
    if (call.scheduled && here.here.size() < here.next.size()) here.going.emplace(ordinal, number);
    here.incomplete.pop_front();
    ++here.first_incomplete;
  }
  return number;
}

std::uint32_t CollectiveMatching::expect(trace::CommunicatorId communicator, std::uint64_t ordinal) {
  Order& here = order(communicator);
  if (ordinal < here.first_incomplete) {
    const auto going = here.going.find(ordinal);
    if (going != here.going.end()) return going->second;
    fail(
        fmt::format("the members of communicator {} disagree on the sizes in its collective {}: a message within it is "
                    "never received",
                    communicator, ordinal));
  }
  while (ordinal - here.first_incomplete >= here.incomplete.size())
    here.incomplete.push_back(open(communicator, here.first_incomplete + here.incomplete.size()));
  return here.incomplete[ordinal - here.first_incomplete];
}

void CollectiveMatching::leave(std::uint32_t number) {
  CollectiveInstance& instance = matching_[number];
  instance.left = true;
  if (--instance.to_leave > 0) return;
  if (instance.in_flight > 0)
    fail(fmt::format(
        "the members of communicator {} disagree on the sizes in {}, its collective {}: {} of its messages "
        "are never received",
        instance.first.call.communicator, describe(instance.first.call), instance.ordinal, instance.in_flight));
  orders_[instance.first.call.communicator].going.erase(instance.ordinal);
  instance.latest.reset();
  numbers_.give_back(number);
  --under_way_;
}

std::uint64_t CollectiveMatching::calls(trace::CommunicatorId communicator, std::uint32_t member) const {
  const auto& next = orders_[communicator].next;
  return member < next.size() ? next[member] : 0;
}

} // namespace timeless::replay
