#include "checked_program.h"

#include <functional>
#include <vector>

namespace timeless::trace::test {
namespace {

using ::testing::HasSubstr;

TEST(CheckCollectives, called_alike_by_all_are_clean_and_counted) {
  Program program(4);
  const CommunicatorId odd = program.add_communicator({1, 3});
  for (int round = 0; round < 20; ++round) {
    program.all({.kind = ActionKind::barrier});
    program.all({.kind = ActionKind::broadcast, .peer = 2, .bytes = 64});
    program.all({.kind = ActionKind::allreduce, .bytes = 8}, odd);
    program.all({.kind = ActionKind::allreduce, .bytes = 8, .request = 0});
    for (Rank rank = 0; rank < 4; ++rank)
      program.wait(rank, {0});
  }
  program.finalize();
  expect_clean(program);
  EXPECT_EQ(check(program).collectives, 80U);
}

TEST(CheckCollectives, another_kind_at_the_same_place_is_found_once) {
  Program program(3);
  for (int round = 0; round < 5; ++round) {
    for (Rank rank = 0; rank < 3; ++rank) {
      const bool reversed = rank == 1 && round == 2;
      program.add(rank, {.kind = reversed ? ActionKind::allreduce : ActionKind::barrier});
      program.add(rank, {.kind = reversed ? ActionKind::barrier : ActionKind::allreduce});
    }
  }
  program.finalize();
  const Finding finding = only_finding(program);
  EXPECT_EQ(finding.rank, 1);
  EXPECT_EQ(finding.action, 4U);
  EXPECT_THAT(finding.words, HasSubstr("calls Allreduce on MPI_COMM_WORLD where rank 0 calls Barrier (its action 4)"));
}

TEST(CheckCollectives, a_nonblocking_one_does_not_meet_a_blocking_one) {
  Program program(2);
  program.add(0, {.kind = ActionKind::barrier});
  program.add(1, {.kind = ActionKind::barrier, .request = 0});
  program.wait(1, {0});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("calls Ibarrier on MPI_COMM_WORLD where rank 0 calls Barrier"));
}

TEST(CheckCollectives, another_root_is_found) {
  Program program(2);
  program.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  program.add(1, {.kind = ActionKind::broadcast, .peer = 1, .bytes = 8});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("with root 1 where rank 0"));
}

TEST(CheckCollectives, a_root_outside_the_communicator_is_found) {
  Program program(2);
  program.all({.kind = ActionKind::broadcast, .peer = 2, .bytes = 8});
  program.finalize();
  EXPECT_THAT(check(program).findings.front().words, HasSubstr("names root 2 in a communicator of 2"));
}

TEST(CheckCollectives, a_call_a_member_never_makes_is_found) {
  Program program(3);
  program.all({.kind = ActionKind::barrier});
  program.add(0, {.kind = ActionKind::barrier});
  program.add(2, {.kind = ActionKind::barrier});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("calls Barrier on MPI_COMM_WORLD, and 1 member of 3 never do"));
}

TEST(CheckCollectives, another_size_is_found_in_every_kind_with_one_size) {
  for (const ActionKind kind : {ActionKind::broadcast, ActionKind::reduce, ActionKind::allreduce, ActionKind::scan,
                                ActionKind::exscan, ActionKind::reduce_scatter_block}) {
    Program program(3);
    const Rank root = kind == ActionKind::broadcast || kind == ActionKind::reduce ? 0 : no_rank;
    for (Rank rank = 0; rank < 3; ++rank)
      program.add(rank, {.kind = kind, .peer = root, .bytes = rank == 2 ? 16U : 8U});
    program.finalize();
    EXPECT_THAT(only_finding(program).words, HasSubstr("with 16 bytes where rank 0 has 8")) << name(kind);
  }
}

/// A v-collective over three ranks; `change` may spoil one rank's action before it is added.
using Change = std::function<void(Rank, Action&, std::vector<Bytes>&, std::vector<Bytes>&)>;

