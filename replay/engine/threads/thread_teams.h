#pragma once

#include "replay/engine/core/core.h"
#include "replay/engine/threads/timed_worklist.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace timeless::replay {

/// Ranks with several threads, each of which is replayed like a rank of its own, but for what it shares with the others
/// (ThreadDivision): divides their blocks, lets threads wait for each other, and gives them cores where these are
/// counted.
///
/// A rank becomes several threads when a block of it is met that names one. It is read ahead of its threads, up to a
/// bound; a thread without actions of its own reads on, or waits until others have caught up (Waiting::for_block).
class ThreadTeams {
public:
  explicit ThreadTeams(Core& core) : core_(core) {}

  // ---- blocks

  /// Makes threads of a rank of which a block, replayed or about to begin, is the first that names threads.
  void make_threads(std::uint32_t number);
  /// Looks for threads when nothing goes on: ranks that stand and name threads only in later blocks get several from
  /// here on, and ranks are read further ahead than usual. Returns true when one goes on.
  bool look_for_threads();
  /// Begins the thread's part of the next block in which it has actions. Returns false when it must wait for them, or
  /// has ended.
  bool next_part(std::uint32_t number);

  // ---- threads that wait for each other

  /// Returns true when what the present action needs of other threads has happened; otherwise the thread waits for one
  /// of them.
  bool await_dependences(RankState& rank, std::uint32_t number, ThreadNote& note);
  /// Notes that the thread has begun its present action: others may wait for that, and take its time.
  void begun(RankState& rank, std::uint32_t number, ThreadNote* note);
  /// Notes that the thread's present action has ended.
  void ended(RankState& rank, std::uint32_t number, ThreadNote* note);

  // ---- cores, with ReplayOptions::cores_per_rank

  /// Returns true from when a rank has several threads on, if cores are counted: ranks and threads are run in the order
  /// of time.
  bool in_time() const { return core_.options.cores_per_rank > 0 && !teams_.empty(); }
  /// Returns true when some rank or thread can go on.
  bool someone_can_go_on() const { return !core_.worklist.empty() || !timed_.empty(); }
  /// Takes the rank or thread to be run next from the worklist.
  std::uint32_t next_rank();
  /// A core for the present action of a thread; `own_time` when it needs none. Nothing where the thread must let others
  /// go first. The thread's clock waits until the core is free.
  static constexpr std::uint32_t own_time = 0xffffffffU;
  std::optional<std::uint32_t> core_for(RankState& rank, std::uint32_t number, const Operation& operation);
  /// Frees a core that the thread needs no longer.
  void free_core(RankState& rank, std::uint32_t number, std::uint32_t core);
  /// Returns true when some thread has waited for a core: then the result depends on in which order threads ask.
  bool cores_lacked() const { return cores_lacked_; }

  // ---- ends

  const std::deque<RankThreads>& teams() const { return teams_; }
  /// Returns what a rank, or a thread and those it has waited for, has counted up to its time.
  RankTimes counted(std::uint32_t number, std::size_t lane);
  /// Returns, of a rank's threads, the one whose settled clock ends last; else the rank.
  std::uint32_t last_thread(std::uint32_t number, std::size_t lane) const;

private:
  void stand_again(std::uint32_t number, std::uint32_t position, std::ptrdiff_t volumes_left);
  void share_out(RankThreads& all, const std::shared_ptr<SharedBlock>& shared);
  void add_thread(RankThreads& all);
  bool read_on(RankThreads& all);
  bool read_on_by_itself(RankThreads& all);
  bool read_further();
  void feed(std::uint32_t number);
  void end_part(RankState& rank);
  void take_part(RankState& rank, std::uint32_t number, ThreadPart part);
  void await(RankState& rank, std::uint32_t number, const ThreadTime& since);
  void store_time(std::uint32_t number, ThreadTime& time);
  std::uint32_t nothing_row();
  void tell_watchers(RankState& rank, std::uint32_t number);
  TimedWorklist::Entry entry_of(std::uint32_t number);
  void sort_by_time();

  Core& core_;
  std::deque<RankThreads> teams_;
  bool looked_ = false; ///< whether ranks that stand have threads later on
  /// Threads without actions, of ranks that have been read far ahead of others of their threads.
  std::vector<std::uint32_t> hungry_;
  std::vector<double> nothing_;              ///< of nothing_row_
  std::optional<std::uint32_t> nothing_row_; ///< costs of what takes no time; once there is such
  TimedWorklist timed_;                      ///< while in_time(): those of the worklist that have been sorted
  std::uint64_t asked_ = 0;                  ///< times that threads have asked for a core
  bool cores_lacked_ = false;
};

} // namespace timeless::replay
