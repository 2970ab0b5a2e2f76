#include "tracer/icount/icount.h"
#include "base/error.h"
#include "tracer/counters/candidates.h"
#include "tracer/counters/icount_process.h"

#include <string>

namespace timeless::tracer {
namespace {

std::uint64_t read_thread_instructions() noexcept {
  return ICOUNT_THREAD();
}

bool read_worker(const Worker& worker, std::uint64_t& volume) noexcept {
  volume = ICOUNT_OF_THREAD(worker.icount_number);
  return true;
}

// The tool counts every thread from its start.
constexpr WorkerCounter worker_counter = {.begin = [](Worker& worker) noexcept { return worker.icount_number != 0; },
                                          .read = read_worker,
                                          .end = [](Worker& /*worker*/) noexcept {}};

std::string valgrind_version() {
  const auto version = ICOUNT_VALGRIND();
  return std::to_string(version / ICOUNT_VALGRIND_MAJOR) + "." + std::to_string(version % ICOUNT_VALGRIND_MAJOR);
}

std::string why_absent() {
  if (const std::string& refusal = icount_refusal(); !refusal.empty()) return refusal;
  if (RUNNING_ON_VALGRIND) return "the process runs under Valgrind, but not under its icount tool";
  return "the process does not run under Valgrind's icount tool";
}

} // namespace

/// Counts guest instructions of the calling thread, by the Valgrind tool the process runs under.
ActiveCounter start_icount(std::string_view /*argument*/) {
  const auto abi = ICOUNT_ABI();
  if (abi != ICOUNT_ABI_VERSION) {
    const std::string why =
        abi == 0 ? why_absent() : "the icount tool and the library are of different versions of Timeless";
    throw Error(Failure::missing_capability, why, "TIMELESS_COUNTER=icount",
                "run the program with `timeless record --counter icount`; `timeless doctor` tells whether that works "
                "here");
  }
  return {.identity = {.name = "icount",
                       .version = "icount " + std::to_string(ICOUNT_ABI_VERSION & ICOUNT_ABI_NUMBER) + ", Valgrind " +
                                  valgrind_version(),
                       .unit = trace::VolumeUnit::instructions,
                       .exactness = trace::Exactness::exact,
                       .threads = calling_and_workers},
          .read = read_thread_instructions,
          .workers = &worker_counter};
}

} // namespace timeless::tracer
