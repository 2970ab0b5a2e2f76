#include "tracer/record/recorder.h"

#include "base/escaping.h"
#include "tracer/process/host.h"
#include "tracer/record/call_scope.h"
#include "tracer/record/rank/call_ids.h"
#include "tracer/record/thread_points.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <mutex>
#include <utility>

namespace timeless::tracer {

namespace {

/// Actions of one of several threads that join the rank's sequence together: few, since until then they are lost when
/// the process is killed...
constexpr std::size_t actions_to_merge = 32;
/// ... and so many that the thread waits until they can.
constexpr std::size_t actions_to_wait_for = 4096;

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

Recorder::Recorder(const Settings& settings, ActiveCounter counter, int rank, int size)
    : settings_(settings), counter_(std::move(counter)), rank_(rank), size_(size), process_(::getpid()),
      output_(settings, rank, communicators_, kernels_, regions_),
      blocks_(settings.actions_per_block, blocks_held(settings),
              [this](const trace::ActionBlock& block) { output_.write(block); }),
      paused_(settings.paused) {
  output_.record.skew_per_call = counter_.skew;
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
  output_.begin(std::move(definitions), blocks_);
  if (!timestamps) return;
  blocks_.stamp({});
  recording_since_ = now();
}

void Recorder::name_in_journal(MPI_Comm handle) {
  if (journal() == nullptr) return;
  const auto held = guard();
  const KnownCommunicator* const known = communicators_.find(handle);
  if (known != nullptr) journal()->name_communicator(key_of(handle), known->id);
}

void Recorder::name_communicator(MPI_Comm handle, KnownCommunicator* known) {
  const auto held = guard();
  communicators_.name(handle, known);
  name_in_journal(handle);
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
  const bool alone = threads_at_once_ && !recorded_at_once(call.call());
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
  record_computation(*thread_state.call, !trace::synchronises_threads(action.kind));
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
      output_.record.recorded_time += now() - recording_since_;
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
  if (!paused()) output_.count_unrecorded(call);
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

void Recorder::discard() noexcept {
  finished_ = true;
  output_.discard();
}

void Recorder::write_held() {
  if (failed_) output_.free_journal_room();
  try {
    if (threads_at_once_) threads_.merge();
    blocks_.flush();
    output_.define_new();
  } catch (const std::exception&) {
    // What there is room for now is for the file's end, which says why.
    if (!failed_) throw;
  }
  if (failed_) output_.remove_journal();
}

void Recorder::finish(trace::Ending ending, const std::string& reason) noexcept {
  const auto held = guard();
  if (finished_.exchange(true)) return;
  try {
    write_held();
    trace::RankRecord& record = output_.record;
    record.profile = profiles_.sums();
    if (timestamps && !paused_) record.recorded_time += now() - recording_since_;
    record.peak_memory = peak_memory();
    record.ending = ending;
    record.ending_reason = reason;
    // The shortcomings are said on stderr, too, where the recording ends.
    output_.finish(shortcomings(counter_));
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
  const trace::RankRecord& record = output_.record;
  std::string line = "timeless: recorded " + std::to_string(size_) + (size_ == 1 ? " rank, " : " ranks, ") +
                     with_separators(record.actions) + " actions on rank " + std::to_string(rank_) + ", counter " +
                     counter_.identity.name;
  if (counter_.identity.unit != trace::VolumeUnit::none)
    line += std::string(" (") + name(counter_.identity.exactness) + " " + name(counter_.identity.unit) + ")";
  line += ", in " + settings_.directory.string() + "; next: timeless gather " + settings_.directory.string();
  for (const std::string& note : record.notes)
    line += "; " + note;
  const char* separator = "; NOT recorded: ";
  for (const auto& [call, times] : record.unrecorded_calls) {
    line += separator + call + " (" + with_separators(times) + (times == 1 ? " call)" : " calls)");
    separator = ", ";
  }
  return escaped(line);
}

} // namespace timeless::tracer
