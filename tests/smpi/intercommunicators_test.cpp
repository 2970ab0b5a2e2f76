// Messages and collectives between two groups.
#include "tests/smpi/flat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay {
namespace {

using testing::HasSubstr;
using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::CommunicatorId;
using trace::MemorySource;
using trace::Rank;

TEST(Intercommunicator, messages_go_to_the_other_groups_ranks) {
  MemorySource program(5);
  const CommunicatorId id = program.add_communicator({0, 3}, {4, 1, 2});
  program.add(3, {.kind = ActionKind::send, .communicator = id, .peer = 0, .tag = 5, .bytes = 30'000}); // to world 4
  program.add(4, {.kind = ActionKind::receive, .communicator = id, .peer = 1, .tag = 5, .bytes = 30'000});
  program.add(2, {.kind = ActionKind::send, .communicator = id, .peer = 0, .bytes = 10'000}); // to world 0
  program.add(0, {.kind = ActionKind::receive, .communicator = id, .peer = trace::any_rank, .bytes = 10'000});
  program.finalize();
  const std::vector<double> ends = smpi_ends(program);
  EXPECT_NEAR(ends[4], message(30'000), 1e-12);
  EXPECT_NEAR(ends[0], message(10'000), 1e-12);
}

Action between_groups(ActionKind kind, bool root, bool roots_group) {
  Action action{.kind = kind, .bytes = 1000, .receive_bytes = 1000, .element_bytes = 8};
  switch (kind) {
  case ActionKind::broadcast:
  case ActionKind::reduce:
  case ActionKind::gather:
  case ActionKind::gatherv:
  case ActionKind::scatter:
  case ActionKind::scatterv:
    action.peer = root ? trace::root_of_remote_group : roots_group ? trace::no_rank : 1;
    break;
  default:
    break;
  }
  static const std::array<Bytes, 3> three{1000, 1000, 1000};
  const std::size_t remote = roots_group ? 3 : 2;
  action.counts = std::span(three).first(kind == ActionKind::reduce_scatter ? 5 - remote : remote);
  action.receive_counts = std::span(three).first(remote);
  return action;
}

class BetweenGroups : public testing::TestWithParam<ActionKind> {};

/// World ranks 0 and 1 are one group, 2 to 4 the other; 1 is the root.
MemorySource between(ActionKind kind, bool nonblocking) {
  MemorySource program(5);
  const CommunicatorId id = program.add_communicator({0, 1}, {2, 3, 4});
  for (Rank rank = 0; rank < 5; ++rank) {
    if (rank == 1) program.compute(rank, 10'000'000); // the root, and the last to come, after 10 ms
    Action action = between_groups(kind, rank == 1, rank < 2);
    action.communicator = id;
    if (nonblocking) action.request = request;
    program.add(rank, action);
    if (nonblocking) program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
  }
  program.finalize();
  return program;
}

TEST_P(BetweenGroups, collectives_carry_what_one_group_has_to_the_other) {
  for (const bool nonblocking : {false, true}) {
    const MemorySource program = between(GetParam(), nonblocking);
    const std::vector<double> ends = smpi_ends(program);
    const bool to_root =
        GetParam() == ActionKind::reduce || GetParam() == ActionKind::gather || GetParam() == ActionKind::gatherv;
    for (std::size_t rank = 2; rank < 5; ++rank) {
      if (to_root)
        EXPECT_LT(ends[rank], 1e-3) << rank; // eager: they leave before the root comes
      else
        EXPECT_GT(ends[rank], 10e-3 + (GetParam() == ActionKind::barrier ? latency : message(1000)) - 1e-12) << rank;
      EXPECT_LT(ends[rank], 10.2e-3) << rank;
    }
    if (GetParam() == ActionKind::barrier) {
      EXPECT_GT(ends[0], 10e-3);
    }
    EXPECT_THAT(notes(program), testing::Contains(HasSubstr("SMPI has no intercommunicators")));
  }
}

INSTANTIATE_TEST_SUITE_P(all, BetweenGroups,
                         testing::Values(ActionKind::barrier, ActionKind::broadcast, ActionKind::reduce,
                                         ActionKind::allreduce, ActionKind::gather, ActionKind::gatherv,
                                         ActionKind::scatter, ActionKind::scatterv, ActionKind::allgather,
                                         ActionKind::allgatherv, ActionKind::alltoall, ActionKind::alltoallv,
                                         ActionKind::alltoallw, ActionKind::reduce_scatter,
                                         ActionKind::reduce_scatter_block),
                         [](const auto& each) { return std::string(trace::name(each.param)); });

TEST(Intercommunicator, recorded_by_both_sides_is_one) {
  MemorySource program(2);
  const CommunicatorId ours = program.add_communicator({0}, {1});
  const CommunicatorId theirs = program.add_communicator({1}, {0});
  for (const CommunicatorId id : {ours, theirs})
    program.description().communicators[id].identity = 77;
  program.add(0, {.kind = ActionKind::send, .communicator = ours, .peer = 0, .bytes = 1000});
  program.add(1, {.kind = ActionKind::receive, .communicator = theirs, .peer = 0, .bytes = 1000});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[1], message(1000), 1e-12);
}

} // namespace
} // namespace timeless::replay
