#include "microkernels/measuring.h"

#include "base/error.h"
#include "microkernels/cases.h"
#include "microkernels/workers.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace timeless::microkernels {

namespace {

constexpr std::size_t visits = 3; ///< measured in a row
constexpr std::size_t most_processors = 1024;

/// What the processes share.
struct SharedMemory {
  pthread_barrier_t barrier;
  bool stop;
  std::array<std::array<double, visits>, most_processors> seconds;
};

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

SharedMemory* create_shared(std::size_t processes) {
  void* memory = mmap(nullptr, sizeof(SharedMemory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error(Failure::runtime, "no memory to share among processes");
  auto* shared = static_cast<SharedMemory*>(memory);
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &attributes, static_cast<unsigned>(processes));
  return shared;
}

void stay_on(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  sched_setaffinity(0, sizeof set, &set); // where that is not allowed, the scheduler does its best
}

/// One processor's share of the work, in step with the others.
class Worker {
public:
  Worker(const MeasuringRequest& request, SharedMemory& shared, std::size_t number)
      : request_(request), shared_(shared), number_(number), arena_(arena_bytes), begin_(seconds_of(CLOCK_MONOTONIC)) {}

  void run() {
    Random random(request_.seed);
    std::vector<Case> order = cases();
    for (std::size_t repetition = 0; !shared_.stop; ++repetition) {
      for (const Case& one : order) {
        measure(one, repetition);
        if (shared_.stop) break;
      }
      shuffle(order, random);
    }
  }

private:
  void measure(const Case& one, std::size_t repetition) {
    arena_.clear();
    const std::unique_ptr<Work> work = one.kernel->make(arena_, one.elements());
    kept_ = microkernels::visit(*work, one.sweeps());
    meet();
    if (number_ == 0) visit(one, *work);
    meet();
    if (number_ == 0) print(one, repetition, 1);
    if (request_.processors.size() > 1) {
      meet();
      visit(one, *work);
      meet();
      if (number_ == 0) print(one, repetition, request_.processors.size());
    }
    const double elapsed = seconds_of(CLOCK_MONOTONIC) - begin_;
    if (number_ == 0) shared_.stop = elapsed > request_.seconds;
    meet();
  }

  void meet() { pthread_barrier_wait(&shared_.barrier); }

  void visit(const Case& one, Work& work) {
    kept_ = microkernels::visit(work, one.sweeps()); // the lines that waiting has evicted
    for (double& seconds : shared_.seconds[number_]) {
      const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
      kept_ = microkernels::visit(work, one.sweeps());
      seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - before;
    }
  }

  void print(const Case& one, std::size_t repetition, std::size_t processors) const {
    for (std::size_t processor = 0; processor < processors; ++processor)
      for (const double seconds : shared_.seconds[processor])
        std::printf("time,%.*s,%zu,%zu,%zu,%zu,%.6f,%.9f\n", static_cast<int>(one.kernel->name.size()),
                    one.kernel->name.data(), one.bytes, one.sweeps(), processors, repetition,
                    seconds_of(CLOCK_MONOTONIC) - begin_, seconds);
    std::fflush(stdout);
  }

  const MeasuringRequest& request_;
  SharedMemory& shared_;
  std::size_t number_;
  Arena arena_;
  double begin_;
  volatile double kept_ = 0;
};

} // namespace

void measure_cases(const MeasuringRequest& request) {
  const std::size_t processes = std::min(request.processors.size(), most_processors);
  SharedMemory* shared = create_shared(processes);
  Workers workers;
  for (std::size_t number = 0; number < processes; ++number)
    workers.start([&, number] {
      stay_on(request.processors[number]);
      Worker(request, *shared, number).run();
    });
  workers.wait();
  munmap(shared, sizeof(SharedMemory));
}

} // namespace timeless::microkernels
