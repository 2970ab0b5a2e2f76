#include "tracer/thread_merge.h"

#include <limits>
#include <utility>

namespace timeless::tracer {

RecordedThread& ThreadMerge::join() {
  const std::lock_guard held(members_mutex_);
  if (!left_.empty()) {
    RecordedThread& again = *left_.back();
    left_.pop_back();
    return again;
  }
  members_.emplace_back();
  members_.back().thread = std::make_unique<RecordedThread>(static_cast<std::uint32_t>(members_.size() - 1));
  return *members_.back().thread;
}

void ThreadMerge::leave(RecordedThread& thread) {
  const std::lock_guard held(members_mutex_);
  left_.push_back(&thread);
}

/// That of the next action, or of the action which the next volumes go with; volumes without one may go at once.
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

void ThreadMerge::mark(std::uint32_t number) {
  last_ = number;
  sequence_.append({.kind = trace::ActionKind::thread, .peer = static_cast<trace::Rank>(number)});
}

} // namespace timeless::tracer
