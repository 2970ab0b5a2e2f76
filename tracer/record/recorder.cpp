#include "tracer/record/recorder.h"

#include "base/error.h"
#include "base/escaping.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/process/host.h"
#include "tracer/process/signals.h"
#include "tracer/record/call_scope.h"
#include "tracer/record/thread_points.h"
#include "tracer/storage/rank_file.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <utility>

namespace timeless::tracer {

namespace {

/// How many full blocks may wait for the source of a wildcard receive; beyond, the receive is written without it.
std::size_t blocks_held(const Settings& settings) {
  constexpr std::size_t actions_held = std::size_t{1} << 16U;
  return std::clamp<std::size_t>(actions_held / settings.actions_per_block, 4, 16);
}

/// Actions of one of several threads that join the rank's sequence together: few, since until then they are lost when
/// the process is killed...
constexpr std::size_t actions_to_merge = 32;
/// ... and so many that the thread waits until they can.
constexpr std::size_t actions_to_wait_for = 4096;

/// What workers have done meanwhile waits for a call of MPI: it would depend on when the threads meet.
constexpr bool of_points(trace::ActionKind kind) {
  return kind == trace::ActionKind::thread_signal || kind == trace::ActionKind::thread_await;
}

constexpr const char* call_names[] = {
#define MPI_CALL(name, family) "MPI_" #name,
#include "call_ids.inc"
#undef MPI_CALL
#define THREAD_CALL(name) #name,
#include "tracer/record/thread_calls.def"
#undef THREAD_CALL
};

constexpr std::size_t number_of_calls = std::size(call_names);

/// The families of calls.def, as far as threads are concerned: what is recorded of the first few shares nothing that is
/// not safe to share.
namespace at_once {
constexpr bool point_to_point = true;
constexpr bool completion = true;
constexpr bool request = true;
constexpr bool persistent = true;
constexpr bool collective = true;
constexpr bool communicator = false;
constexpr bool process = false;
constexpr bool window = false;
constexpr bool one_sided = true;
constexpr bool file = false;
constexpr bool lifecycle = false;
} // namespace at_once

constexpr bool recorded_at_once[] = {
#define MPI_CALL(name, family) at_once::family,
#include "call_ids.inc"
#undef MPI_CALL
#define THREAD_CALL(name) true,
#include "tracer/record/thread_calls.def"
#undef THREAD_CALL
};

/// Creates the rank's file and what it stands in.
trace::ArchiveWriter create_file(const Settings& settings, int rank) {
  const std::filesystem::path path = file_of_rank(settings, rank);
  std::error_code failure;
  std::filesystem::create_directories(settings.directory, failure);
  if (failure)
    throw Error(Failure::runtime, "cannot create the trace directory: " + failure.message(),
                settings.directory.string(), "set TIMELESS_DIR to a directory this host can write to");
  const Error taken(Failure::usage, "there is a trace already", path.string(),
                    "remove it, or set TIMELESS_DIR to another directory");
  if (std::filesystem::exists(path, failure)) throw taken;
  try {
    return trace::ArchiveWriter(path);
  } catch (const Error& error) {
    if (std::filesystem::exists(path, failure)) throw taken; // by now
    throw Error(Failure::runtime, error.description(), path.string(),
                error.advice().empty() ? "set TIMELESS_DIR to a directory this host can write to" : error.advice());
  }
}

std::string with_separators(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, ",");
  }
  return digits;
}

/// Says that the thread has ended, and lets another have what is kept for it.
void leave_at_thread_end(ThreadMerge& threads, ThreadState& state) {
  static ThreadMerge* merge = nullptr;
  static pthread_key_t key;
  static std::once_flag once;
  std::call_once(once, [&] {
    merge = &threads;
    pthread_key_create(&key, [](void* ended) {
      ThreadState& thread = *static_cast<ThreadState*>(ended);
      if (takes_points() && thread.life != nullptr && thread.life->end == no_point) {
        CallScope call(CallId::pthread_exit, thread.function);
        end_life(*thread.life, call);
      }
      leave_to_any(&thread);
      // Destructors of other data may call MPI still: then the thread joins again.
      thread.recorded = nullptr;
      merge->leave(*thread.left);
    });
  });
  state.left = state.recorded;
  pthread_setspecific(key, &state);
}

} // namespace

