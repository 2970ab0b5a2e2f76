#include "replay/engine/collectives/schedule_messages.h"

#include <utility>

namespace timeless::replay {

namespace {

constexpr std::size_t first_slots = 64;

} // namespace

ScheduleMessages::ScheduleMessages() : slots_(first_slots) {}

std::uint32_t ScheduleMessages::put(const MemberPair& way, Message&& message) {
  std::uint32_t number = free_messages_;
  if (number == none) {
    number = static_cast<std::uint32_t>(messages_.size());
    messages_.emplace_back();
  } else {
    free_messages_ = messages_[number].next;
  }
  messages_[number].message = std::move(message);
  messages_[number].next = none;
  std::size_t at = place(way);
  if (slots_[at].free()) {
    if (2 * ++used_ > slots_.size()) {
      grow();
      at = place(way);
    }
    slots_[at] = {.way = way, .first = number, .last = number};
    return nobody;
  }
  Slot& slot = slots_[at];
  if (slot.first == none)
    slot.first = number;
  else
    messages_[slot.last].next = number;
  slot.last = number;
  return std::exchange(slot.waiter, nobody);
}

void ScheduleMessages::wait(const MemberPair& way, std::uint32_t waiter) {
  std::size_t at = place(way);
  if (slots_[at].free() && 2 * ++used_ > slots_.size()) {
    grow();
    at = place(way);
  }
  slots_[at] = {.way = way, .waiter = waiter};
}

void ScheduleMessages::remove(std::size_t found) {
  Slot& slot = slots_[found];
  const std::uint32_t number = slot.first;
  Stored& stored = messages_[number];
  stored.message.sent.base.reset();
  slot.first = std::exchange(stored.next, free_messages_);
  free_messages_ = number;
  if (slot.first == none) vacate(found);
}

/// Closes the gap that a slot leaves: those after it move up as long as that brings them nearer to their home.
void ScheduleMessages::vacate(std::size_t slot) {
  const std::size_t mask = slots_.size() - 1;
  --used_;
  slots_[slot] = {};
  for (std::size_t next = (slot + 1) & mask; !slots_[next].free(); next = (next + 1) & mask) {
    const std::size_t wanted = home(slots_[next].way);
    if (((next - wanted) & mask) < ((next - slot) & mask)) continue;
    slots_[slot] = std::exchange(slots_[next], {});
    slot = next;
  }
}

void ScheduleMessages::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old)
    if (!slot.free()) slots_[place(slot.way)] = slot;
}

} // namespace timeless::replay
