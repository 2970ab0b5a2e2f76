// The memory model of the icount tool, compiled for programs.
extern "C" {
#include "tracer/icount/memory_model.h"
}
#include "trace/model/memory_events.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <vector>

extern "C" {
void* memory_model_allocate(size_t bytes) {
  return std::calloc(1, bytes);
}
void memory_model_free(void* memory) {
  std::free(memory);
}
}

namespace timeless::test {
namespace {

/// A list that is searched from its beginning.
class SlowList {
public:
  SlowList(std::vector<std::uint32_t> thresholds, std::size_t most) : thresholds_(std::move(thresholds)), most_(most) {}
  std::uint32_t touch(std::uint64_t line) {
    std::size_t distance = 0;
    for (auto place = lines_.begin(); place != lines_.end(); ++place, ++distance) {
      if (*place != line) continue;
      lines_.erase(place);
      lines_.push_front(line);
      return static_cast<std::uint32_t>(
          std::ranges::count_if(thresholds_, [distance](std::uint32_t threshold) { return threshold <= distance; }));
    }
    if (lines_.size() == most_) lines_.pop_back();
    lines_.push_front(line);
    return static_cast<std::uint32_t>(thresholds_.size() + 1);
  }

private:
  std::vector<std::uint32_t> thresholds_;
  std::size_t most_;
  std::list<std::uint64_t> lines_;
};

using List = std::unique_ptr<AgeList, decltype(&age_list_destroy)>;

List age_list(const std::vector<std::uint32_t>& thresholds, std::uint32_t most) {
  return {age_list_create(thresholds.data(), static_cast<std::uint32_t>(thresholds.size()), most), age_list_destroy};
}

void expect_as_slow(const std::vector<std::uint32_t>& thresholds, std::uint32_t most, std::uint32_t seed) {
  const List list = age_list(thresholds, most);
  SlowList slow(thresholds, most);
  std::mt19937_64 random(seed);
  // Some lines come often, some after a while, some never again.
  for (int access = 0; access < 20000; ++access) {
    const std::uint64_t range = std::array<std::uint64_t, 4>{5, 40, 300, 5000}[random() % 4];
    const std::uint64_t line = random() % range;
    ASSERT_EQ(age_list_touch(list.get(), line), slow.touch(line)) << "access " << access << " seed " << seed;
  }
}

TEST(AgeList, finds_the_same_classes_of_distances_as_a_search) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    expect_as_slow({1}, 5001, seed);
    expect_as_slow({1, 2, 3, 4}, 5001, seed);
    expect_as_slow({4, 6, 8, 11, 16, 22, 32, 45, 64, 90, 128, 181, 256}, 5001, seed);
  }
}

TEST(AgeList, forgets_the_oldest_when_it_is_full) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed)
    expect_as_slow({4, 8, 16}, 60, seed);
}

using Counts = std::array<std::uint64_t, MEMORY_EVENTS>;
using Model = std::unique_ptr<MemoryModel, decltype(&memory_model_destroy)>;

/// Returns what accesses to these lines add after so many rounds of them.
Counts counts_of(const std::vector<std::uint64_t>& lines, int warm_rounds, bool chained = false) {
  const Model model(memory_model_create(), memory_model_destroy);
  Counts counts{};
  for (int round = 0; round <= warm_rounds; ++round) {
    if (round == warm_rounds) counts = {};
    for (const std::uint64_t line : lines)
      memory_model_access(model.get(), line, chained ? 1 : 0, counts.data());
  }
  return counts;
}

std::vector<std::uint64_t> in_a_row(std::size_t count) {
  std::vector<std::uint64_t> lines(count);
  std::iota(lines.begin(), lines.end(), std::uint64_t{1} << 30U);
  return lines;
}

std::uint64_t sum_of(const Counts& counts, std::size_t first) {
  return std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(first),
                         counts.begin() + static_cast<std::ptrdiff_t>(first + MEMORY_CLASSES), std::uint64_t{0});
}

/// Returns the counts as an archive has them.
std::vector<double> as_events(const Counts& counts) {
  return {counts.begin(), counts.end()};
}

TEST(MemoryModel, fetches_nothing_that_the_first_level_holds) {
  EXPECT_EQ(counts_of(in_a_row(500), 1), Counts{});
}

