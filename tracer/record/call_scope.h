#pragma once

#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/pmpi_chain.h"
#include "tracer/record/activity.h"
#include "tracer/record/burst_profile.h"
#include "tracer/record/rank/call_ids.h"
#include "tracer/record/rank/call_times.h"
#include "tracer/record/recorder.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

namespace timeless::tracer {

class CallScope;
struct ThreadLife;

/// A place where threads of the rank wait for each other (thread_points.h).
using Point = std::uint32_t;
inline constexpr Point no_point = ~Point{0};

/// A point that a thread has awaited which nothing is recorded of yet. `object`: whose points may be given again; or
/// null.
struct AwaitedBefore {
  Point point = no_point;
  const void* object = nullptr;
};

/// What a thread carries from one MPI call of the program to the next.
struct ThreadState {
  std::uint32_t depth = 0;            ///< wrappers this thread is in: calls at a depth above 1 are made inside MPI
  CallScope* outermost = nullptr;     ///< the call at depth 1, while there is one
  bool started = false;               ///< last holds a reading
  std::uint32_t last_site = 0;        ///< call site of the last recorded action
  std::uint64_t last = 0;             ///< the counter when the program got control back
  std::uint64_t pending = 0;          ///< computation before calls that were not recorded
  CallScope* call = nullptr;          ///< the one being recorded
  RecordedThread* recorded = nullptr; ///< what the recorder keeps for this thread, from its first recorded call on
  RecordedThread* left = nullptr;     ///< that, for who cleans up when the thread has ended
  trace::JournalThread* activity = &activity_unknown; ///< where the journal shows what this thread is doing
  CallTimes times;
  /// Awaited before its first recorded call: the first, and the last ones, of where it has waited until then.
  std::array<AwaitedBefore, 4> begins_after;
  ThreadLife* life = nullptr;       ///< of a thread that was created while others could call MPI
  const void* function = nullptr;   ///< where such a thread began
  bool of_mpi = false;              ///< one of the threads that MPI makes for itself, or that those make
  bool in_handler = false;          ///< of signals: nothing may be recorded there (signal_handlers.cpp)
  bool converting = false;          ///< in a Fortran procedure of MPI's that has not called C yet
  std::uint64_t converted_from = 0; ///< the counter when the program called that
};

extern constinit thread_local ThreadState thread_state;

/// The recorder at work, or null: before MPI_Init, after MPI_Finalize, and once recording has stopped.
extern constinit std::atomic<Recorder*> active_recorder;
using ReadVolume = std::uint64_t (*)() noexcept;
/// Reads the run's counter; 0 until there is one.
extern constinit ReadVolume read_volume;
/// What two reads back to back differ by; to be subtracted from every difference.
extern constinit std::uint64_t read_skew;

/// One call of the program into a wrapper, from its first instruction to its last.
///
/// The counter is read first on the way in and last on the way out, so that a burst of computation holds nothing of the
/// tracer, of MPI, or of the conversions between Fortran and C. Calls that MPI makes inside itself are passed on
/// untouched. Those of a callback that the program has given to MPI (for attributes, errors, generalized requests) are
/// the program's, and come before the call they are made in, without any computation of their own.
class CallScope {
public:
  CallScope(CallId call, const void* site) noexcept
      : thread_(thread_state), call_(call), site_(site), recorder_(nullptr) {
    ThreadState& thread = thread_;
    if (thread.depth++ != 0 && !left_outer_call()) [[unlikely]] {
      enter_from_callback();
      return;
    }
    site_ = ChainedCall::site(site);
    thread.outermost = this;
    thread.in_handler = false;
    Recorder* const recorder = active_recorder.load(std::memory_order_acquire);
    if (recorder == nullptr) [[unlikely]] {
      if (!mpi_library.found) find_mpi_library();
      return;
    }
    recorder_ = recorder;
    if (!thread.started) [[unlikely]]
      thread.pending = recorder->threads_at_once() ? leave_workers() : (cease_to_be_worker(), 0);
    begin_ = thread.converting ? thread.converted_from : read_volume();
    thread.converting = false;
    if (thread.activity == &activity_unknown) [[unlikely]]
      thread.activity = claim_activity(*recorder);
    begin_call(*thread.activity, static_cast<std::uint16_t>(call), site_);
    if (timestamps) [[unlikely]]
      thread.times.enter();
    if (profiled_events != 0) [[unlikely]]
      end_burst();
  }