const char* mpi_name(CallId call) {
  return call_names[static_cast<std::size_t>(call)];
}

Recorder::Recorder(const Settings& settings, ActiveCounter counter, int rank, int size)
    : settings_(settings), counter_(std::move(counter)), rank_(rank), size_(size), process_(::getpid()),
      writer_(create_file(settings, rank)), blocks_(settings.actions_per_block, blocks_held(settings),
                                                    [this](const trace::ActionBlock& block) { write(block); }),
      unrecorded_(number_of_calls), paused_(settings.paused) {
  record_.rank = rank;
  record_.skew_per_call = counter_.skew;
  communicators_.start();
}

void Recorder::begin(std::uint64_t run_identity) {
  trace::Definitions definitions;
  definitions.size = size_;
  definitions.counter = counter_.identity;
  definitions.provenance = this_program();
  definitions.provenance->run_identity = run_identity;
  definitions.profile_events = profile_events_;
  definitions.hosts.push_back(this_host());
  definitions.communicators = communicators_.take_new();
  begin_journal(run_identity);
  definitions.ranks.push_back(record_);
  writer_.define(definitions);
  if (!timestamps) return;
  blocks_.stamp({});
  recording_since_ = now();
}

void Recorder::begin_journal(std::uint64_t run_identity) {
  try {
    journal_ = std::make_unique<Journal>(file_of_rank(settings_, rank_, trace::journal_extension),
                                         Journal::Plan{.run_identity = run_identity,
                                                       .rank = rank_,
                                                       .world = key_of(mpi().comm_world),
                                                       .calls = {std::begin(call_names), std::end(call_names)},
                                                       .blocks = blocks_held(settings_) + 1,
                                                       .actions_per_block = settings_.actions_per_block,
                                                       .times = timestamps});
    blocks_.keep(*journal_, [this] { journal_definitions(); });
  } catch (const Error& failure) {
    record_.notes.push_back("no journal (" + failure.description() +
                            "): if the rank is killed, what it does after its last full block is lost");
  }
}

void Recorder::journal_definitions() {
  if (!new_definitions_.any_for_journal()) return;
  if (!blocks_.define(new_definitions_.take_for_journal())) define_new();
}

void Recorder::name_in_journal(MPI_Comm handle) {
  if (journal_ == nullptr) return;
  const auto held = guard();
  const KnownCommunicator* const known = communicators_.find(handle);
  if (known != nullptr) journal_->name_communicator(key_of(handle), known->id);
}

void Recorder::discard() noexcept {
  std::error_code ignored;
  finished_ = true;
  std::filesystem::remove(file_of_rank(settings_, rank_), ignored);
  if (journal_) journal_->remove();
  // Fails unless it is empty. What `timeless record` has made stays, for it to look into.
  if (!announced() || settings_.directory != trace_directory()) std::filesystem::remove(settings_.directory, ignored);
}

void Recorder::expect_threads() {
  threads_at_once_ = true;
  requests_.share();
  communicators_.expect_threads();
}

std::unique_lock<std::recursive_mutex> Recorder::guard() {
  return threads_at_once_ ? std::unique_lock(mutex_) : std::unique_lock<std::recursive_mutex>();
}

std::unique_lock<std::recursive_mutex> Recorder::enter(CallScope& call) {
  ThreadState& state = call.thread();
  state.call = &call;
  if (state.recorded == nullptr) join(state);
  const bool alone = threads_at_once_ && !recorded_at_once[static_cast<std::size_t>(call.call())];
  return alone ? std::unique_lock(mutex_) : std::unique_lock<std::recursive_mutex>();
}

