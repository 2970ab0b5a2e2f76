#pragma once

#include "replay/engine/matching/channels.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace timeless::replay {

/// Messages within collectives, from when they are sent until they are taken, and who waits for one. Unlike channels,
/// nothing is left of a pair of members that has no message on its way: an alltoall of many members would need as many
/// channels as there are pairs.
class ScheduleMessages {
public:
  static constexpr std::uint32_t nobody = 0xffffffffU;
  /// Who waits is a rank's number, or an asynchronous collective's with this bit.
  static constexpr std::uint32_t async_bit = 1U << 31U;

  /// From one member to another of one collective: its messages are received in the order they were sent.
  struct MemberPair {
    std::uint32_t instance = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool operator==(const MemberPair&) const = default;
  };

  ScheduleMessages();

  /// Puts a message on its way. Returns who waited for it, and forgets that; or nobody.
  std::uint32_t put(const MemberPair& way, Message&& message);
  static constexpr std::size_t nowhere = ~std::size_t{0};
  /// Returns where the next message of this pair is, until anything else comes or goes; nowhere when there is none yet.
  std::size_t find(const MemberPair& way) const {
    const std::size_t at = place(way);
    return slots_[at].first == none ? nowhere : at;
  }
  const Message& operator[](std::size_t found) const { return messages_[slots_[found].first].message; }
  Message& operator[](std::size_t found) { return messages_[slots_[found].first].message; }
  /// Returns who waits for the next message of this pair, or nobody.
  std::uint32_t waiter(const MemberPair& way) const { return slots_[place(way)].waiter; }
  /// Notes that `waiter` waits for the next message of this pair, of which there is none.
  void wait(const MemberPair& way, std::uint32_t waiter);
  /// Calls visit(message) for the messages of this pair.
  template <typename Visit>
  void for_each(const MemberPair& way, Visit&& visit) {
    for (std::uint32_t number = slots_[place(way)].first; number != none; number = messages_[number].next)
      visit(messages_[number].message);
  }
  /// Forgets the message that was found.
  void remove(std::size_t found);

private:
  static constexpr std::uint32_t none = 0xffffffffU;

  /// Free where there are neither messages nor a waiter.
  struct Slot {
    MemberPair way;
    std::uint32_t waiter = nobody;
    std::uint32_t first = none; ///< of messages_
    std::uint32_t last = none;
    bool free() const { return first == none && waiter == nobody; }
  };
  struct Stored {
    Message message;
    std::uint32_t next = none; ///< of the same pair, or the next free one
  };

  std::size_t home(const MemberPair& way) const {
    std::uint64_t state = (std::uint64_t{way.from} << 32U | way.to) * 0x9e3779b97f4a7c15U;
    state = (state ^ (state >> 29U) ^ way.instance) * 0xff51afd7ed558ccdU;
    return static_cast<std::size_t>(state ^ (state >> 32U)) & (slots_.size() - 1);
  }
  /// Returns the slot of this pair, or the free one where it would be.
  std::size_t place(const MemberPair& way) const {
    std::size_t slot = home(way);
    while (!slots_[slot].free() && slots_[slot].way != way)
      slot = (slot + 1) & (slots_.size() - 1);
    return slot;
  }
  void vacate(std::size_t slot);
  void grow();

  std::vector<Slot> slots_; ///< a power of two, open addressing
  std::size_t used_ = 0;
  std::deque<Stored> messages_;
  std::uint32_t free_messages_ = none;
};

} // namespace timeless::replay
