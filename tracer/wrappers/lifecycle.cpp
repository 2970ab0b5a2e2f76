#include "tracer/wrappers/lifecycle.h"

#include "base/error.h"
#include "base/escaping.h"
#include "base/launched_rank.h"
#include "trace/model/recording.h"
#include "tracer/counters/counter.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/world_group.h"
#include "tracer/process/signals.h"
#include "tracer/process/spawned_world.h"
#include "tracer/record/actions/marks.h"
#include "tracer/record/rank/call_times.h"
#include "tracer/settings/known_variables.h"
#include "tracer/storage/rank_file.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tracer {

namespace {

/// One rank's way to its recorder.
struct Attempt {
  int size = 0; ///< of the world
  Settings settings;
  ActiveCounter counter;
  std::vector<std::string> profile_events;
  std::unique_ptr<Recorder> recorder;
  std::string problem; ///< why there will be none
  bool told = false;   ///< by another process
  int exit_code = 0;   ///< 0 where the program is to go on without being recorded
};

/// What the person has asked for and cannot have ends the job. What the machine refuses (a full disk) does not: the
/// program comes first.
void take_in(Attempt& attempt, const Error& error) {
  const bool refused_by_machine = error.failure() == Failure::runtime;
  attempt.exit_code = refused_by_machine ? 0 : static_cast<int>(error.failure());
  attempt.problem = (refused_by_machine ? "NOT recorded, the program goes on: " : "") + std::string(error.what());
}

/// Returns, for programs that `timeless record` has started, whether there is a file already where the rank's would be.
bool is_taken(const Settings& settings, int rank) {
  std::error_code failure;
  return settings.recording != 0 && std::filesystem::exists(file_of_rank(settings, rank), failure);
}

/// Returns what to say where the launcher has started several processes and MPI has made a world of each; else empty.
std::string worlds_beside(int size) {
  const char* const launched = launched_apart(size);
  if (launched == nullptr) return {};
  return "the launcher has started " + std::string(launched) +
         " processes, of which MPI makes a world each, as where it is another MPI's than the program: one of them is "
         "recorded. Start the program with the launcher of its own MPI";
}

/// Tells whose file that is.
void give_way(Attempt& attempt, int rank) {
  const std::string directory = attempt.settings.directory.string();
  if (recording_of_file(file_of_rank(attempt.settings, rank)) == attempt.settings.recording) {
    attempt.exit_code = 0;
    const char* const launched = launched_rank();
    attempt.told = launched_apart(attempt.size) != nullptr && launched != nullptr && std::string_view(launched) != "0";
    attempt.problem = "NOT recorded: " + directory +
                      " holds the run of an MPI program that the command has started before this one: record each by "
                      "itself";
    return;
  }
  take_in(attempt, Error(Failure::usage, "another recording was the first in this directory", directory,
                         "record into one of its own: timeless record -o OTHER"));
}

/// Does a step of the attempt, unless one before has failed.
template <typename Step>
void try_step(Attempt& attempt, Step&& step) {
  if (!attempt.problem.empty()) return;
  try {
    step();
  } catch (const Error& error) {
    take_in(attempt, error);
  } catch (const std::exception& error) {
    take_in(attempt, Error(Failure::runtime, error.what()));
  }
}

Attempt prepare(int rank, int size, const std::filesystem::path& directory) {
  Attempt attempt;
  attempt.size = size;
  try_step(attempt, [&] {
    attempt.settings = read_settings();
    attempt.settings.directory = directory;
    if (is_taken(attempt.settings, rank)) return give_way(attempt, rank);
    attempt.counter = start_counter(attempt.settings.counter);
    if (!attempt.settings.profile.empty())
      attempt.profile_events = profile_bursts(attempt.settings.profile, attempt.counter);
  });
  return attempt;
}

void create_recorder(Attempt& attempt, int rank, int size) {
  if (!attempt.problem.empty()) return;
  try_step(attempt,
           [&] { attempt.recorder = std::make_unique<Recorder>(attempt.settings, attempt.counter, rank, size); });
  if (!attempt.recorder && is_taken(attempt.settings, rank)) give_way(attempt, rank);
}

std::uint32_t chance() {
  static std::random_device random;
  std::uint32_t number = 0;
  while (number == 0)
    number = random();
  return number;
}

/// Creates the ranks' files, that of rank 0 first: of two runs that begin in one directory at the same time, the one
/// whose rank 0 comes first has it all. Returns the run's identity; 0 where rank 0 has no file, and nobody gets one.
std::uint64_t create_recorders(Attempt& attempt, int rank, int size) {
  std::uint64_t identity = 0;
  if (rank == 0) {
    create_recorder(attempt, rank, size);
    const std::uint32_t recording = attempt.settings.recording;
    if (attempt.recorder) identity = trace::run_identity_of(recording != 0 ? recording : chance(), chance());
  }
  mpi().Bcast(&identity, static_cast<int>(sizeof identity), mpi().byte, 0, mpi().comm_world);
  if (rank != 0 && identity != 0) create_recorder(attempt, rank, size);
  return identity;
}

/// Returns the lowest rank that could not start, or the size when all could.
int first_that_failed(const Attempt& attempt, int rank, int size) {
  const int own = attempt.recorder ? size : rank;
  int first = size;
  mpi().Allreduce(&own, &first, 1, mpi().int_type, mpi().min, mpi().comm_world);
  return first;
}

/// Ends the job, unless it is only not to be recorded.
void give_up(Attempt& attempt, int rank, int first) {
  if (attempt.recorder) attempt.recorder->discard();
  if (rank == first && !attempt.told) std::fprintf(stderr, "timeless: %s\n", escaped(attempt.problem).c_str());
  int code = attempt.exit_code;
  mpi().Bcast(&code, 1, mpi().int_type, first, mpi().comm_world);
  if (code == 0) return;
  mpi().Finalize();
  std::fflush(nullptr);
  std::_Exit(code);
}

void tell_what_was_not_counted(const Recorder& recorder) {
  for (const std::string& shortcoming : shortcomings(recorder.counter()))
    std::fprintf(stderr, "timeless: rank %d: %s\n", recorder.rank(), shortcoming.c_str());
  if (const std::uint64_t failed = failed_profile_readings(); failed > 0)
    std::fprintf(stderr, "timeless: the profile of rank %d could not be read %llu times: its sums are too low\n",
                 recorder.rank(), static_cast<unsigned long long>(failed));
}

/// Tells what a person may want to know at the start: a launcher that is not the program's, settings misspelt, and
/// where each rank's recording goes if asked.
void tell_settings(const Recorder& recorder, int size) {
  if (const std::string beside = worlds_beside(size); !beside.empty())
    std::fprintf(stderr, "timeless: warning: %s\n", escaped(beside).c_str());
  if (recorder.rank() == 0)
    for (const std::string& variable : unknown_variables())
      std::fprintf(stderr, "timeless: warning: %s is no setting and is ignored: see man timeless, ENVIRONMENT\n",
                   in_quotes(variable).c_str());
  if (recorder.settings().verbose)
    std::fprintf(stderr, "timeless: rank %d is process %d and records into %s\n", recorder.rank(), recorder.process(),
                 escaped(recorder.settings().directory.string()).c_str());
}

extern "C" int __cxa_atexit(void (*)(void*), void*, void*);

void finish_at_end(void* /*nothing*/) {
  Recorder* const recorder = active_recorder.exchange(nullptr);
  // A forked child that exits is not the rank.
  if (recorder == nullptr || recorder->process() != ::getpid()) return;
  recorder->finish(trace::Ending::stopped, "the program ended without MPI_Finalize");
  tell_what_was_not_counted(*recorder);
}

/// What a program leaves that ends without MPI_Finalize, if it ends by exit or by returning from main. Other libraries'
/// destructors may still call that, and come after this one; what is entered here, of no library, comes after them all.
__attribute__((destructor)) void finish_at_exit() {
  if (active_recorder.load() != nullptr && __cxa_atexit(finish_at_end, nullptr, nullptr) != 0) finish_at_end(nullptr);
}

int copy_no_attribute(MPI_Comm /*comm*/, int /*key*/, void* /*state*/, void* /*value*/, void* /*copy*/, int* copied) {
  *copied = 0;
  return MPI_SUCCESS;
}

int callbacks_called(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*state*/) {
  CallScope* const call = thread_state.outermost;
  if (call != nullptr && call->call() == CallId::Finalize) finalize_recording(*call);
  return MPI_SUCCESS;
}

/// Has finalize_recording called when the program's callbacks in MPI_Finalize have been: as the first attribute of
/// MPI_COMM_SELF, this one is deleted last.
void await_callbacks() {
  int key = mpi().keyval_invalid;
  if (mpi().Comm_create_keyval(copy_no_attribute, callbacks_called, &key, nullptr) == MPI_SUCCESS)
    mpi().Comm_set_attr(mpi().comm_self, key, nullptr);
}

/// A forked child is not the rank: its MPI calls are passed on, and nothing it does reaches the trace.
void leave_child_alone() {
  active_recorder.store(nullptr);
  forget_journal();
  forget_activity();
}

/// Begins the recording that has been prepared. `threads`: the level of thread support; `ends_with_callbacks`: whether
/// MPI_COMM_SELF is there to tell of its end.
void begin_recording(CallScope& call, Attempt& attempt, std::uint64_t identity, int threads, bool ends_with_callbacks) {
  // Never deleted: threads may still be in a wrapper when the process ends.
  Recorder& recorder = *attempt.recorder.release();
  if (threads == mpi().thread_multiple) recorder.expect_threads();
  take_marks_of(threads < mpi().thread_serialized ? &call.thread() : nullptr);
  read_volume = attempt.counter.read;
  read_skew = attempt.counter.skew;
  try {
    recorder.use_profile(attempt.profile_events);
    recorder.begin(identity);
    cease_to_be_worker();
    count_workers(attempt.counter.workers);
    pthread_atfork(nullptr, nullptr, leave_child_alone);
    if (recorder.journal() != nullptr) {
      watch_signals(*recorder.journal());
      await_quick_exit();
    }
    if (ends_with_callbacks) await_callbacks();
    call.start(recorder);
    active_recorder.store(&recorder, std::memory_order_release);
    call.record([](Recorder&) {}); // whichever thread calls MPI first after this one, this one's number is 0
    tell_settings(recorder, attempt.size);
  } catch (const std::exception& failure) {
    recorder.fail(failure.what());
  }
}

constinit std::atomic<bool> world_has_begun{false};

} // namespace

