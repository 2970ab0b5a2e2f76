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

struct Collective {
  const char* name;
  Action action;
  double least; ///< seconds after the last rank came: one message at least, for all but roots
};

void PrintTo(const Collective& collective, std::ostream* out) {
  *out << collective.name;
}

constexpr Bytes part = 1000;
const std::vector<Bytes> parts(6, part);

std::vector<Collective> collectives() {
  const std::span<const Bytes> all(parts);
  return {
      {"barrier", {.kind = ActionKind::barrier}, latency},
      {"broadcast", {.kind = ActionKind::broadcast, .peer = 0, .bytes = part}, message(part)},
      {"reduce", {.kind = ActionKind::reduce, .peer = 0, .bytes = part, .element_bytes = 8}, 0},
      {"allreduce", {.kind = ActionKind::allreduce, .bytes = part, .element_bytes = 4}, message(part)},
      {"allreduce_of_odd_elements",
       {.kind = ActionKind::allreduce, .bytes = 12 * 24, .element_bytes = 24},
       message(12 * 24)},
      {"allreduce_by_user",
       {.kind = ActionKind::allreduce,
        .flags = trace::flag_user_operation | trace::flag_noncommutative,
        .bytes = part,
        .element_bytes = 8},
       message(part)},
      {"gather", {.kind = ActionKind::gather, .peer = 0, .bytes = part, .receive_bytes = part}, 0},
      {"gatherv", {.kind = ActionKind::gatherv, .peer = 0, .bytes = part, .receive_counts = all}, 0},
      {"scatter", {.kind = ActionKind::scatter, .peer = 0, .bytes = part, .receive_bytes = part}, 0},
      {"scatterv", {.kind = ActionKind::scatterv, .peer = 0, .receive_bytes = part, .counts = all}, 0},
      {"allgather", {.kind = ActionKind::allgather, .bytes = part, .receive_bytes = part}, message(part)},
      {"allgatherv", {.kind = ActionKind::allgatherv, .bytes = part, .receive_counts = all}, message(part)},
      {"alltoall", {.kind = ActionKind::alltoall, .bytes = part, .receive_bytes = part}, message(part)},
      {"alltoallv", {.kind = ActionKind::alltoallv, .counts = all, .receive_counts = all}, message(part)},
      {"alltoallw", {.kind = ActionKind::alltoallw, .counts = all, .receive_counts = all}, message(part)},
      {"reduce_scatter", {.kind = ActionKind::reduce_scatter, .element_bytes = 8, .counts = all}, message(part)},
      {"reduce_scatter_block",
       {.kind = ActionKind::reduce_scatter_block, .bytes = part, .element_bytes = 8},
       message(part)},
      {"scan", {.kind = ActionKind::scan, .bytes = part, .element_bytes = 8}, 0},
      {"exscan", {.kind = ActionKind::exscan, .bytes = part, .element_bytes = 8}, 0},
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
  EXPECT_LE(last, 12 * message(6 * part));
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
    EXPECT_LE(end, 0.1 + 12 * message(6 * part));
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
