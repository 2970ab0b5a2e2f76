#pragma once

#include "tracer/block_queue.h"
#include "tracer/recorded_thread.h"

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

  /// What is kept for the calling thread, which has none yet; another may have it once leave() was called.
  RecordedThread& join();
  void leave(RecordedThread& thread);

  /// Adds an action of a thread that is in MPI at the same time as others. Returns how many of its wait for merge().
  std::size_t append(RecordedThread& thread, const trace::Action& action) { return thread.append(action, tickets_); }
  /// Brings all actions that have a ticket now into the sequence. One thread at a time.
  void merge();

  /// Adds an action of the only thread that is in MPI now.
  Place append_alone(RecordedThread& thread, const trace::Action& action, bool unsettled) {
    if (thread.number() != last_) mark(thread.number());
    if (thread.stamp.on()) sequence_.stamp(thread.stamp.take());
    return sequence_.append(action, unsettled);
  }
  void append_volume_alone(RecordedThread& thread, trace::ActionKind kind, trace::KernelId kernel,
                           std::uint64_t volume) {
    if (thread.number() != last_) mark(thread.number());
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

  void mark(std::uint32_t number);
  static void collect(Member& member);
  static Waiting& next_of(Member& member) { return member.first.empty() ? member.second : member.first; }
  void move_group(Member& member);

  BlockQueue& sequence_;
  std::atomic<std::uint64_t> tickets_{0};
  std::uint32_t last_ = 0; ///< whose actions stand at the sequence's end
  std::mutex members_mutex_;
  std::vector<Member> members_;
  std::vector<RecordedThread*> left_;
};

} // namespace timeless::tracer