bool world_begun() {
  return world_has_begun.load();
}

void start_recording(CallScope& call) {
  world_has_begun.store(true);
  if (call.recording()) return call.record([](Recorder& recorder) { recorder.communicators().name_world(); });
  int rank = 0;
  int size = 0;
  mpi().Comm_rank(mpi().comm_world, &rank);
  mpi().Comm_size(mpi().comm_world, &size);
  Attempt attempt = prepare(rank, size, directory_of_world(trace_directory()));
  const std::uint64_t identity = create_recorders(attempt, rank, size);
  if (const int first = first_that_failed(attempt, rank, size); first < size) return give_up(attempt, rank, first);
  // All ranks have just met in an allreduce: the nearest they come to one clock.
  if (attempt.recorder->settings().timestamps) start_clock();

  int threads = mpi().thread_single;
  mpi().Query_thread(&threads);
  begin_recording(call, attempt, identity, threads, true);
}

void start_recording_of_sessions(CallScope& call) {
  OwnHandle<MPI_Group> all;
  int rank = 0;
  int size = 0;
  get_world_group(all.place());
  mpi().Group_rank(all.value(), &rank);
  mpi().Group_size(all.value(), &size);
  mpi().Group_free(all.place());
  Attempt attempt = prepare(rank, size, trace_directory());
  create_recorder(attempt, rank, size);
  if (!attempt.recorder) {
    std::fprintf(stderr, "timeless: rank %d: %s\n", rank, escaped(attempt.problem).c_str());
    if (attempt.exit_code == 0) return;
    std::fflush(nullptr);
    std::_Exit(attempt.exit_code);
  }
  if (attempt.recorder->settings().timestamps) start_clock();
  const std::uint32_t recording = std::max(attempt.settings.recording, 1U);
  begin_recording(call, attempt, trace::run_identity_of(recording, 1), mpi().thread_multiple, false);
}

void finalize_recording(CallScope& call) noexcept {
  // Also while recording is switched off: that a rank has come to its end says that nothing of it is missing.
  call.record([](Recorder& recorder) { recorder.append_of_recorded({.kind = trace::ActionKind::finalize}); });
  finish_recording(call, trace::Ending::finalized, "");
}

void finish_recording(CallScope& call, trace::Ending ending, const std::string& reason) noexcept {
  if (!call.recording()) return;
  call.record([&](Recorder& recorder) {
    active_recorder.store(nullptr);
    recorder.finish(ending, reason);
    count_workers(nullptr);
    tell_what_was_not_counted(recorder);
    if (ending == trace::Ending::finalized && recorder.rank() == 0 && !recorder.announced())
      std::fprintf(stderr, "%s\n", recorder.summary().c_str());
  });
  call.stop();
}

} // namespace timeless::tracer