Program vector_collective(ActionKind kind, const Change& change) {
  const auto bytes = [](Rank from, Rank to) { return static_cast<Bytes>(10 * from + to + 1); };
  Program program(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    Action action{.kind = kind};
    std::vector<Bytes> counts;
    std::vector<Bytes> receive_counts;
    const bool root = rank == 1;
    for (Rank other = 0; other < 3; ++other) {
      if (kind == ActionKind::gatherv && root) receive_counts.push_back(bytes(other, 1));
      if (kind == ActionKind::scatterv && root) counts.push_back(bytes(1, other));
      if (kind == ActionKind::allgatherv) receive_counts.push_back(bytes(other, 0));
      if (kind == ActionKind::reduce_scatter) counts.push_back(bytes(0, other));
      if (kind == ActionKind::alltoallv) {
        counts.push_back(bytes(rank, other));
        receive_counts.push_back(bytes(other, rank));
      }
    }
    if (kind == ActionKind::gatherv || kind == ActionKind::scatterv) action.peer = 1;
    if (kind == ActionKind::gatherv) action.bytes = bytes(rank, 1);
    if (kind == ActionKind::allgatherv) action.bytes = bytes(rank, 0);
    if (kind == ActionKind::scatterv) action.receive_bytes = bytes(1, rank);
    if (change) change(rank, action, counts, receive_counts);
    action.counts = counts;
    action.receive_counts = receive_counts;
    program.add(rank, action);
  }
  program.finalize();
  return program;
}

TEST(CheckCollectives, sizes_per_rank_that_fit_are_clean) {
  for (const ActionKind kind : {ActionKind::gatherv, ActionKind::scatterv, ActionKind::allgatherv,
                                ActionKind::alltoallv, ActionKind::reduce_scatter})
    expect_clean(vector_collective(kind, {}));
}

TEST(CheckCollectives, one_size_per_rank_that_does_not_fit_is_found) {
  const auto at = [](Rank spoilt, std::function<void(Action&, std::vector<Bytes>&, std::vector<Bytes>&)> spoil) {
    return [spoilt, spoil](Rank rank, Action& action, std::vector<Bytes>& counts, std::vector<Bytes>& receive_counts) {
      if (rank == spoilt) spoil(action, counts, receive_counts);
    };
  };
  only_finding(vector_collective(ActionKind::gatherv, at(2, [](Action& action, auto&, auto&) { ++action.bytes; })));
  only_finding(vector_collective(ActionKind::gatherv, at(1, [](Action&, auto&, auto& counts) { ++counts[0]; })));
  only_finding(
      vector_collective(ActionKind::scatterv, at(0, [](Action& action, auto&, auto&) { ++action.receive_bytes; })));
  only_finding(vector_collective(ActionKind::scatterv, at(1, [](Action&, auto& counts, auto&) { ++counts[2]; })));
  only_finding(vector_collective(ActionKind::allgatherv, at(2, [](Action& action, auto&, auto&) { ++action.bytes; })));
  only_finding(vector_collective(ActionKind::allgatherv, at(2, [](Action&, auto&, auto& counts) { ++counts[0]; })));
  only_finding(vector_collective(ActionKind::alltoallv, at(2, [](Action&, auto& counts, auto&) { ++counts[1]; })));
  only_finding(vector_collective(ActionKind::alltoallv, at(0, [](Action&, auto&, auto& counts) { ++counts[1]; })));
  // Swapped between two receivers: the sum of bytes is as before.
  only_finding(vector_collective(ActionKind::alltoallv,
                                 at(0, [](Action&, auto& counts, auto&) { std::swap(counts[1], counts[2]); })));
  only_finding(vector_collective(ActionKind::reduce_scatter, at(1, [](Action&, auto& counts, auto&) { ++counts[0]; })));
  only_finding(
      vector_collective(ActionKind::alltoallv, at(1, [](Action&, auto& counts, auto&) { counts.pop_back(); })));
}