TEST(MemoryModel, lines_in_a_row_come_back_at_the_distance_of_their_number) {
  constexpr double lines = 20000;
  const std::vector<double> events = as_events(counts_of(in_a_row(20000), 2));
  using trace::FetchOrder;
  // One in 16 is looked at.
  EXPECT_NEAR(lines_beyond(events, FetchOrder::sequential, 64 * lines / 2), lines, 0.1 * lines);
  EXPECT_EQ(lines_beyond(events, FetchOrder::sequential, 64 * lines * 2), 0);
  EXPECT_LT(lines_beyond(events, FetchOrder::random, 64), 0.01 * lines);
  EXPECT_EQ(trace::new_lines(events), 0);
}

TEST(MemoryModel, lines_that_come_first_are_new) {
  const std::vector<double> events = as_events(counts_of(in_a_row(20000), 0));
  EXPECT_NEAR(trace::new_lines(events), 20000, 2000);
  EXPECT_EQ(lines_beyond(events, trace::FetchOrder::sequential, 64), 0);
}

TEST(MemoryModel, lines_out_of_order_are_random_or_chained) {
  std::vector<std::uint64_t> lines = in_a_row(20000);
  std::shuffle(lines.begin(), lines.end(), std::mt19937(1)); // NOLINT: the same each time
  const Counts random = counts_of(lines, 2);
  EXPECT_NEAR(static_cast<double>(sum_of(random, MEMORY_RANDOM)), 20000, 2000);
  EXPECT_EQ(sum_of(random, MEMORY_CHAINED), 0U);
  EXPECT_EQ(sum_of(counts_of(lines, 2, true), MEMORY_CHAINED), sum_of(random, MEMORY_RANDOM));
}

TEST(MemoryModel, streams_side_by_side_are_in_order_as_far_as_there_are_sixteen) {
  const auto interleaved = [](std::size_t streams) {
    std::vector<std::uint64_t> lines;
    for (std::uint64_t i = 0; i < 1000; ++i)
      for (std::uint64_t stream = 0; stream < streams; ++stream)
        lines.push_back((stream << 20U) + 37 * stream + (stream % 2 == 0 ? i : 5000 - i));
    return counts_of(lines, 1);
  };
  EXPECT_LT(sum_of(interleaved(15), MEMORY_RANDOM), sum_of(interleaved(15), MEMORY_SEQUENTIAL) / 50);
  EXPECT_GT(sum_of(interleaved(20), MEMORY_RANDOM), sum_of(interleaved(20), MEMORY_SEQUENTIAL));
}

TEST(MemoryModel, random_lines_miss_a_cache_as_often_as_it_lacks_them) {
  constexpr std::uint64_t lines = 40000;
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> drawn(200000);
  for (std::uint64_t& line : drawn)
    line = random() % lines;
  const std::vector<double> events = as_events(counts_of(drawn, 1));
  // Of lines drawn evenly, a cache of a fraction of them holds that fraction.
  for (const double fraction : {0.2, 0.5, 0.8})
    EXPECT_NEAR(lines_beyond(events, trace::FetchOrder::random, 64.0 * lines * fraction) / 200000, 1 - fraction, 0.05)
        << fraction;
}

TEST(MemoryModel, what_is_forgotten_is_new_again) {
  const Model model(memory_model_create(), memory_model_destroy);
  Counts counts{};
  const auto all = [&] {
    for (const std::uint64_t line : in_a_row(4000))
      memory_model_access(model.get(), line, 0, counts.data());
  };
  all();
  memory_model_forget(model.get());
  counts = {};
  all();
  EXPECT_NEAR(trace::new_lines(as_events(counts)), 4000, 800);
}

/// Both sides have the list of events.
TEST(MemoryEvents, are_those_of_the_tool) {
  EXPECT_EQ(trace::memory_events().size(), static_cast<std::size_t>(MEMORY_EVENTS));
  EXPECT_EQ(trace::distance_classes(), static_cast<std::size_t>(MEMORY_CLASSES));
  EXPECT_EQ(trace::memory_events()[MEMORY_WAITS], "WAIT_CYCLES");
  EXPECT_EQ(trace::memory_events()[MEMORY_SEQUENTIAL + 1], "SEQ_LINES_512");
  EXPECT_EQ(trace::memory_events()[MEMORY_RANDOM], "RND_LINES_0");
  EXPECT_EQ(trace::memory_events()[MEMORY_EVENTS - 1], "CHAIN_LINES_NEW");
  EXPECT_EQ(trace::distance_thresholds().back(), 512U << 13U);
}

} // namespace
} // namespace timeless::test
