#include "trace/model/collective_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace timeless::trace {

/// So that a failure says what they are.
static void PrintTo(const CollectiveBytes& bytes, std::ostream* out) {
  *out << bytes.given << " given, " << bytes.got << " got";
}

namespace {

// World ranks 5, 3 and 4: 4 is the last one there.
const Communicator three{.members = {5, 3, 4}};

CollectiveBytes in_three(const Action& action, Rank rank) {
  return collective_bytes(action, three, rank);
}

TEST(CollectiveBytes, at_the_root_they_are_the_whole_and_elsewhere_a_part) {
  const Action broadcast{.kind = ActionKind::broadcast, .peer = 2, .bytes = 8};
  EXPECT_EQ(in_three(broadcast, 4), (CollectiveBytes{8, 0}));
  EXPECT_EQ(in_three(broadcast, 5), (CollectiveBytes{0, 8}));
  const Action reduce{.kind = ActionKind::reduce, .peer = 0, .bytes = 8};
  EXPECT_EQ(in_three(reduce, 5), (CollectiveBytes{8, 8}));
  EXPECT_EQ(in_three(reduce, 3), (CollectiveBytes{8, 0}));
  // What others than the root name as the root's part means nothing.
  const Action gather{.kind = ActionKind::gather, .peer = 1, .bytes = 7, .receive_bytes = 7};
  EXPECT_EQ(in_three(gather, 3), (CollectiveBytes{7, 21}));
  EXPECT_EQ(in_three(gather, 4), (CollectiveBytes{7, 0}));
  const Action scatter{.kind = ActionKind::scatter, .peer = 1, .bytes = 7, .receive_bytes = 7};
  EXPECT_EQ(in_three(scatter, 3), (CollectiveBytes{21, 7}));
  EXPECT_EQ(in_three(scatter, 4), (CollectiveBytes{0, 7}));
}

TEST(CollectiveBytes, parts_of_different_sizes_are_added_up) {
  const std::vector<Bytes> counts{1, 20, 300};
  const std::vector<Bytes> others{4000, 0, 5};
  EXPECT_EQ(in_three({.kind = ActionKind::gatherv, .peer = 1, .bytes = 20, .receive_counts = counts}, 3),
            (CollectiveBytes{20, 321}));
  EXPECT_EQ(in_three({.kind = ActionKind::scatterv, .peer = 1, .receive_bytes = 20, .counts = counts}, 3),
            (CollectiveBytes{321, 20}));
  EXPECT_EQ(in_three({.kind = ActionKind::allgatherv, .bytes = 20, .receive_counts = counts}, 3),
            (CollectiveBytes{20, 321}));
  EXPECT_EQ(in_three({.kind = ActionKind::alltoallv, .counts = counts, .receive_counts = others}, 4),
            (CollectiveBytes{321, 4005}));
  EXPECT_EQ(in_three({.kind = ActionKind::reduce_scatter, .counts = counts}, 4), (CollectiveBytes{321, 300}));
}

TEST(CollectiveBytes, equal_parts_are_as_many_as_members) {
  EXPECT_EQ(in_three({.kind = ActionKind::allgather, .bytes = 2, .receive_bytes = 2}, 3), (CollectiveBytes{2, 6}));
  EXPECT_EQ(in_three({.kind = ActionKind::alltoall, .bytes = 2, .receive_bytes = 2}, 3), (CollectiveBytes{6, 6}));
  EXPECT_EQ(in_three({.kind = ActionKind::reduce_scatter_block, .bytes = 2}, 3), (CollectiveBytes{6, 2}));
  EXPECT_EQ(in_three({.kind = ActionKind::allreduce, .bytes = 2}, 3), (CollectiveBytes{2, 2}));
  EXPECT_EQ(in_three({.kind = ActionKind::barrier}, 3), (CollectiveBytes{}));
}

TEST(CollectiveBytes, in_place_as_much_goes_out_as_comes_in) {
  const std::vector<Bytes> counts{1, 20, 300};
  for (const ActionKind kind : {ActionKind::alltoallv, ActionKind::alltoallw})
    EXPECT_EQ(in_three({.kind = kind, .flags = flag_in_place, .receive_counts = counts}, 4),
              (CollectiveBytes{321, 321}));
}

TEST(CollectiveBytes, neighbours_are_counted_but_for_those_that_are_nobody) {
  // Receives from 0 and from nobody; sends to 1, to nobody, and to 2.
  const std::vector<Rank> neighbours{0, no_rank, 1, no_rank, 2};
  const std::vector<Bytes> out{1, 20, 300};
  const std::vector<Bytes> in{4000, 50000};
  EXPECT_EQ(
      in_three({.kind = ActionKind::neighbor_alltoall, .tag = 3, .bytes = 7, .receive_bytes = 8, .ranks = neighbours},
               4),
      (CollectiveBytes{14, 8}));
  for (const ActionKind kind : {ActionKind::neighbor_alltoallv, ActionKind::neighbor_alltoallw})
    EXPECT_EQ(in_three({.kind = kind, .tag = 3, .counts = out, .receive_counts = in, .ranks = neighbours}, 4),
              (CollectiveBytes{301, 4000}));
  // The same to all: given once, as in an allgather.
  EXPECT_EQ(
      in_three({.kind = ActionKind::neighbor_allgather, .tag = 3, .bytes = 7, .receive_bytes = 8, .ranks = neighbours},
               4),
      (CollectiveBytes{7, 8}));
  EXPECT_EQ(
      in_three(
          {.kind = ActionKind::neighbor_allgatherv, .tag = 3, .bytes = 7, .receive_counts = in, .ranks = neighbours},
          4),
      (CollectiveBytes{7, 4000}));
}

TEST(CollectiveBytes, of_unknown_neighbours_what_is_listed_counts_whole_and_an_equal_part_once) {
  const std::vector<Bytes> out{1, 20, 300};
  EXPECT_EQ(in_three({.kind = ActionKind::neighbor_alltoallv, .counts = out, .receive_counts = out}, 4),
            (CollectiveBytes{321, 321}));
  EXPECT_EQ(in_three({.kind = ActionKind::neighbor_alltoall, .bytes = 7, .receive_bytes = 8}, 4),
            (CollectiveBytes{7, 8}));
}

TEST(CollectiveBytes, a_root_is_known_by_its_place_or_by_its_word) {
  const Communicator groups{.members = {0, 1}, .remote_members = {2, 3, 4}};
  const auto root = [](Rank peer) { return Action{.kind = ActionKind::scatter, .peer = peer}; };
  EXPECT_TRUE(is_root(root(2), three, 4));
  EXPECT_FALSE(is_root(root(2), three, 5));
  EXPECT_TRUE(is_root(root(root_of_remote_group), groups, 3));
  EXPECT_FALSE(is_root(root(no_rank), groups, 3));
  EXPECT_FALSE(is_root(root(1), groups, 1)) << "the root's number is one of the other group";
  EXPECT_FALSE(is_root({.kind = ActionKind::allreduce, .peer = 2}, three, 4));
}

TEST(CollectiveBytes, between_groups_parts_are_those_of_the_other_group) {
  const Communicator groups{.members = {0, 1}, .remote_members = {2, 3, 4}};
  EXPECT_EQ(collective_bytes({.kind = ActionKind::alltoall, .bytes = 2, .receive_bytes = 3}, groups, 0),
            (CollectiveBytes{6, 9}));
  EXPECT_EQ(collective_bytes({.kind = ActionKind::alltoall, .bytes = 3, .receive_bytes = 2}, groups, 4),
            (CollectiveBytes{6, 4}));
  // Rank 1 is the root: it gathers from the others; rank 0 stands aside.
  const auto gathered = [&](Rank root, Bytes given, Bytes from_each, Rank rank) {
    return collective_bytes({.kind = ActionKind::gather, .peer = root, .bytes = given, .receive_bytes = from_each},
                            groups, rank);
  };
  EXPECT_EQ(gathered(root_of_remote_group, 0, 7, 1), (CollectiveBytes{0, 21}));
  EXPECT_EQ(gathered(no_rank, 0, 0, 0), (CollectiveBytes{}));
  EXPECT_EQ(gathered(1, 7, 0, 3), (CollectiveBytes{7, 0}));
  EXPECT_EQ(collective_bytes({.kind = ActionKind::reduce, .peer = root_of_remote_group, .bytes = 8}, groups, 1),
            (CollectiveBytes{0, 8}));
}

} // namespace
} // namespace timeless::trace