TEST(CheckCollectives, one_that_expects_other_sizes_than_it_sends_names_itself_once) {
  Program program(1);
  program.add(0, {.kind = ActionKind::allgather, .bytes = 32, .receive_bytes = 4});
  program.finalize();
  EXPECT_EQ(only_finding(program).words, "Allgather on MPI_COMM_WORLD sends 32 bytes and expects 4");
}

TEST(CheckCollectives, that_mpi_called_truncated_are_a_note) {
  Program one_size(2);
  one_size.add(0, {.kind = ActionKind::broadcast, .flags = flag_truncated, .peer = 1, .bytes = 4});
  one_size.add(1, {.kind = ActionKind::broadcast, .peer = 1, .bytes = 32});
  one_size.finalize();
  EXPECT_THAT(only_finding(one_size, Severity::note).words, HasSubstr("MPI_ERR_TRUNCATE"));
  const auto root = [](Rank rank, Action& action, auto&, auto& counts) {
    if (rank != 1) return;
    action.flags = flag_truncated;
    counts[2] = 1;
  };
  EXPECT_EQ(only_finding(vector_collective(ActionKind::gatherv, root), Severity::note).rank, 1);
}

TEST(CheckCollectives, other_sizes_than_those_that_were_truncated_are_found) {
  Program program(3);
  for (Rank rank = 0; rank < 3; ++rank)
    program.add(rank, {.kind = ActionKind::broadcast,
                       .flags = rank == 0 ? std::uint16_t{flag_truncated} : std::uint16_t{0},
                       .peer = 1,
                       .bytes = rank == 2 ? 64U : 32U});
  program.finalize();
  EXPECT_THAT(check(program).findings.back().words, HasSubstr("with 64 bytes where rank 1 has 32"));
}

TEST(CheckCollectives, in_place_ranks_give_no_size_of_their_own) {
  Program program(2);
  program.add(0, {.kind = ActionKind::gather, .flags = flag_in_place, .peer = 0, .receive_bytes = 8});
  program.add(1, {.kind = ActionKind::gather, .peer = 0, .bytes = 8});
  for (Rank rank = 0; rank < 2; ++rank)
    program.add(rank, {.kind = ActionKind::allgather, .flags = flag_in_place, .receive_bytes = 24});
  program.finalize();
  expect_clean(program);
}

TEST(CheckCollectives, creating_a_communicator_is_collective_over_its_parent) {
  Program program(4);
  const CommunicatorId even = program.add_communicator({0, 2});
  const CommunicatorId odd = program.add_communicator({1, 3});
  for (Rank rank = 0; rank < 4; ++rank) {
    program.add(rank, {.kind = ActionKind::comm_split, .new_communicator = rank % 2 == 0 ? even : odd});
    program.add(rank, {.kind = ActionKind::comm_free, .communicator = rank % 2 == 0 ? even : odd});
  }
  program.finalize();
  expect_clean(program);
}

TEST(CheckCollectives, creating_one_from_a_group_concerns_the_group_only) {
  Program program(4);
  const CommunicatorId pair = program.add_communicator({1, 2});
  program.add(1, {.kind = ActionKind::comm_create_group, .new_communicator = pair});
  program.all({.kind = ActionKind::barrier});
  program.add(2, {.kind = ActionKind::comm_create_group, .new_communicator = pair});
  program.finalize();
  expect_clean(program);
}

TEST(CheckCollectives, getting_a_communicator_without_being_a_member_is_found) {
  Program program(2);
  const CommunicatorId self = program.add_communicator({0});
  program.add(0, {.kind = ActionKind::comm_split, .new_communicator = self});
  program.add(1, {.kind = ActionKind::comm_split, .new_communicator = self});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("of which it is no member"));
}

} // namespace
} // namespace timeless::trace::test
