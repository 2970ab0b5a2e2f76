#pragma once

#include "tracer/record/rank/recorded_thread.h"
#include "tracer/storage/block_queue.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace timeless::tracer {

/// The threads of this rank that call MPI, and the one sequence their actions make.
///
/// Where they call MPI at once, each adds its actions to memory of its own, with a ticket from a counter that all
/// share; now and then one of them brings all that wait into the rank's sequence, in the order of the tickets: an
/// action that could only happen after another, whatever their threads, comes after it. In the sequence a `thread`
/// action stands wherever another thread's actions begin.
class ThreadMerge {
public:
  explicit ThreadMerge(BlockQueue& sequence) : sequence_(sequence) {}

  /// Returns what is kept for the calling thread, which has none yet: `reused`, from take_reusable(), or with a new
  /// number. One thread at a time, and not beside merge().
  RecordedThread& join(RecordedThread* reused = nullptr);
  /// Notes that the thread has ended: its memory may be another's, with another number.
  void leave(RecordedThread& thread);
  /// Notes that the thread with this number has been waited for: one that is created from now on may go on with it.
  void let_be_reused(const RecordedThread& thread, std::uint32_t number);
  /// Returns such a one for a thread that is being created, or null.
  RecordedThread* take_reusable();
  void give_back(RecordedThread& reusable);

  /// Adds an action of a thread that is in MPI at the same time as others. Returns how many of its wait for merge().
  std::size_t append(RecordedThread& thread, const trace::Action& action) { return thread.append(action, tickets_); }
  /// Brings all actions that have a ticket now into the sequence. One thread at a time.
  void merge();

  // Threads that are in MPI one after the other: a call begins once the one before has ended, whatever the threads
  // have computed side by side until then.
  /// Adds an action of the only thread that is in MPI now.
  ActionPosition append_alone(RecordedThread& thread, const trace::Action& action, bool unsettled) {
    if (thread.number() != last_) take_turn(thread.number());
    if (awaits_turn_) [[unlikely]]
      await_turn();
    if (thread.stamp.on()) sequence_.stamp(thread.stamp.take());
    return sequence_.append(action, unsettled);
  }
  void append_volume_alone(RecordedThread& thread, trace::ActionKind kind, trace::KernelId kernel,
                           std::uint64_t volume) {
    if (thread.number() != last_) take_turn(thread.number());
    if (thread.stamp.on()) sequence_.stamp(thread.stamp.take());
    sequence_.append_volume(kind, kernel, volume);
  }

private:
  /// What one thread has given and the sequence has not.
  struct Waiting {
    TicketedBlock actions;
    std::size_t position = 0;
    const std::uint64_t* volume = nullptr;

    bool empty() const { return position == actions.tickets.size(); }
    std::uint64_t ticket() const;
  };
  struct Member {
    std::unique_ptr<RecordedThread> thread;
    Waiting first; ///< left over from the last merge
    Waiting second;
  };

  RecordedThread& add_member();
  void mark(std::uint32_t number);
  void take_turn(std::uint32_t number);
  void await_turn();
  static void collect(Member& member);
  static Waiting& next_of(Member& member) { return member.first.empty() ? member.second : member.first; }
  void move_group(Member& member);

  BlockQueue& sequence_;
  std::atomic<std::uint64_t> tickets_{0};
  std::uint32_t last_ = 0;   ///< whose actions stand at the sequence's end
  bool awaits_turn_ = false; ///< its next call comes after another thread's
  std::mutex members_mutex_;
  std::vector<Member> members_;
  std::uint32_t numbers_ = 0;             ///< given to threads
  std::vector<RecordedThread*> left_;     ///< by threads that have ended
  std::vector<RecordedThread*> reusable_; ///< the same, with their numbers
};

} // namespace timeless::tracer
