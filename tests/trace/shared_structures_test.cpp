#include "base/error.h"
#include "tests/trace/samples.h"
#include "tests/trace/shared_structures.h"
#include "trace/archive/reader.h"
#include "trace/archive/structure_builder.h"
#include "trace/archive/writer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace timeless::trace {
namespace {

using test::actions_of;
using test::same_actions;
using test::share_structures;
using test::whole_structures;

/// Each rank exchanges with both neighbours around a ring, and all meet now and then.
MemorySource ring(Rank size, std::size_t rounds, std::size_t actions_per_block) {
  MemorySource run(size, actions_per_block);
  const KernelId kernel = run.add_kernel({{0, 0x1000}, {0, 0x2000}});
  for (Rank rank = 0; rank < size; ++rank)
    for (std::size_t round = 0; round < rounds; ++round) {
      const std::vector<Rank> neighbours{(rank + size - 1) % size, (rank + 1) % size};
      run.add(rank, {.kind = ActionKind::win_post, .ranks = neighbours});
      run.compute(rank, 1000 + round % 3, kernel);
      run.add(rank, {.kind = ActionKind::receive, .peer = (rank + size - 1) % size, .bytes = 800, .request = 0});
      run.add(rank, {.kind = ActionKind::send, .peer = (rank + 1) % size, .bytes = 800});
      const std::vector<RequestId> requests{0};
      run.add(rank, {.kind = ActionKind::wait, .requests = requests});
      if (round % 10 == 9) run.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    }
  run.finalize();
  return run;
}

TEST(SharedStructures, mean_the_same_actions_as_those_of_the_segments) {
  const test::TemporaryDirectory directory;
  for (const std::size_t actions_per_block : {7U, 64U, 5000U}) {
    const MemorySource run = test::varied_run(3, 40, actions_per_block);
    test::write_archive(run, directory / "own.tia", true);
    share_structures(ArchiveReader(directory / "own.tia"), directory / "shared.tia");
    const ArchiveReader shared(directory / "shared.tia");
    EXPECT_TRUE(shared.finished());
    EXPECT_TRUE(shared.damage().empty());
    for (const Rank rank : {0, 1, 2})
      EXPECT_TRUE(same_actions(actions_of(shared, rank), actions_of(run, rank))) << rank;
    std::filesystem::remove(directory / "own.tia");
    std::filesystem::remove(directory / "shared.tia");
  }
}

TEST(SharedStructures, of_equal_roles_are_one) {
  const test::TemporaryDirectory directory;
  const MemorySource run = ring(64, 200, 50);
  test::write_archive(run, directory / "own.tia");
  // Rank 0 is told apart: its left neighbour, and the right one of the last, whom it is.
  EXPECT_LE(share_structures(ArchiveReader(directory / "own.tia"), directory / "shared.tia"), 3U);
  const ArchiveReader shared(directory / "shared.tia");
  for (const Rank rank : {0, 1, 31, 63})
    EXPECT_TRUE(same_actions(actions_of(shared, rank), actions_of(run, rank))) << rank;
  std::size_t bytes = 0;
  for (std::uint32_t number = 0; number < shared.shared_structures(); ++number)
    bytes += shared.shared_structure(number).size();
  EXPECT_LT(bytes, 300U);
}

TEST(SharedStructures, do_not_grow_with_the_run) {
  const test::TemporaryDirectory directory;
  std::vector<std::size_t> sizes;
  for (const std::size_t rounds : {100U, 1000U, 10000U}) {
    test::write_archive(ring(2, rounds, 64), directory / "own.tia");
    const ArchiveReader archive(directory / "own.tia");
    sizes.push_back(whole_structures(archive, 0, archive.numbers(0), ~std::uint64_t{0}).at(0).size());
    std::filesystem::remove(directory / "own.tia");
  }
  EXPECT_LE(sizes[2], sizes[0] + 4);
}

TEST(SharedStructures, stay_the_same_bytes_when_gathered_again) {
  const test::TemporaryDirectory directory;
  test::write_archive(test::varied_run(3, 40, 64), directory / "own.tia");
  share_structures(ArchiveReader(directory / "own.tia"), directory / "once.tia");
  share_structures(ArchiveReader(directory / "once.tia"), directory / "twice.tia");
  EXPECT_EQ(test::file_bytes(directory / "once.tia"), test::file_bytes(directory / "twice.tia"));
}

TEST(SharedStructures, give_any_segment_for_the_asking) {
  const test::TemporaryDirectory directory;
  const MemorySource run = ring(4, 100, 37);
  test::write_archive(run, directory / "own.tia");
  share_structures(ArchiveReader(directory / "own.tia"), directory / "shared.tia");
  const ArchiveReader shared(directory / "shared.tia");
  const auto all = actions_of(run, 2);
  const auto segments = shared.segments(2);
  ActionBlock block;
  for (const std::size_t each : {std::size_t{5}, std::size_t{0}, segments.size() - 1}) {
    shared.read(segments[each], block);
    std::vector<test::OwnedAction> actions;
    for_each_action(block, [&](const Action& action, std::uint64_t volume) { actions.emplace_back(action, volume); });
    EXPECT_TRUE(same_actions(actions, std::span(all).subspan(segments[each].first_action, segments[each].actions)));
  }
}

TEST(SharedStructures, damaged_anywhere_never_change_an_action_unnoticed) {
  const test::TemporaryDirectory directory;
  const MemorySource run = ring(3, 30, 37);
  test::write_archive(run, directory / "own.tia");
  share_structures(ArchiveReader(directory / "own.tia"), directory / "shared.tia");
  const std::string whole = test::file_bytes(directory / "shared.tia");
  for (std::size_t position = 0; position < whole.size(); ++position) {
    std::string bytes = whole;
    bytes[position] = static_cast<char>(bytes[position] ^ 0x10);
    test::write_bytes(directory / "damaged.tia", bytes);
    try {
      const ArchiveReader archive(directory / "damaged.tia");
      for (const RankRecord& record : archive.run().ranks)
        EXPECT_TRUE(same_actions(actions_of(archive, record.rank), actions_of(run, record.rank))) << position;
    } catch (const Error& problem) {
      EXPECT_EQ(problem.failure(), Failure::invalid_input) << problem.what();
    }
  }
}

} // namespace
} // namespace timeless::trace
