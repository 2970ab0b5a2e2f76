#include "base/error.h"
#include "base/escaping.h"
#include "tracer/counters/candidates.h"
#include "tracer/counters/machine.h"
#include "tracer/counters/papi_counter.h"
#include "tracer/counters/papi_events.h"
#include "tracer/counters/papi_library.h"
#include "tracer/counters/self_test.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <papi.h>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace timeless::tracer {
namespace {

constexpr const char* instructions_event = "PAPI_TOT_INS";

// One PAPI counter per process; start_papi sets these before anything reads.
PapiLibrary papi;
std::vector<std::string> counted_events; ///< the first is the counter
bool counts_volumes = false;             ///< start_papi has succeeded
pthread_key_t end_of_thread;
std::atomic<std::uint64_t> failures{0};

/// The calling thread's own events. Not destroyed with the thread's objects, for programs call MPI later than that.
struct OwnEvents {
  PapiEvents events;
  bool tried = false;
  int status = PAPI_OK; ///< of the attempt to start
  int endings = 0;      ///< how often the thread's end has been announced
  std::uint64_t last = 0;
  std::uint64_t before = 0; ///< the volume when they were started
};

constinit thread_local OwnEvents own;

/// Starts this thread's events, once. Returns PAPI_OK, or the code of the step that failed.
int start_own() noexcept {
  if (own.tried) return own.status;
  own.tried = true;
  // PAPI counts a thread in one way at a time.
  cease_to_be_worker();
  own.status = own.events.start(papi, counted_events);
  if (own.status == PAPI_OK) pthread_setspecific(end_of_thread, &own);
  return own.status;
}

std::uint64_t read_own() noexcept {
  std::array<long long, PapiEvents::most> values; // NOLINT(cppcoreguidelines-pro-type-member-init): on the hot path
  if (start_own() == PAPI_OK && own.events.read(papi, values.data()) == PAPI_OK)
    own.last = own.before + static_cast<std::uint64_t>(values[0]);
  else
    failures.fetch_add(1, std::memory_order_relaxed);
  return own.last;
}

/// Called when the thread ends, as often as its data may be destroyed: what else is destroyed may compute and call MPI.
void stop_own(void* /*own*/) {
  if (++own.endings < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(end_of_thread, &own) == 0) return;
  own.before = read_own();
  own.events.stop(papi);
  papi.unregister_thread();
  own.tried = false;
}

/// What PAPI needs of a stack to set up events, and again as much.
constexpr std::size_t stack_needed = std::size_t{8} << 10U;

std::size_t stack_left() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<std::size_t>(reinterpret_cast<char*>(&attributes) - static_cast<char*>(lowest));
}

bool begin_worker(Worker& worker) noexcept {
  return stack_left() >= stack_needed && worker.papi.start(papi, {counted_events.data(), 1}, worker.number) == PAPI_OK;
}

bool read_worker(const Worker& worker, std::uint64_t& volume) noexcept {
  long long value = 0;
  if (worker.papi.read(papi, &value) != PAPI_OK) return false;
  volume = static_cast<std::uint64_t>(value);
  return true;
}

void end_worker(Worker& worker) noexcept {
  if (worker.papi.counting()) worker.papi.stop(papi);
  // What PAPI knows of a thread that made its own events would stay for ever.
  if (worker.number == gettid()) papi.unregister_thread();
}

constexpr WorkerCounter worker_counter = {.begin = begin_worker, .read = read_worker, .end = end_worker};

[[noreturn]] void fail(const std::string& why) {
  throw Error(Failure::missing_capability, in_quotes(counted_events.front()) + " cannot be counted: " + why,
              "TIMELESS_COUNTER=papi",
              "use a machine with hardware counters and kernel.perf_event_paranoid at most 2, or count with icount "
              "(`timeless record --counter icount`)");
}

std::string reason(int status) {
  std::string why = papi.strerror(status);
  if (status == PAPI_ENOEVNT || papi.num_hwctrs() <= 0)
    return why + " (PAPI finds no such hardware counter; most virtual machines have none)";
  if (const auto level = perf_event_paranoid(); level && status == PAPI_EPERM)
    return why + " (kernel.perf_event_paranoid is " + std::to_string(*level) + ")";
  if (status == PAPI_ECOUNT) return why + " (or more open files than the process may have)";
  return why;
}

} // namespace

/// Counts PAPI_TOT_INS, or another event by PAPI's name for it, of the calling thread.
ActiveCounter start_papi(std::string_view event) {
  counted_events = {std::string(event.empty() ? instructions_event : event)};
  papi = load_papi();
  if (pthread_key_create(&end_of_thread, stop_own) != 0) fail("the program has taken all keys of thread-local data");
  if (const int status = start_own(); status != PAPI_OK) fail(reason(status));
  const bool instructions = counted_events.front() == instructions_event;
  const std::string distrust = instructions ? distrust_of_instruction_counter(read_own) : distrust_of_counter(read_own);
  if (failed_reads() != 0) fail("it cannot be read");
  if (!distrust.empty()) fail("its self-test failed: " + distrust);
  counts_volumes = true;
  return {.identity = {.name = counted_events.front(),
                       .version = "PAPI " + papi.version,
                       .unit = instructions ? trace::VolumeUnit::instructions : trace::VolumeUnit::events,
                       .exactness = trace::Exactness::hardware,
                       .threads = calling_and_workers},
          .read = read_own,
          .workers = &worker_counter};
}

const PapiLibrary* papi_of_volumes() noexcept {
  return counts_volumes ? &papi : nullptr;
}

int count_with_volumes(std::span<const std::string> events) {
  own.before = read_own();
  own.events.stop(papi);
  counted_events.resize(1);
  counted_events.insert(counted_events.end(), events.begin(), events.end());
  const int status = own.events.start(papi, counted_events);
  if (status == PAPI_OK) return status;
  counted_events.resize(1);
  own.status = own.events.start(papi, counted_events);
  return status;
}

bool read_with_volumes(std::uint64_t* values) noexcept {
  std::array<long long, PapiEvents::most> read; // NOLINT(cppcoreguidelines-pro-type-member-init): on the hot path
  if (start_own() != PAPI_OK || own.events.read(papi, read.data()) != PAPI_OK) return false;
  std::copy_n(read.begin() + 1, counted_events.size() - 1, values);
  return true;
}

std::uint64_t failed_reads() noexcept {
  return failures.load(std::memory_order_relaxed);
}

} // namespace timeless::tracer
