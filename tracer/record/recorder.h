#pragma once

#include "trace/model/run.h"
#include "tracer/counters/counter.h"
#include "tracer/handles/communicators.h"
#include "tracer/handles/files.h"
#include "tracer/handles/requests.h"
#include "tracer/handles/windows.h"
#include "tracer/mpi/types.h"
#include "tracer/record/burst_profile.h"
#include "tracer/record/kept_handles.h"
#include "tracer/record/rank/rank_output.h"
#include "tracer/record/rank/regions.h"
#include "tracer/record/rank/thread_merge.h"
#include "tracer/settings/settings.h"
#include "tracer/sites/kernels.h"
#include "tracer/storage/block_queue.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace timeless::tracer {

class CallScope;
enum class CallId : std::uint16_t;
struct ThreadState;

/// Turns the MPI calls of this process into the actions of its rank's file. One per process.
///
/// Each action stands behind the computation before it, which is written as a compute action of its own when its volume
/// is above 0: the volume between the end of the last wrapper and the begin of this one, less the counter's skew. Calls
/// that record nothing (an unsuccessful MPI_Test, a receive from MPI_PROC_NULL) leave the computation around them in
/// one burst; the instructions inside MPI never count. What the program's worker threads did since the last burst
/// follows the computation as two actions of its kernel.
///
/// With MPI_THREAD_MULTIPLE several threads are in here at once. What the calls of the hot path (messages, completions,
/// collectives) share is then reached without a common lock: each thread has its RecordedThread, the requests have
/// ProgramRequests; all other calls, and looking up what a thread has not met before, take the recorder's mutex.
class Recorder {
public:
  /// Creates the rank's file. Throws Error when that cannot be.
  Recorder(const Settings& settings, ActiveCounter counter, int rank, int size);

  /// Sets the events to be profiled.
  void use_profile(std::vector<std::string> events) { profile_events_ = std::move(events); }
  /// Writes what the run is into the file, and begins the journal. To be called once all ranks have their files.
  void begin(std::uint64_t run_identity);
  /// Removes the file again: the run does not take place.
  void discard() noexcept;
  /// Prepares for several threads that call MPI at once. To be called before any action is recorded.
  void expect_threads();

  /// Makes this call the one that the thread's actions are recorded for; holds what it must hold until the guard goes.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> enter(CallScope& call);
  /// Ends a call that has been recorded.
  void leave() {
    if (threads_at_once_) publish_requests();
  }

  /// Records an action, and before it the computation that led to it. Nowhere while recording is switched off.
  ActionPosition append(const trace::Action& action, bool unsettled = false);
  /// Records an action that says something of a request already recorded, switched off or not.
  void append_of_recorded(const trace::Action& action);
  /// Records the computation before the call, and what workers did beside it.
  void end_burst();
  /// Counts a call by the name of the MPI function; it is not recorded as an action.
  void count_unrecorded();
  /// Counts a call that need not be the one being recorded. A signal handler may call it.
  void count_unrecorded(CallId call);
  /// Switches recording off or on (MPI_Pcontrol). What is computed while it is off does not count.
  void pause(bool paused);
  bool threads_at_once() const { return threads_at_once_; }
  bool paused() const { return paused_.load(std::memory_order_relaxed); }
  bool announced() const { return settings_.recording != 0; }

  /// Returns the journal; null when there can be none here.
  Journal* journal() { return output_.journal(); }
  /// Gives a communicator its handle in the journal.
  void name_in_journal(MPI_Comm handle);
  /// Gives a communicator that is already defined its handle, by any thread.
  void name_communicator(MPI_Comm handle, KnownCommunicator* known);

