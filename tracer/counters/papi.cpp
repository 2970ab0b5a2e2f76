#include "trace/error.h"
#include "tracer/counters/candidates.h"
#include "tracer/counters/machine.h"
#include "tracer/counters/papi_library.h"
#include "tracer/counters/self_test.h"

#include <atomic>
#include <papi.h>
#include <string>

namespace timeless::tracer {
namespace {

constexpr const char* instructions_event = "PAPI_TOT_INS";

// One PAPI counter per process; start_papi sets these before anything reads.
PapiLibrary papi;
std::string counted_event;
std::atomic<std::uint64_t> failures{0};

/// The calling thread's own event set, which PAPI wants to be made by that thread.
class ThreadEvents {
public:
  ThreadEvents() = default;
  ThreadEvents(const ThreadEvents&) = delete;
  ThreadEvents& operator=(const ThreadEvents&) = delete;
  ~ThreadEvents() {
    if (set_ == PAPI_NULL) return;
    long long last = 0;
    papi.stop(set_, &last);
    papi.cleanup_eventset(set_);
    papi.destroy_eventset(&set_);
  }

  /// PAPI_OK, or the code of the step that failed; tried once.
  int start() {
    if (tried_) return status_;
    tried_ = true;
    status_ = papi.create_eventset(&set_);
    if (status_ == PAPI_OK) status_ = papi.add_named_event(set_, counted_event.c_str());
    if (status_ == PAPI_OK) status_ = papi.start(set_);
    return status_;
  }

  std::uint64_t read() noexcept {
    long long value = 0;
    if (start() == PAPI_OK && papi.read(set_, &value) == PAPI_OK)
      last_ = static_cast<std::uint64_t>(value);
    else
      failures.fetch_add(1, std::memory_order_relaxed);
    return last_;
  }

private:
  int set_ = PAPI_NULL;
  int status_ = PAPI_OK;
  bool tried_ = false;
  std::uint64_t last_ = 0;
};

thread_local ThreadEvents thread_events;

std::uint64_t read_papi() noexcept {
  return thread_events.read();
}

[[noreturn]] void fail(const std::string& why) {
  throw Error(Failure::missing_capability, counted_event + " cannot be counted: " + why, "TIMELESS_COUNTER=papi",
              "use a machine with hardware counters and kernel.perf_event_paranoid at most 2, or count with icount "
              "(`timeless record --counter icount`)");
}

std::string reason(int status) {
  std::string why = papi.strerror(status);
  if (status == PAPI_ENOEVNT || papi.num_hwctrs() <= 0)
    return why + " (PAPI finds no such hardware counter; most virtual machines have none)";
  if (const auto level = perf_event_paranoid())
    return why + " (kernel.perf_event_paranoid is " + std::to_string(*level) + ")";
  return why;
}

} // namespace

/// PAPI_TOT_INS, or another event by PAPI's name for it, of the calling thread.
ActiveCounter start_papi(std::string_view event) {
  counted_event = event.empty() ? instructions_event : event;
  papi = load_papi();
  if (const int status = thread_events.start(); status != PAPI_OK) fail(reason(status));
  const bool instructions = counted_event == instructions_event;
  const std::string distrust =
      instructions ? distrust_of_instruction_counter(read_papi) : distrust_of_counter(read_papi);
  if (failed_reads() != 0) fail("it cannot be read");
  if (!distrust.empty()) fail("its self-test failed: " + distrust);
  return {.identity = {.name = counted_event,
                       .version = "PAPI " + papi.version,
                       .unit = instructions ? trace::VolumeUnit::instructions : trace::VolumeUnit::events,
                       .exactness = trace::Exactness::hardware},
          .read = read_papi};
}

std::uint64_t failed_reads() noexcept {
  return failures.load(std::memory_order_relaxed);
}

} // namespace timeless::tracer
