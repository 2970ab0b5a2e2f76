#include "tracer/counters/workers.h"

#include "tracer/icount/icount.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <unistd.h>

namespace timeless::tracer {

constinit std::atomic<bool> workers_to_ask{false};

namespace {

constinit thread_local Worker own_worker;

constinit std::atomic<std::uint64_t> uncounted{0};

/// Everything below is the registry's: to be touched with the lock held.
constinit std::mutex lock;
constinit Worker* first = nullptr;
constinit const WorkerCounter* counting = nullptr;

/// What workers of one leader did that have left since volumes were last taken.
struct EndedWorkers {
  const void* leader = nullptr;
  WorkerVolumes volumes;
};
constinit std::array<EndedWorkers, 8> ended_workers; ///< the first: of no leader, or of more than there is room for

constinit pthread_once_t prepared = PTHREAD_ONCE_INIT;
constinit bool usable = false;
pthread_key_t end_of_thread;

/// A thread that is cancelled must not be so in here: counters open and read files.
class Uncancelled {
public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

private:
  int before_ = 0;
};

void begin_counting(Worker& worker) {
  worker.taken = 0;
  worker.counted = counting->begin(worker) && counting->read(worker, worker.taken);
  if (!worker.counted) ++uncounted;
}

void end_counting(Worker& worker) {
  counting->end(worker);
  worker.counted = false;
}

/// Returns what the worker did since it was last asked.
std::uint64_t newly_done(Worker& worker) {
  std::uint64_t now = 0;
  if (!worker.counted) return 0;
  if (!counting->read(worker, now)) {
    worker.counted = false;
    ++uncounted;
    return 0;
  }
  const std::uint64_t done = now > worker.taken ? now - worker.taken : 0;
  worker.taken = std::max(worker.taken, now);
  return done;
}

void add(WorkerVolumes& volumes, std::uint64_t volume) {
  volumes.sum += volume;
  volumes.maximum = std::max(volumes.maximum, volume);
}

WorkerVolumes& gone_of(const void* leader) {
  for (EndedWorkers& ended : ended_workers) {
    if (ended.leader == nullptr && &ended != ended_workers.data()) ended.leader = leader;
    if (ended.leader == leader) return ended.volumes;
  }
  return ended_workers[0].volumes;
}

/// Returns true where what the worker of this leader did may be given to that one.
bool led_by(const void* leader, const void* asking) {
  return asking == nullptr || leader == nullptr || leader == asking;
}

void link(Worker& worker) {
  worker.registered = true;
  worker.previous = nullptr;
  worker.next = first;
  if (first != nullptr) first->previous = &worker;
  first = &worker;
  workers_to_ask.store(true, std::memory_order_relaxed);
}

void unlink(Worker& worker) {
  worker.registered = false;
  (worker.previous != nullptr ? worker.previous->next : first) = worker.next;
  if (worker.next != nullptr) worker.next->previous = worker.previous;
}

/// Returns what it has done since it was last asked.
std::uint64_t leave(Worker& worker) {
  std::uint64_t done = 0;
  if (counting != nullptr) {
    done = newly_done(worker);
    end_counting(worker);
  }
  unlink(worker);
  return done;
}

// A child has only the thread that forked, and is not the rank.
void before_fork() {
  lock.lock();
}
void after_fork() {
  lock.unlock();
}
void in_forked_child() {
  own_worker.registered = false;
  first = nullptr;
  counting = nullptr;
  workers_to_ask.store(false, std::memory_order_relaxed);
  lock.unlock();
}

void at_end_of_thread(void* worker) {
  if (const auto before_end = static_cast<Worker*>(worker)->before_end) before_end();
  cease_to_be_worker();
}

void prepare() {
  usable = pthread_key_create(&end_of_thread, at_end_of_thread) == 0 &&
           pthread_atfork(before_fork, after_fork, in_forked_child) == 0;
}

} // namespace

void become_worker(const void* leader, void (*before_end)() noexcept) noexcept {
  const Uncancelled here;
  pthread_once(&prepared, prepare);
  Worker& worker = own_worker;
  worker.before_end = before_end;
  worker.leader = leader;
  worker.asked = false;
  if (!usable || pthread_setspecific(end_of_thread, &worker) != 0) {
    ++uncounted;
    return;
  }
  const std::scoped_lock held(lock);
  worker.thread = pthread_self();
  worker.number = gettid();
  worker.icount_number = ICOUNT_THREAD_NUMBER();
  link(worker);
  if (counting != nullptr) begin_counting(worker);
}

void cease_to_be_worker() noexcept {
  Worker& worker = own_worker;
  if (!worker.registered) return;
  const Uncancelled here;
  const std::scoped_lock held(lock);
  add(gone_of(worker.leader), leave(worker));
}

const void* own_leader() noexcept {
  return own_worker.registered ? own_worker.leader : nullptr;
}

bool has_been_asked() noexcept {
  return own_worker.registered && own_worker.asked;
}

void leave_to_any(const void* leader) noexcept {
  const Uncancelled here;
  const std::scoped_lock held(lock);
  for (Worker* worker = first; worker != nullptr; worker = worker->next)
    if (worker->leader == leader) worker->leader = nullptr;
  for (EndedWorkers& ended : ended_workers) {
    if (ended.leader != leader) continue;
    WorkerVolumes& any = ended_workers[0].volumes;
    any.sum += ended.volumes.sum;
    any.maximum = std::max(any.maximum, ended.volumes.maximum);
    ended = {};
  }
}

std::uint64_t leave_workers() noexcept {
  Worker& worker = own_worker;
  if (!worker.registered) return 0;
  const Uncancelled here;
  const std::scoped_lock held(lock);
  return leave(worker);
}

void count_workers(const WorkerCounter* counter) noexcept {
  const Uncancelled here;
  const std::scoped_lock held(lock);
  for (Worker* worker = first; worker != nullptr && counting != nullptr; worker = worker->next)
    end_counting(*worker);
  counting = counter;
  ended_workers = {};
  for (Worker* worker = first; worker != nullptr && counting != nullptr; worker = worker->next)
    begin_counting(*worker);
}

WorkerVolumes take_worker_volumes(const void* leader) noexcept {
  const Uncancelled here;
  const std::scoped_lock held(lock);
  WorkerVolumes volumes;
  for (EndedWorkers& ended : ended_workers) {
    if (!led_by(ended.leader, leader)) continue;
    volumes.sum += ended.volumes.sum;
    volumes.maximum = std::max(volumes.maximum, ended.volumes.maximum);
    ended = {};
  }
  if (counting == nullptr) return {};
  for (Worker* worker = first; worker != nullptr; worker = worker->next) {
    if (!led_by(worker->leader, leader)) continue;
    const std::uint64_t done = newly_done(*worker);
    worker->asked = worker->asked || done > 0;
    add(volumes, done);
  }
  const bool none_ended =
      std::ranges::all_of(ended_workers, [](const EndedWorkers& ended) { return ended.volumes.sum == 0; });
  if (first == nullptr && none_ended) workers_to_ask.store(false, std::memory_order_relaxed);
  return volumes;
}

std::uint64_t uncounted_workers() noexcept {
  return uncounted;
}

} // namespace timeless::tracer
