#pragma once

#include "trace/check/findings.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace timeless::trace::checking {

/// Messages that MPI keeps in order: of one tag, from one rank of MPI_COMM_WORLD to another, in one communicator.
struct Channel {
  CommunicatorId communicator = world_communicator;
  Rank sender = no_rank;
  Rank receiver = no_rank;
  Tag tag = 0;
  auto operator<=>(const Channel&) const = default;
};

/// Hashes a channel, for unordered containers.
struct ChannelHash {
  std::size_t operator()(const Channel& channel) const;
};

/// The two halves of a message.
enum class Side : std::uint8_t { send, receive };

/// What became of one half of a message.
enum class HalfState : std::uint8_t {
  open, ///< its request has not completed; it may still be cancelled
  done,
  cancelled, ///< there is no message
  met,       ///< its other half was found out of turn
};

/// One end of a message.
struct Half {
  std::uint64_t action = 0;
  Bytes bytes = 0;
  bool at_most = false; ///< a receive that may name its buffer's size
  HalfState state = HalfState::done;
  bool unordered = false;       ///< another thread's in its channel may have come before or after it
  bool never_completed = false; ///< found at the end of the run
};

/// Matches sends with receives, channel by channel, and compares their bytes. Where several threads of a rank send or
/// receive at once in a channel, their order is not known: those of equal bytes meet then.
class Messages {
public:
  Messages(Rank ranks, CheckReport& report, Findings& findings);

  /// Adds the next send or receive of a channel; returns its number on its side.
  std::uint64_t post(const Channel& channel, Side side, const Half& half);
  /// Notes that an open one has completed or was cancelled.
  void settle(const Channel& channel, Side side, std::uint64_t number, HalfState state);

  /// Returns how many sends and receives of a rank wait for their other halves.
  std::uint64_t waiting(Rank rank) const { return waiting_[static_cast<std::size_t>(rank)]; }
  /// Forgets, from now on, sends to this rank that it has not posted receives for.
  void leave(Rank rank) { gone_[static_cast<std::size_t>(rank)] = true; }

  /// Reports what has not met. What lacks a rank that has left is incomplete; the rest is inconsistent.
  void finish();

private:
  /// Halves by number, the oldest first. A vector, since a run has many channels and most are empty most of the time.
  class Queue {
  public:
    bool empty() const { return head_ == halves_.size(); }
    std::uint64_t end_number() const { return popped_ + halves_.size() - head_; }
    Half& front() { return halves_[head_]; }
    std::span<Half> all() { return std::span(halves_).subspan(head_); }
    std::span<const Half> all() const { return std::span(halves_).subspan(head_); }
    /// Returns the half with this number, or null when it is gone.
    Half* find(std::uint64_t number) {
      return number >= popped_ && number < end_number() ? &halves_[head_ + (number - popped_)] : nullptr;
    }
    void push(const Half& half) { halves_.push_back(half); }
    void pop();

  private:
    std::vector<Half> halves_;
    std::size_t head_ = 0;
    std::uint64_t popped_ = 0;
  };
  struct Queues {
    Queue sends;
    Queue receives;
    bool unordered = false; ///< not all of their orders are known
    bool guessed = false;   ///< one took what may have been for another: its size is not known
    bool empty() const { return sends.empty() && receives.empty(); }
  };
  using Entry = std::pair<const Channel, Queues>;

  void meet(Entry& entry, bool last);
  void take(const Half& send);
  static bool fit(const Half& send, const Half& receive);
  bool meet_out_of_turn(Queues& queues);
  void compare(const Channel& channel, const Half& send, const Half& receive);
  void drop_ended(Queue& queue, Rank rank);
  void pop(Queue& queue, Rank rank);
  void forget_empty_channels();
  void report_rest(const Channel& channel, const Queues& queues);
  bool gone(Rank rank) const { return gone_[static_cast<std::size_t>(rank)]; }

  CheckReport& report_;
  Findings& findings_;
  std::unordered_map<Channel, Queues, ChannelHash> channels_;
  std::uint64_t larger_buffers_ = 0;
  std::size_t clean_at_ = 1U << 16U;
  std::vector<std::uint64_t> waiting_;
  std::vector<bool> gone_;
};

} // namespace timeless::trace::checking