  BlockQueue& blocks() { return blocks_; }
  CommunicatorTable& communicators() { return communicators_; }
  /// Enters a request that the call has started; others than the calling thread find it once the call is recorded.
  Request& add_request(MPI_Request handle);
  /// Returns the request the calling thread means by the handle, or null.
  Request* find_request(MPI_Request handle) { return requests_.find(handle, thread().number()); }
  /// Returns the same, and keeps other threads from taking it for their own (ProgramRequests::claim).
  Request* claim_request(MPI_Request handle) { return requests_.claim(handle, thread().number()); }
  ProgramRequests& requests() { return requests_; }
  KernelTable& kernels() { return kernels_; }
  /// Returns the windows, for calls that create, free or open one; these are recorded one at a time.
  WindowTable& windows() { return windows_; }
  FileTable& files() { return files_; }
  RegionTable& regions() { return regions_; }
  KeptHandles& kept() { return kept_; }

  /// Returns the communicator with this handle; an unknown one is counted as unrecorded, and null.
  KnownCommunicator* communicator(MPI_Comm handle);
  /// Returns the same of a window.
  KnownWindow* window(MPI_Win handle);

  /// Returns what is kept for the calling thread, with memory for the lists of the action it is making.
  RecordedThread& thread() const;

  ThreadMerge& threads() { return threads_; }

  /// Ends the file: with what is still held, why it ended, and the index. Never throws; says on stderr what it cannot
  /// do.
  void finish(trace::Ending ending, const std::string& reason) noexcept;
  /// Stops recording, as the recorder itself has failed; says so once.
  void fail(const char* reason) noexcept;

  /// Returns the line that tells the user, at the end, that there is a trace.
  std::string summary() const;

  const Settings& settings() const { return settings_; }
  const ActiveCounter& counter() const { return counter_; }
  int rank() const { return rank_; }
  int process() const { return process_; }

private:
  /// Returns the mutex, where several threads may want it at once.
  std::unique_lock<std::recursive_mutex> guard();
  bool recording() const { return !paused() && !finished_.load(std::memory_order_relaxed); }
  void publish_requests();
  /// Begins to keep what there is of the calling thread, which has called MPI for the first time.
  void join(ThreadState& state);
  void record_computation(CallScope& call, bool with_workers = true);
  /// Adds the burst that the call ends to what has been profiled of its kernel.
  void add_to_profile(trace::KernelId kernel);
  /// Records what the worker threads did since the last burst, between these call sites.
  void record_workers(RecordedThread& thread, std::uint32_t begin, std::uint32_t end);
  /// Returns whose workers the calling thread is given the volumes of.
  const void* leader_of_workers() const;
  /// Gives the first of the actions that a call records the call's times.
  void stamp_call(trace::ActionKind kind);
  /// Puts an action into the rank's sequence, or among those of the thread that will get there.
  ActionPosition put(RecordedThread& thread, const trace::Action& action, bool unsettled = false);
  void put_volume(RecordedThread& thread, trace::ActionKind kind, trace::KernelId kernel, std::uint64_t volume);
  /// Returns what a table says of a handle, which the calling thread may remember from the last time.
  template <typename Known, typename Table, typename Handle>
  Known* look_up(Table& table, Handle handle, FlatMap<Known*>& remembered, std::uint64_t& version);
  std::uint32_t site_of(CallScope& call, RecordedThread& thread);
  trace::KernelId kernel_between(std::uint32_t begin, std::uint32_t end, RecordedThread& thread);
  /// Writes what is still held, as far as there is room; the journal's own room goes to it when there is no other.
  void write_held();

  Settings settings_;
  ActiveCounter counter_;
  int rank_;
  int size_;
  int process_;
  CommunicatorTable communicators_;
  KernelTable kernels_;
  RegionTable regions_;
  RankOutput output_;
  BlockQueue blocks_;
  ProgramRequests requests_;
  KernelProfiles profiles_;
  std::vector<std::string> profile_events_;
  KeptHandles kept_;
  WindowTable windows_;
  FileTable files_;
  std::atomic<bool> paused_;
  std::uint64_t recording_since_ = 0; ///< by now(), while recording is on and has timestamps
  std::atomic<bool> finished_ = false;
  bool failed_ = false;
  bool threads_at_once_ = false;
  std::recursive_mutex mutex_;
  ThreadMerge threads_{blocks_};
};

} // namespace timeless::tracer