void Recorder::join(ThreadState& state) {
  {
    const auto held = guard();
    RecordedThread* const reused = state.life != nullptr ? std::exchange(state.life->reusable, nullptr) : nullptr;
    state.recorded = &threads_.join(reused);
  }
  const std::uint64_t since = state.life != nullptr ? state.times.back : state.times.entry;
  if (timestamps) state.recorded->stamp.set({since, since});
  leave_at_thread_end(threads_, state);
  for (AwaitedBefore& before : state.begins_after) {
    const auto [point, object] = std::exchange(before, {});
    if (point == no_point) continue;
    if (recording())
      put(*state.recorded, {.kind = trace::ActionKind::thread_await, .peer = static_cast<trace::Rank>(point)});
    give_back(point, object);
  }
}

Request& Recorder::add_request(MPI_Request handle) {
  RecordedThread& thread = this->thread();
  Request& request = requests_.add(handle, thread.number());
  if (threads_at_once_) thread.begun.push_back(&request);
  return request;
}

void Recorder::publish_requests() {
  RecordedThread& thread = this->thread();
  for (Request* const request : thread.begun)
    requests_.publish(*request);
  thread.begun.clear();
}

RecordedThread& Recorder::thread() const {
  return *thread_state.recorded;
}

ActionPosition Recorder::append(const trace::Action& action, bool unsettled) {
  if (!recording()) return {};
  record_computation(*thread_state.call, !of_points(action.kind));
  if (timestamps) stamp_call(action.kind);
  return put(thread(), action, unsettled);
}

void Recorder::end_burst() {
  if (recording()) record_computation(*thread_state.call);
}

void Recorder::append_of_recorded(const trace::Action& action) {
  if (finished_) return;
  if (paused())
    thread_state.call->take_computation();
  else
    record_computation(*thread_state.call);
  if (timestamps) stamp_call(action.kind);
  put(thread(), action);
}

/// What is said of a request before the call's own action takes no time.
void Recorder::stamp_call(trace::ActionKind kind) {
  CallTimes& times = thread_state.times;
  if (times.given) return;
  times.given = kind != trace::ActionKind::resolved;
  thread().stamp.set({times.entry, times.given ? now() : times.entry});
}

ActionPosition Recorder::put(RecordedThread& thread, const trace::Action& action, bool unsettled) {
  if (!threads_at_once_) return threads_.append_alone(thread, action, unsettled);
  if (const std::size_t waiting = threads_.append(thread, action); waiting >= actions_to_merge) {
    // Who holds the mutex may be merging these at this moment, or will with the next ones.
    std::unique_lock held(mutex_, std::try_to_lock);
    if (!held && waiting >= actions_to_wait_for) held.lock();
    if (held) threads_.merge();
  }
  return {.block = ActionPosition::elsewhere};
}

void Recorder::put_volume(RecordedThread& thread, trace::ActionKind kind, trace::KernelId kernel,
                          std::uint64_t volume) {
  if (threads_at_once_)
    thread.append_volume(kind, kernel, volume);
  else
    threads_.append_volume_alone(thread, kind, kernel, volume);
}

void Recorder::pause(bool paused) {
  if (!recording()) {
    thread_state.call->take_computation();
    if (workers_present()) take_worker_volumes(leader_of_workers());
  } else if (paused) {
    record_computation(*thread_state.call);
  }
  if (timestamps && paused != paused_) {
    if (paused)
      record_.recorded_time += now() - recording_since_;
    else
      recording_since_ = now();
  }
  paused_ = paused;
}

void Recorder::record_computation(CallScope& call, bool with_workers) {
  const std::uint64_t volume = call.take_computation();
  if (counter_.identity.unit == trace::VolumeUnit::none && profiled_events == 0) return;
  RecordedThread& thread = this->thread();
  const std::uint32_t site = site_of(call, thread);
  const std::uint32_t begin = std::exchange(call.thread().last_site, site);
  if (profiled_events != 0) add_to_profile(kernel_between(begin, site, thread));
  if (volume > 0) {
    if (timestamps) thread.stamp.set(call.thread().times.computation());
    put_volume(thread, trace::ActionKind::compute, kernel_between(begin, site, thread), volume);
  }
  if (with_workers && workers_present()) record_workers(thread, begin, site);
}

const void* Recorder::leader_of_workers() const {
  return threads_at_once_ ? &thread_state : nullptr;
}

