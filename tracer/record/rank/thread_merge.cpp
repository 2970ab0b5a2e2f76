#include "tracer/record/rank/thread_merge.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace timeless::tracer {

RecordedThread& ThreadMerge::join(RecordedThread* reused) {
  if (reused != nullptr) return *reused;
  {
    const std::lock_guard held(members_mutex_);
    if (left_.empty()) return add_member();
  }
  // What the ended thread did must stand under its own number.
  merge();
  const std::lock_guard held(members_mutex_);
  if (left_.empty()) return add_member();
  RecordedThread& again = *left_.back();
  left_.pop_back();
  again.renumber(numbers_++);
  return again;
}

RecordedThread& ThreadMerge::add_member() {
  members_.emplace_back();
  members_.back().thread = std::make_unique<RecordedThread>(numbers_++);
  return *members_.back().thread;
}

void ThreadMerge::leave(RecordedThread& thread) {
  const std::lock_guard held(members_mutex_);
  left_.push_back(&thread);
}

void ThreadMerge::let_be_reused(const RecordedThread& thread, std::uint32_t number) {
  const std::lock_guard held(members_mutex_);
  const auto found = std::ranges::find(left_, &thread);
  if (found == left_.end() || thread.number() != number) return;
  reusable_.push_back(*found);
  left_.erase(found);
}

RecordedThread* ThreadMerge::take_reusable() {
  const std::lock_guard held(members_mutex_);
  if (reusable_.empty()) return nullptr;
  RecordedThread* const taken = reusable_.back();
  reusable_.pop_back();
  return taken;
}

void ThreadMerge::give_back(RecordedThread& reusable) {
  const std::lock_guard held(members_mutex_);
  reusable_.push_back(&reusable);
}

/// Returns the ticket of the next action, or of the action which the next volumes go with; volumes without one may go
/// at once.
std::uint64_t ThreadMerge::Waiting::ticket() const {
  std::size_t at = position;
  while (at + 1 < actions.tickets.size() && actions.tickets[at] == 0)
    ++at;
  return actions.tickets[at];
}

void ThreadMerge::collect(Member& member) {
  if (member.thread->idle()) return;
  // The last merge left nothing of the first: all its tickets were older than the second's.
  if (member.first.empty()) std::swap(member.first, member.second);
  Waiting& room = member.first.empty() ? member.first : member.second;
  room.actions.clear();
  member.thread->take(room.actions);
  room.position = 0;
  room.volume = room.actions.block.volumes().data();
}

void ThreadMerge::merge() {
  const std::lock_guard held(members_mutex_);
  const std::uint64_t newest = tickets_.load(std::memory_order_relaxed);
  for (Member& member : members_)
    collect(member);
  while (true) {
    Member* first = nullptr;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (Member& member : members_) {
      const Waiting& waiting = next_of(member);
      if (waiting.empty() || waiting.ticket() >= least) continue;
      least = waiting.ticket();
      first = &member;
    }
    if (first == nullptr || least > newest) return;
    move_group(*first);
  }
}

/// Moves the next action, and the volumes that go with it.
void ThreadMerge::move_group(Member& member) {
  Waiting& waiting = next_of(member);
  const trace::ActionBlock& block = waiting.actions.block;
  if (member.thread->number() != last_) mark(member.thread->number());
  bool more = true;
  while (more && !waiting.empty()) {
    const std::size_t at = waiting.position++;
    const trace::Action& action = block.dictionary()[block.sequence()[at]];
    if (!block.times().empty()) sequence_.stamp(block.times()[at]);
    if (trace::has_volume(action.kind))
      sequence_.append_volume(action.kind, action.kernel, *waiting.volume++);
    else
      sequence_.append(action);
    more = waiting.actions.tickets[at] == 0;
  }
}

namespace {

/// Where threads signal and await that are in MPI one after the other: no others take points then.
constexpr trace::Rank turn = 0;

} // namespace

void ThreadMerge::take_turn(std::uint32_t number) {
  sequence_.append({.kind = trace::ActionKind::thread_signal, .peer = turn});
  mark(number);
  awaits_turn_ = true;
}

void ThreadMerge::await_turn() {
  awaits_turn_ = false;
  sequence_.append({.kind = trace::ActionKind::thread_await, .peer = turn});
}

void ThreadMerge::mark(std::uint32_t number) {
  last_ = number;
  sequence_.append({.kind = trace::ActionKind::thread, .peer = static_cast<trace::Rank>(number)});
}

} // namespace timeless::tracer