  ~CallScope() {
    ThreadState& thread = thread_;
    --thread.depth;
    if (recorder_ == nullptr || in_callback_) [[unlikely]]
      return;
    end_call(*thread.activity);
    if (!consumed_) thread.pending = computation(thread, begin_);
    thread.started = true;
    if (profiled_events != 0) [[unlikely]]
      begin_burst(consumed_);
    if (timestamps) [[unlikely]]
      thread.times.leave(consumed_);
    thread.last = read_volume();
  }

  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  /// Runs `action(recorder)` if the program made this call and the run is being recorded. Whatever fails there stops
  /// the recording and leaves the program alone.
  template <typename Action>
  void record(Action&& action) noexcept {
    if (recorder_ != nullptr) run(*recorder_, std::forward<Action>(action));
  }

  /// Records the action only if the MPI call has succeeded.
  template <typename Action>
  void record(int result, Action&& action) noexcept {
    if (result == MPI_SUCCESS) record(std::forward<Action>(action));
  }

  /// Records a collective call that has succeeded, or has met the others though more came than its buffers hold.
  template <typename Action>
  void record_meeting(int result, Action&& action) noexcept {
    truncated_ = error_class(result) == mpi().err_truncate;
    if (result == MPI_SUCCESS || truncated_) record(std::forward<Action>(action));
  }
  bool truncated() const { return truncated_; }

  /// Records, instead of record(), that a test or a poll has found nothing: programs make millions of those while they
  /// wait.
  void record_nothing() noexcept {
    if (recorder_ != nullptr && thread_.recorded == nullptr) [[unlikely]]
      record([](Recorder&) {});
  }

  /// Returns true when the program made this call, and not MPI itself.
  bool by_program() const { return thread_.depth == 1; }
  bool recording() const { return recorder_ != nullptr; }
  /// Returns the recorder, or null when the call is not recorded.
  Recorder* recorder() const { return recorder_; }
  CallId call() const { return call_; }
  const void* site() const { return site_; }

  /// Shows in the journal whom the call is about.
  void with(int peer, int tag, MPI_Comm comm) noexcept {
    if (shown()) show_partner(*thread_.activity, peer, tag, comm);
  }
  void with(int peer, MPI_Comm comm) noexcept {
    if (shown()) show_partner(*thread_.activity, peer, comm);
  }
  void with(MPI_Comm comm) noexcept {
    if (shown()) show_partner(*thread_.activity, comm);
  }

  /// Returns the computation before this call, less the skew of the counter: all of it the first time, 0 from then on.
  std::uint64_t take_computation() noexcept;
  ThreadState& thread() { return thread_; }

  /// Begins recording with this call: computation counts from its end.
  void start(Recorder& recorder);
  /// Notes that recording has ended within this call.
  void stop() { recorder_ = nullptr; }

private:
  template <typename Action>
  void run(Recorder& recorder, Action&& action) noexcept;
  static std::uint64_t computation(const ThreadState& thread, std::uint64_t begin) noexcept {
    // A thread's first call has nothing to measure from.
    const std::uint64_t elapsed = thread.started ? begin - thread.last : 0;
    return thread.pending + (elapsed > read_skew ? elapsed - read_skew : 0);
  }
  bool shown() const { return recorder_ != nullptr && !in_callback_; }
  bool left_outer_call() noexcept;
  void enter_from_callback() noexcept;

  ThreadState& thread_;
  CallId call_;
  bool consumed_ = false;
  bool in_callback_ = false;
  bool truncated_ = false;
  const void* site_;
  Recorder* recorder_;
  std::uint64_t begin_ = 0;
};

/// A call of a Fortran procedure, which another than this library converts to C (fortran_layer). What the MPI library
/// computes there is none of the program's computation; what a profiling layer does is.
class FortranCall {
public:
  explicit FortranCall(const void* site) noexcept
      : call_(site), converts_(thread_state.depth == 0 && mpi_library.abi != Abi::open_mpi) {
    if (!converts_) return;
    thread_state.converting = true;
    thread_state.converted_from = read_volume();
  }
  ~FortranCall() {
    // Without a call of C, all that has passed is the program's still.
    if (converts_ && !std::exchange(thread_state.converting, false)) thread_state.last = read_volume();
  }
  FortranCall(const FortranCall&) = delete;
  FortranCall& operator=(const FortranCall&) = delete;

private:
  ChainedCall call_;
  bool converts_;
};

template <typename Action>
void CallScope::run(Recorder& recorder, Action&& action) noexcept {
  const auto held = recorder.enter(*this);
  try {
    action(recorder);
    recorder.leave();
  } catch (const std::exception& failure) {
    recorder.fail(failure.what());
  }
}

} // namespace timeless::tracer