void Recorder::add_to_profile(trace::KernelId kernel) {
  const auto held = guard();
  profiles_.add_burst(kernel);
}

void Recorder::record_workers(RecordedThread& thread, std::uint32_t begin, std::uint32_t end) {
  const WorkerVolumes volumes = take_worker_volumes(leader_of_workers());
  if (volumes.sum == 0) return;
  const trace::KernelId kernel = kernel_between(begin, end, thread);
  put_volume(thread, trace::ActionKind::workers_sum, kernel, volumes.sum);
  put_volume(thread, trace::ActionKind::workers_maximum, kernel, volumes.maximum);
}

std::uint32_t Recorder::site_of(CallScope& call, RecordedThread& thread) {
  const CallPath path = call_path(call.site(), settings_.stack_depth);
  if (!threads_at_once_) return kernels_.site(path);
  if (thread.sites_version != kernels_.version()) {
    thread.sites.clear();
    thread.sites_version = kernels_.version();
  }
  if (const std::uint32_t* known = thread.sites.find(path.key)) return *known;
  const auto held = guard();
  const std::uint32_t site = kernels_.site(path);
  thread.sites.set(path.key, site);
  return site;
}

trace::KernelId Recorder::kernel_between(std::uint32_t begin, std::uint32_t end, RecordedThread& thread) {
  if (!threads_at_once_) return kernels_.kernel(begin, end);
  const std::uint64_t key = ((std::uint64_t{begin} << 32U) | end) + 1;
  if (const trace::KernelId* known = thread.kernels.find(key)) return *known;
  const auto held = guard();
  const trace::KernelId kernel = kernels_.kernel(begin, end);
  thread.kernels.set(key, kernel);
  return kernel;
}

void Recorder::count_unrecorded() {
  count_unrecorded(thread_state.call->call());
}

void Recorder::count_unrecorded(CallId call) {
  if (paused()) return;
  const auto place = static_cast<std::size_t>(call);
  std::atomic_ref(unrecorded_[place]).fetch_add(1, std::memory_order_relaxed);
  if (journal_ != nullptr) journal_->count_unrecorded(place);
}

KnownCommunicator* Recorder::communicator(MPI_Comm handle) {
  RecordedThread& thread = this->thread();
  KnownCommunicator* const known =
      threads_at_once_ ? look_up(communicators_, handle, thread.communicators, thread.communicators_version)
                       : communicators_.find(handle);
  if (known == nullptr) count_unrecorded();
  return known;
}

KnownWindow* Recorder::window(MPI_Win handle) {
  RecordedThread& thread = this->thread();
  KnownWindow* const known =
      threads_at_once_ ? look_up(windows_, handle, thread.windows, thread.windows_version) : windows_.find(handle);
  if (known == nullptr) count_unrecorded();
  return known;
}

template <typename Known, typename Table, typename Handle>
Known* Recorder::look_up(Table& table, Handle handle, FlatMap<Known*>& remembered, std::uint64_t& version) {
  if (version != table.version()) {
    remembered.clear();
    version = table.version();
  }
  if (Known** const known = remembered.find(key_of(handle))) return *known;
  const auto held = guard();
  Known* const known = table.find(handle);
  if (known != nullptr) remembered.set(key_of(handle), known);
  return known;
}

void Recorder::keep_message(MPI_Message handle, const MatchedMessage& message) {
  const auto held = guard();
  messages_.set(key_of(handle), message);
}

std::optional<MatchedMessage> Recorder::take_message(MPI_Message handle) {
  const auto held = guard();
  const MatchedMessage* const known = messages_.find(key_of(handle));
  if (known == nullptr) return std::nullopt;
  const MatchedMessage taken = *known;
  messages_.erase(key_of(handle));
  return taken;
}

void Recorder::keep_generalized(const Request& request) {
  const auto held = guard();
  generalized_.set(key_of(request.handle), request.id);
}

trace::RequestId Recorder::generalized(MPI_Request handle) {
  const auto held = guard();
  const trace::RequestId* const known = generalized_.find(key_of(handle));
  return known != nullptr ? *known : trace::no_request;
}

