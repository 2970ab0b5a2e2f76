#include "tests/smpi/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace timeless::replay {
namespace {

using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;

const SimgridPlatform& disks() {
  return machine(TIMELESS_TEST_PLATFORMS "/disks.xml");
}

constexpr Bytes ten_megabytes = 10'000'000; // 0.1 s to write, 0.05 s to read

TEST(Disk, is_read_and_written_at_its_own_speeds) {
  MemorySource program(1);
  program.add(0, {.kind = ActionKind::file_write, .bytes = ten_megabytes});
  program.add(0, {.kind = ActionKind::file_read_at, .receive_bytes = ten_megabytes});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program, disks(), placed({0}))[0], 0.15, 1e-9);
}

TEST(Disk, is_shared_by_the_ranks_of_its_host_and_by_no_others) {
  MemorySource program(3);
  for (trace::Rank rank = 0; rank < 3; ++rank)
    program.add(rank, {.kind = ActionKind::file_write, .bytes = ten_megabytes});
  program.finalize();
  EXPECT_THAT(smpi_ends(program, disks(), placed({0, 0, 1})),
              testing::ElementsAre(testing::DoubleNear(0.2, 1e-9), testing::DoubleNear(0.2, 1e-9),
                                   testing::DoubleNear(0.1, 1e-9)));
}

TEST(Disk, works_while_a_rank_computes) {
  const trace::RequestId request = 3;
  MemorySource program(1);
  program.add(0, {.kind = ActionKind::file_write, .bytes = ten_megabytes, .request = request});
  program.compute(0, 70'000'000); // 0.07 s
  program.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program, disks(), placed({0}))[0], 0.1, 1e-9);
}

TEST(Disk, of_a_collective_call_waits_for_all_members) {
  MemorySource program(2);
  program.compute(1, 500'000'000);
  for (const trace::Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::file_write_all, .bytes = rank == 0 ? Bytes{0} : ten_megabytes});
  program.finalize();
  const std::vector<double> ends = smpi_ends(program, disks(), placed({0, 1}));
  EXPECT_NEAR(ends[0], 0.5, 1e-3);
  EXPECT_NEAR(ends[1], 0.6, 1e-3);
}

TEST(Disk, is_named_in_the_result) {
  MemorySource program(1);
  program.add(0, {.kind = ActionKind::file_write, .bytes = 1});
  program.finalize();
  const Result result = smpi_replay(program, disks(), placed({0})).replay;
  EXPECT_THAT(result.notes, testing::ElementsAre(testing::HasSubstr("the first disk of each rank's host")));
}

} // namespace
} // namespace timeless::replay
