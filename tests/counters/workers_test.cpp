#include "tracer/counters/workers.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>
#include <vector>

namespace timeless::tracer {
namespace {

/// A counter that says of a worker what the test lets it have done.
thread_local std::atomic<std::uint64_t> done{0};

class Workers : public testing::Test {
protected:
  static inline bool refuses = false;
  static inline std::atomic<int> counted{0};

  // The counter begins in the worker itself here, so its thread-local number is the worker's.
  static bool begin(Worker& worker) noexcept {
    if (refuses) return false;
    worker.icount_number = reinterpret_cast<unsigned long>(&done);
    ++counted;
    return true;
  }
  static bool read(const Worker& worker, std::uint64_t& volume) noexcept {
    volume = *reinterpret_cast<const std::atomic<std::uint64_t>*>(worker.icount_number);
    return true;
  }
  static void end(Worker& /*worker*/) noexcept {
    if (!refuses) --counted;
  }
  static constexpr WorkerCounter counter = {.begin = begin, .read = read, .end = end};

  void SetUp() override { count_workers(&counter); }
  void TearDown() override {
    count_workers(nullptr);
    refuses = false;
  }
};

TEST_F(Workers, are_nothing_to_ask_for_until_there_are_some_and_again_when_they_are_gone_and_taken) {
  take_worker_volumes();
  EXPECT_FALSE(workers_present());
  std::thread([] {
    become_worker();
    done += 5;
    EXPECT_TRUE(workers_present());
  }).join();
  EXPECT_TRUE(workers_present());
  EXPECT_EQ(take_worker_volumes().sum, 5U);
  EXPECT_FALSE(workers_present());
}

TEST_F(Workers, that_never_were_any_may_cease_to_be_ones) {
  cease_to_be_worker();
  EXPECT_EQ(take_worker_volumes().sum, 0U);
}

TEST_F(Workers, lose_and_repeat_nothing_while_they_come_and_go_and_are_asked) {
  constexpr int threads = 8;
  constexpr int lives = 200;
  constexpr int steps = 50;
  std::atomic<int> running{threads};
  std::vector<std::thread> creators;
  for (int each = 0; each < threads; ++each)
    creators.emplace_back([&] {
      for (int life = 0; life < lives; ++life)
        std::thread([life] {
          become_worker();
          for (int step = 0; step < steps; ++step)
            done += 3;
          if (life % 3 == 0) cease_to_be_worker();
          if (life % 3 == 0) done += 1'000'000;
        }).join();
      --running;
    });
  std::uint64_t sum = 0;
  while (running > 0) {
    const WorkerVolumes volumes = take_worker_volumes();
    EXPECT_LE(volumes.maximum, std::uint64_t{3 * steps});
    sum += volumes.sum;
  }
  for (std::thread& creator : creators)
    creator.join();
  sum += take_worker_volumes().sum;
  EXPECT_EQ(sum, std::uint64_t{threads * lives * steps * 3});
  EXPECT_EQ(counted, 0);
}

TEST_F(Workers, that_cannot_be_counted_are_told_apart) {
  const std::uint64_t before = uncounted_workers();
  refuses = true;
  std::thread([] { become_worker(); }).join();
  EXPECT_EQ(uncounted_workers(), before + 1);
  EXPECT_EQ(take_worker_volumes().sum, 0U);
}

} // namespace
} // namespace timeless::tracer