void Recorder::forget_generalized(const Request& request) {
  const auto held = guard();
  // MPI may have given the handle to the next one already.
  const trace::RequestId* const known = generalized_.find(key_of(request.handle));
  if (known != nullptr && *known == request.id) generalized_.erase(key_of(request.handle));
}

void Recorder::keep_freed(Request& request) {
  const auto held = guard();
  freed_.push_back(&request);
}

std::vector<Request*> Recorder::take_freed() {
  const auto held = guard();
  return std::exchange(freed_, {});
}

void Recorder::write(const trace::ActionBlock& block) {
  define_new();
  // After a failure, a large block may be in the file in part.
  const std::uint64_t there = writer_.actions_written(rank_) - record_.actions;
  if (there == 0)
    writer_.write(rank_, block);
  else
    writer_.write(rank_, trace::part(block, static_cast<std::size_t>(there), block.size()));
  record_.actions += block.size();
}

/// What the next block may use must stand before it.
void Recorder::define_new() {
  const trace::Definitions& definitions = new_definitions_.for_file();
  if (!definitions.empty()) writer_.define(definitions);
  new_definitions_.in_file();
}

void Recorder::write_held() {
  if (failed_ && journal_) journal_->shrink();
  try {
    if (threads_at_once_) threads_.merge();
    blocks_.flush();
    define_new();
  } catch (const std::exception&) {
    // What there is room for now is for the file's end, which says why.
    if (!failed_) throw;
  }
  if (failed_ && journal_) journal_->remove();
}

void Recorder::finish(trace::Ending ending, const std::string& reason) noexcept {
  const auto held = guard();
  if (finished_.exchange(true)) return;
  try {
    write_held();
    record_.actions = writer_.actions_written(rank_);
    record_.profile = profiles_.sums();
    if (timestamps && !paused_) record_.recorded_time += now() - recording_since_;
    record_.peak_memory = peak_memory();
    record_.ending = ending;
    record_.ending_reason = reason;
    if (writer_.times_reopened() > 0)
      record_.notes.push_back("the program closed descriptors that are not its own, the trace's among them, which was "
                              "opened again");
    for (std::size_t call = 0; call < number_of_calls; ++call)
      if (unrecorded_[call] > 0) record_.unrecorded_calls[call_names[call]] = unrecorded_[call];
    trace::Definitions definitions;
    definitions.ranks.push_back(record_);
    // Said on stderr, too, where the recording ends.
    std::ranges::copy(shortcomings(counter_), std::back_inserter(definitions.ranks.back().notes));
    writer_.define(definitions);
    writer_.finish();
    forget_journal();
    if (journal_) journal_->remove();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "timeless: the trace of rank %d is cut short: %s\n", rank_, failure.what());
  }
}

void Recorder::fail(const char* reason) noexcept {
  active_recorder.store(nullptr);
  if (finished_) return;
  failed_ = true;
  std::fprintf(stderr, "timeless: recording stopped on rank %d, the program goes on: %s\n", rank_, reason);
  finish(trace::Ending::stopped, reason);
}

std::string Recorder::summary() const {
  std::string line = "timeless: recorded " + std::to_string(size_) + (size_ == 1 ? " rank, " : " ranks, ") +
                     with_separators(record_.actions) + " actions on rank " + std::to_string(rank_) + ", counter " +
                     counter_.identity.name;
  if (counter_.identity.unit != trace::VolumeUnit::none)
    line += std::string(" (") + name(counter_.identity.exactness) + " " + name(counter_.identity.unit) + ")";
  line += ", in " + settings_.directory.string() + "; next: timeless gather " + settings_.directory.string();
  for (const std::string& note : record_.notes)
    line += "; " + note;
  const char* separator = "; NOT recorded: ";
  for (const auto& [call, times] : record_.unrecorded_calls) {
    line += separator + call + " (" + with_separators(times) + (times == 1 ? " call)" : " calls)");
    separator = ", ";
  }
  return escaped(line);
}

} // namespace timeless::tracer
