// Files, on hosts without disks: what the model says.
#include "tests/smpi/flat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace timeless::replay {
namespace {

using testing::HasSubstr;
using trace::ActionKind;
using trace::Bytes;
using trace::CommunicatorId;
using trace::MemorySource;
using trace::Rank;
using trace::RequestId;

TEST(File, costs_what_it_costs_in_the_model) {
  MemorySource program(3);
  const CommunicatorId file = program.add_communicator({0, 1, 2});
  for (Rank rank = 0; rank < 3; ++rank) {
    const RequestId first = 0;
    const RequestId second = 1;
    const std::array<RequestId, 2> both{first, second};
    const auto bytes = static_cast<Bytes>(rank + 1) * 1'000'000;
    program.compute(rank, static_cast<std::uint64_t>(rank) * 1'000'000);
    program.add(rank, {.kind = ActionKind::file_open, .new_communicator = file});
    program.add(rank, {.kind = ActionKind::file_write_at, .communicator = file, .bytes = bytes});
    program.add(rank, {.kind = ActionKind::file_write_all, .communicator = file, .bytes = 10 * bytes});
    program.add(rank, {.kind = ActionKind::file_read, .communicator = file, .receive_bytes = bytes, .request = first});
    program.add(rank, {.kind = ActionKind::file_write, .communicator = file, .bytes = bytes, .request = second});
    program.compute(rank, 1'500'000);
    program.add(rank, {.kind = ActionKind::wait_all, .requests = both});
    program.add(rank, {.kind = ActionKind::file_write_ordered_begin, .communicator = file, .bytes = bytes});
    program.compute(rank, 500'000);
    program.add(rank, {.kind = ActionKind::file_write_ordered_end, .communicator = file, .bytes = bytes});
    program.add(rank,
                {.kind = ActionKind::file_read_all, .communicator = file, .receive_bytes = bytes, .request = first});
    program.compute(rank, 20'000'000 * static_cast<std::uint64_t>(rank));
    program.add(rank, {.kind = ActionKind::wait, .requests = {&both[0], 1}});
    program.add(rank, {.kind = ActionKind::file_close, .communicator = file});
  }
  program.finalize();
  expect_equal_ends(program);
  EXPECT_THAT(notes(program), testing::Contains(HasSubstr("100 us a call, 1 GB/s per process, 10 GB/s in all")));
}

} // namespace
} // namespace timeless::replay
