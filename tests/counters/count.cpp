// Starts the counter it is told to and prints what it counts: "key value" lines, or "error FAILURE TEXT". With a second
// argument it starts no thread, so that every run takes the same path.
#include "tracer/counters/counter.h"

#include "base/error.h"
#include "tracer/counters/self_test.h"
#include "tracer/icount/icount.h"

#include <array>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

extern "C" void timeless_known_loop(std::uint64_t iterations) noexcept;

namespace {

using timeless::tracer::ActiveCounter;

std::array<unsigned char, 100'000> bytes{};
std::array<unsigned char, 100'000> more_bytes{};

void fill_repeatedly(std::uint64_t count) {
  void* to = bytes.data();
  asm volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0) : "memory");
}

void copy_repeatedly(std::uint64_t words) {
  void* to = bytes.data();
  const void* from = more_bytes.data();
  asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

void search_repeatedly(std::uint64_t count) {
  const void* in = more_bytes.data();
  asm volatile("repne scasb" : "+D"(in), "+c"(count) : "a"(1) : "memory", "cc");
}

/// A thing to count, called the same way whatever it is, so that what surrounds it costs the same.
using Work = void (*)(std::uint64_t);

void nothing(std::uint64_t /*count*/) {}
void loop(std::uint64_t iterations) {
  timeless::tracer::known_loop(iterations);
}

__attribute__((noinline)) std::uint64_t volume_of(const ActiveCounter& counter, Work work, std::uint64_t count) {
  const std::uint64_t begin = counter.read();
  work(count);
  return counter.read() - begin;
}

void print(const char* key, std::uint64_t value) {
  std::printf("%s %llu\n", key, static_cast<unsigned long long>(value));
}

void print_volumes(const ActiveCounter& counter) {
  volume_of(counter, nothing, 0); // whatever happens once only, has happened
  print("back_to_back", volume_of(counter, nothing, 0));
  print("loop_1000", volume_of(counter, loop, 1000));
  print("loop_1500", volume_of(counter, loop, 1500));
  print("fill_0", volume_of(counter, fill_repeatedly, 0));
  print("fill_1", volume_of(counter, fill_repeatedly, 1));
  print("fill_100000", volume_of(counter, fill_repeatedly, 100'000));
  print("copy_0", volume_of(counter, copy_repeatedly, 0));
  print("copy_10000", volume_of(counter, copy_repeatedly, 10'000));
  print("search_0", volume_of(counter, search_repeatedly, 0));
  print("search_all", volume_of(counter, search_repeatedly, 100'000));
  more_bytes[500] = 1;
  print("search_found", volume_of(counter, search_repeatedly, 100'000));
}

void print_threads(const ActiveCounter& counter) {
  std::uint64_t in_thread = 0;
  std::thread measuring([&] {
    volume_of(counter, nothing, 0);
    in_thread = volume_of(counter, loop, 70'000);
  });
  measuring.join();
  print("thread_loop_70000", in_thread);
  const std::uint64_t begin = counter.read();
  std::thread working([] { loop(50'000); });
  working.join();
  print("beside_thread_loop_50000", counter.read() - begin);
}

/// Four threads: the first runs the loop 1000 times when told to, each next one 1000 times more; the last one 9000
/// times when it may end.
class Workers {
public:
  Workers() {
    for (std::size_t each = 0; each < number; ++each)
      threads_.emplace_back([this, each] {
        timeless::tracer::become_worker();
        meet_.arrive_and_wait();
        meet_.arrive_and_wait();
        loop(1000 * (each + 1));
        meet_.arrive_and_wait();
        meet_.arrive_and_wait();
        if (each + 1 == number) loop(9000);
      });
  }
  void meet() { meet_.arrive_and_wait(); }
  void end() {
    for (std::thread& thread : threads_)
      thread.join();
  }

private:
  static constexpr std::size_t number = 4;
  std::barrier<> meet_{number + 1};
  std::vector<std::thread> threads_;
};

void print(const char* key, timeless::tracer::WorkerVolumes volumes) {
  std::printf("%s_sum %llu\n%s_maximum %llu\n", key, static_cast<unsigned long long>(volumes.sum), key,
              static_cast<unsigned long long>(volumes.maximum));
}

/// What workers count once they wait: one that has met the others may still be on its way to sleep.
timeless::tracer::WorkerVolumes take_idle_volumes() {
  timeless::tracer::WorkerVolumes volumes = timeless::tracer::take_worker_volumes();
  for (int attempt = 0; attempt < 1000 && volumes.sum > 0; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    volumes = timeless::tracer::take_worker_volumes();
  }
  return volumes;
}

void print_workers(const ActiveCounter& counter) {
  using namespace timeless::tracer;
  print("workers_present_at_first", workers_present() ? 1 : 0);
  Workers workers;
  workers.meet(); // they are there...
  count_workers(counter.workers);
  take_worker_volumes();
  print("workers_present", workers_present() ? 1 : 0);
  workers.meet();
  workers.meet(); // ... have looped...
  print("workers_looped", take_worker_volumes());
  print("workers_idle", take_idle_volumes());
  workers.meet();
  workers.end(); // ... and gone
  print("workers_gone", take_worker_volumes());
  print("workers_present_at_last", workers_present() ? 1 : 0);

  // One after the other, so that the work of waiting for each other is none of theirs.
  for (const bool measured : {false, true}) {
    for (const std::uint64_t thousand : {1, 2, 3}) {
      std::thread([thousand] {
        become_worker();
        loop(1000 * thousand);
      }).join();
    }
    const WorkerVolumes volumes = take_worker_volumes();
    if (measured) print("workers_in_a_row", volumes);
  }

  std::thread([] {
    become_worker();
    loop(3000);
    cease_to_be_worker();
    loop(4000);
  }).join();
  print("workers_turncoat", take_worker_volumes());
  print("uncounted_workers", uncounted_workers());
}

} // namespace

int main(int argc, char** argv) {
  std::array<char, 32> address{};
  std::snprintf(address.data(), address.size(), "%p", reinterpret_cast<void*>(&timeless_known_loop));
  setenv("FAKE_PMU_ADDRESS", address.data(), 1);
  try {
    const ActiveCounter counter = timeless::tracer::start_counter(argc > 1 ? argv[1] : "");
    std::printf("name %s\nversion %s\nunit %s\nexactness %s\n", counter.identity.name.c_str(),
                counter.identity.version.c_str(), name(counter.identity.unit), name(counter.identity.exactness));
    print("skew", counter.skew);
    print_volumes(counter);
    if (argc < 3) print_threads(counter);
    if (argc < 3 && counter.workers != nullptr) print_workers(counter);
    print("failed_reads", timeless::tracer::failed_reads());
  } catch (const timeless::Error& error) {
    std::printf("error %d %s\n", static_cast<int>(error.failure()), error.what());
  }
  return 0;
}
