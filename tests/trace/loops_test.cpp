#include "trace/loops/loops.h"

#include "base/error.h"
#include "tests/trace/samples.h"
#include "tests/trace/shared_structures.h"
#include "trace/archive/reader.h"
#include "trace/loops/changes.h"
#include "trace/loops/volumes_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace timeless::trace {
namespace {

using test::actions_of;
using test::same_actions;
using test::share_structures;

/// Something before a loop, so many iterations of which some have another volume here and there, and something after.
MemorySource looping(std::uint64_t seed, std::uint64_t iterations, std::size_t actions_per_block = 300) {
  std::mt19937_64 random(seed);
  MemorySource run(3, actions_per_block);
  const KernelId kernel = run.add_kernel({{0, 0x1000}});
  for (Rank rank = 0; rank < 3; ++rank) {
    for (std::uint64_t i = 0; i < random() % 50; ++i) {
      run.compute(rank, random() % 1000, kernel);
      run.add(rank, {.kind = ActionKind::allreduce, .bytes = i, .element_bytes = 8});
    }
    for (std::uint64_t i = 0; i < iterations; ++i) {
      const std::uint64_t other = random() % 40 == 0 ? random() % 3 : 0;
      run.compute(rank, 5000 + other, kernel);
      run.add(rank, {.kind = ActionKind::send, .peer = (rank + 1) % 3, .bytes = 800});
      run.compute(rank, 300);
      run.add(rank, {.kind = ActionKind::receive, .peer = (rank + 2) % 3, .bytes = 800});
      run.compute(rank, 700 + (random() % 60 == 0 ? 1 : 0), kernel);
      run.add(rank, {.kind = ActionKind::barrier});
    }
    run.compute(rank, 12, kernel);
    run.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 800});
  }
  run.finalize();
  return run;
}

/// Returns the same from the actions themselves.
std::vector<std::uint64_t> changes_by_hand(const Source& source, Rank rank, const Loop& loop) {
  const auto actions = actions_of(source, rank);
  std::vector<std::uint64_t> changes;
  for (std::uint64_t i = 1; i < loop.iterations; ++i) {
    bool same = true;
    for (std::uint64_t j = loop.first + i * loop.actions; j < loop.first + (i + 1) * loop.actions; ++j)
      same = same && actions[j].volume == actions[j - loop.actions].volume;
    if (!same) changes.push_back(i);
  }
  return changes;
}

TEST(Loops, are_found_with_their_places) {
  MemorySource run(1);
  for (int set = 0; set < 3; ++set) {
    for (int i = 0; i < 50; ++i) {
      run.compute(0, 100);
      run.add(0, {.kind = ActionKind::barrier});
    }
    run.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  }
  run.finalize();
  EXPECT_EQ(loops(run, 0, 8), (std::vector<Loop>{{0, 2, 50, 0}, {101, 2, 50, 0}, {202, 2, 50, 0}}));
  EXPECT_EQ(loops(run, 0, 51), std::vector<Loop>{});
}

TEST(Loops, of_many_iterations_count_more_than_the_loops_within) {
  MemorySource run(1);
  for (int i = 0; i < 100; ++i) {
    for (int inner = 0; inner < 10; ++inner) {
      run.compute(0, 100);
      run.add(0, {.kind = ActionKind::barrier});
    }
    run.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  }
  run.finalize();
  EXPECT_EQ(loops(run, 0, 8), (std::vector<Loop>{{0, 21, 100, 0}}));
}

TEST(Loops, begin_and_end_where_their_actions_begin_and_end_to_repeat) {
  MemorySource run(1);
  const auto add = [&](int of, int times) {
    for (int i = 0; i < times; ++i) {
      run.compute(0, 100);
      run.add(0, {.kind = of == 0 ? ActionKind::barrier : ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    }
  };
  run.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  add(1, 3); // as the loop ends: the folding takes it for a beginning
  for (int i = 0; i < 20; ++i) {
    add(0, 3);
    add(1, 3);
  }
  add(0, 2);
  run.finalize();
  EXPECT_EQ(loops(run, 0, 8), (std::vector<Loop>{{1, 12, 20, 10}}));
}

TEST(Loops, change_where_the_volumes_do_in_memory_and_in_a_gathered_archive) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const test::TemporaryDirectory directory;
    const MemorySource run = looping(seed, 100 * seed);
    test::write_archive(run, directory.path() / "run.tia");
    share_structures(ArchiveReader(directory.path() / "run.tia"), directory.path() / "gathered.tia");
    const ArchiveReader gathered(directory.path() / "gathered.tia");
    for (Rank rank = 0; rank < 3; ++rank) {
      ASSERT_NE(gathered.whole_structure(rank), nullptr);
      const auto found = loops(run, rank, 8);
      EXPECT_EQ(found, loops(gathered, rank, 8));
      ASSERT_EQ(found.size(), 1U);
      ASSERT_EQ(found.front().actions, 6U);
      const auto expected = changes_by_hand(run, rank, found.front());
      EXPECT_FALSE(expected.empty());
      EXPECT_EQ(changes(run, rank, found.front()), expected);
      EXPECT_EQ(changes(gathered, rank, found.front()), expected);
      Loop twice = found.front();
      twice.actions *= 2;
      twice.iterations /= 2;
      EXPECT_EQ(changes(gathered, rank, twice), changes_by_hand(run, rank, twice));
    }
  }
}

