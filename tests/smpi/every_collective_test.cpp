// Every collective, blocking and not, moves its bytes.
#include "tests/smpi/flat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

namespace timeless::replay {
namespace {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::RequestId;

struct Collective {
  const char* name;
  Action action;
  double least; ///< seconds after the last rank came: one message at least, for all but roots
};

void PrintTo(const Collective& collective, std::ostream* out) {
  *out << collective.name;
}

constexpr Bytes part_bytes = 1000;
const std::vector<Bytes> six_parts(6, part_bytes);

std::vector<Collective> collectives() {
  const std::span<const Bytes> all(six_parts);
  return {
      {"barrier", {.kind = ActionKind::barrier}, latency},
      {"broadcast", {.kind = ActionKind::broadcast, .peer = 0, .bytes = part_bytes}, message(part_bytes)},
      {"reduce", {.kind = ActionKind::reduce, .peer = 0, .bytes = part_bytes, .element_bytes = 8}, 0},
      {"allreduce", {.kind = ActionKind::allreduce, .bytes = part_bytes, .element_bytes = 4}, message(part_bytes)},
      {"allreduce_of_odd_elements",
       {.kind = ActionKind::allreduce, .bytes = 12 * 24, .element_bytes = 24},
       message(12 * 24)},
      {"allreduce_by_user",
       {.kind = ActionKind::allreduce,
        .flags = trace::flag_user_operation | trace::flag_noncommutative,
        .bytes = part_bytes,
        .element_bytes = 8},
       message(part_bytes)},
      {"gather", {.kind = ActionKind::gather, .peer = 0, .bytes = part_bytes, .receive_bytes = part_bytes}, 0},
      {"gatherv", {.kind = ActionKind::gatherv, .peer = 0, .bytes = part_bytes, .receive_counts = all}, 0},
      {"scatter", {.kind = ActionKind::scatter, .peer = 0, .bytes = part_bytes, .receive_bytes = part_bytes}, 0},
      {"scatterv", {.kind = ActionKind::scatterv, .peer = 0, .receive_bytes = part_bytes, .counts = all}, 0},
      {"allgather",
       {.kind = ActionKind::allgather, .bytes = part_bytes, .receive_bytes = part_bytes},
       message(part_bytes)},
      {"allgatherv", {.kind = ActionKind::allgatherv, .bytes = part_bytes, .receive_counts = all}, message(part_bytes)},
      {"alltoall",
       {.kind = ActionKind::alltoall, .bytes = part_bytes, .receive_bytes = part_bytes},
       message(part_bytes)},
      {"alltoallv", {.kind = ActionKind::alltoallv, .counts = all, .receive_counts = all}, message(part_bytes)},
      {"alltoallw", {.kind = ActionKind::alltoallw, .counts = all, .receive_counts = all}, message(part_bytes)},
      {"reduce_scatter", {.kind = ActionKind::reduce_scatter, .element_bytes = 8, .counts = all}, message(part_bytes)},
      {"reduce_scatter_block",
       {.kind = ActionKind::reduce_scatter_block, .bytes = part_bytes, .element_bytes = 8},
       message(part_bytes)},
      {"scan", {.kind = ActionKind::scan, .bytes = part_bytes, .element_bytes = 8}, 0},
      {"exscan", {.kind = ActionKind::exscan, .bytes = part_bytes, .element_bytes = 8}, 0},
  };
}

class EveryCollective : public testing::TestWithParam<Collective> {};

TEST_P(EveryCollective, moves_its_bytes_and_no_more_than_a_chain_of_them) {
  MemorySource program(6);
  for (Rank rank = 0; rank < 6; ++rank)
    program.add(rank, GetParam().action);
  program.finalize();
  const std::vector<double> ends = smpi_ends(program);
  const double last = *std::ranges::max_element(ends);
  EXPECT_GE(last, std::max(GetParam().least, latency) - 1e-12);
  EXPECT_LE(last, 12 * message(6 * part_bytes));
}

TEST_P(EveryCollective, nonblocking_overlaps_with_computation_and_is_done_at_its_wait) {
  MemorySource program(6);
  const RequestId request = 2;
  for (Rank rank = 0; rank < 6; ++rank) {
    Action action = GetParam().action;
    action.request = request;
    program.add(rank, action);
    program.compute(rank, 100'000'000);
    program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
  }
  program.finalize();
  for (const double end : smpi_ends(program)) {
    EXPECT_GE(end, 0.1 - 1e-12);
    EXPECT_LE(end, 0.1 + 12 * message(6 * part_bytes));
  }
}

INSTANTIATE_TEST_SUITE_P(all, EveryCollective, testing::ValuesIn(collectives()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(CollectiveOf, one_rank_is_nothing) {
  for (const Collective& each : collectives()) {
    MemorySource program(1);
    Action action = each.action;
    action.counts = action.counts.first(std::min<std::size_t>(action.counts.size(), 1));
    action.receive_counts = action.receive_counts.first(std::min<std::size_t>(action.receive_counts.size(), 1));
    program.add(0, action);
    program.finalize();
    EXPECT_LE(smpi_ends(program)[0], 20e-6) << each.name;
  }
}

TEST(CollectiveOf, more_than_2_GiB_keeps_its_size) {
  for (const ActionKind kind : {ActionKind::broadcast}) {
    std::vector<double> last;
    for (const Bytes bytes : {Bytes{3} << 29U, Bytes{3} << 30U}) {
      MemorySource program(2);
      for (const Rank rank : {0, 1})
        program.add(rank, {.kind = kind, .peer = 0, .bytes = bytes, .element_bytes = 8});
      program.finalize();
      last.push_back(smpi_ends(program)[1]);
    }
    EXPECT_NEAR(last[1] / last[0], 2, 0.01) << name(kind);
  }
}

} // namespace
} // namespace timeless::replay