TEST(Loops, without_changes_have_none_in_segments_that_begin_anywhere) {
  for (const std::size_t block : {7U, 64U, 1000U}) {
    const test::TemporaryDirectory directory;
    MemorySource run(1, block);
    run.compute(0, 3);
    for (int i = 0; i < 400; ++i) {
      run.compute(0, 100);
      run.add(0, {.kind = ActionKind::barrier});
      run.compute(0, i == 399 ? 78 : 77);
      run.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
    }
    run.finalize();
    test::write_archive(run, directory.path() / "run.tia");
    share_structures(ArchiveReader(directory.path() / "run.tia"), directory.path() / "gathered.tia");
    const ArchiveReader gathered(directory.path() / "gathered.tia");
    const auto found = loops(gathered, 0, 8);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(changes(gathered, 0, found.front()), changes_by_hand(run, 0, found.front()));
  }
}

TEST(Loops, within_an_iteration_are_those_of_each) {
  for (const std::size_t block : {7U, 300U}) {
    const test::TemporaryDirectory directory;
    MemorySource run(1, block);
    run.compute(0, 3);
    for (int sweep = 0; sweep < 60; ++sweep) {
      run.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
      for (int i = 0; i < 25; ++i) {
        run.compute(0, (i == 13 ? 101U : 100U) + static_cast<std::uint64_t>(sweep));
        run.add(0, {.kind = ActionKind::barrier});
      }
      run.add(0, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
      for (int i = 0; i < 10; ++i) {
        run.compute(0, 100);
        run.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 80});
      }
    }
    run.finalize();
    test::write_archive(run, directory.path() / "run.tia");
    share_structures(ArchiveReader(directory.path() / "run.tia"), directory.path() / "gathered.tia");
    const ArchiveReader gathered(directory.path() / "gathered.tia");
    const auto outer = loops(run, 0, 8);
    ASSERT_EQ(outer, (std::vector<Loop>{{1, 72, 60, 0}}));
    const Source* const sources[] = {&run, &gathered};
    for (const Source* const source : sources) {
      EXPECT_EQ(loops_within(*source, 0, outer.front(), 8), (std::vector<Loop>{{1, 2, 25, 0}, {52, 2, 10, 0}}));
      EXPECT_EQ(loops_within(*source, 0, outer.front(), 11), (std::vector<Loop>{{1, 2, 25, 0}}));
      EXPECT_EQ(loops_within(*source, 0, outer.front(), 26), std::vector<Loop>{});
      for (const std::uint64_t sweep : {0U, 7U, 59U}) {
        const Loop inner{1 + sweep * 72 + 1, 2, 25, 0};
        EXPECT_EQ(changes(*source, 0, inner), (std::vector<std::uint64_t>{13, 14}));
        const Loop part{inner.first + 2, 4, 10, 0}; // begins within the loop of the folded sequence
        EXPECT_EQ(changes(*source, 0, part), changes_by_hand(run, 0, part));
      }
      EXPECT_EQ(changes(*source, 0, outer.front()), changes_by_hand(run, 0, outer.front()));
    }
  }
}

TEST(VolumesAhead, tell_iterations_apart_whose_volumes_differ) {
  for (const std::size_t block : {7U, 64U, 1000U}) {
    const test::TemporaryDirectory directory;
    const MemorySource run = looping(block, 300, block);
    test::write_archive(run, directory.path() / "run.tia");
    share_structures(ArchiveReader(directory.path() / "run.tia"), directory.path() / "gathered.tia");
    const ArchiveReader gathered(directory.path() / "gathered.tia");
    for (Rank rank = 0; rank < 3; ++rank) {
      const Loop whole = loops(run, rank, 8).at(0);
      const auto all = VolumesAhead(run, rank).of(whole);
      ASSERT_EQ(all.size(), whole.iterations);
      std::vector<std::uint64_t> differ;
      for (std::uint64_t i = 1; i < all.size(); ++i)
        if (all[i] != all[i - 1]) differ.push_back(i);
      EXPECT_EQ(differ, changes_by_hand(run, rank, whole));
      // Some iterations, some more after others that are passed over, in the same and in later blocks.
      VolumesAhead ahead(gathered, rank);
      for (const std::uint64_t first : {3U, 10U, 150U}) {
        Loop part = whole;
        part.first += first * whole.actions;
        part.iterations = 5;
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
        EXPECT_EQ(ahead.of(part), std::vector<VolumesDigest>(begin, begin + 5)) << first;
      }
      Loop beyond = whole;
      beyond.first += whole.iterations * whole.actions;
      EXPECT_THROW(ahead.of(beyond), Error);
    }
  }
}

TEST(Streams, of_an_archive_go_on_wherever_they_are_told) {
  const test::TemporaryDirectory directory;
  const MemorySource run = looping(3, 500);
  test::write_archive(run, directory.path() / "run.tia");
  share_structures(ArchiveReader(directory.path() / "run.tia"), directory.path() / "gathered.tia");
  std::mt19937_64 random(7);
  for (const char* const name : {"run.tia", "gathered.tia"}) {
    const ArchiveReader archive(directory.path() / name);
    const auto all = actions_of(run, 1);
    for (int trial = 0; trial < 50; ++trial) {
      const auto stream = archive.open(1);
      ActionBlock block;
      std::size_t position = 0;
      while (position < all.size()) {
        if (random() % 2 == 0) {
          position += random() % (all.size() - position);
          ASSERT_TRUE(stream->skip_to(position));
        }
        ASSERT_TRUE(stream->next(block));
        for_each_action(block, [&](const Action& action, std::uint64_t volume) {
          const test::OwnedAction one(action, volume);
          EXPECT_TRUE(same_actions({&one, 1}, {&all[position], 1})) << position;
          ++position;
        });
      }
    }
  }
}

} // namespace
} // namespace timeless::trace
