#include "recorded.h"

#include "trace/model/action.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>

/// A program that makes every call, in C and in Fortran three ways: what it prints, and what is recorded of it.
namespace timeless::test {

namespace {

using trace::ActionFamily;
using trace::ActionKind;
using trace::Bytes;

class EveryForm : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(SameProgram, EveryForm, testing::Values("calls_c", "calls_mpif", "calls_mpi", "calls_f08"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(EveryForm, prints_and_returns_the_same_traced_and_untraced) {
  const Recording& recording = recording_of(GetParam());
  EXPECT_EQ(recording.plain.status, 0) << recording.plain.errors;
  EXPECT_EQ(recording.traced.status, 0) << recording.traced.errors;
  EXPECT_EQ(recording.traced.output, recording.plain.output);
  EXPECT_THAT(recording.traced.errors, testing::HasSubstr("timeless: recorded 4 ranks"));
}

TEST_P(EveryForm, makes_the_actions_of_the_c_program) {
  const auto& expected = recording_of("calls_c").trace;
  const auto& actual = recording_of(GetParam()).trace;
  ASSERT_EQ(expected.size(), std::size_t{recorded_ranks});
  ASSERT_EQ(actual.size(), std::size_t{recorded_ranks});
  for (std::size_t rank = 0; rank < recorded_ranks; ++rank)
    EXPECT_THAT(actual[rank].actions, testing::ContainerEq(expected[rank].actions)) << "rank " << rank;
}

TEST_P(EveryForm, leaves_no_call_unrecorded) {
  for (const RecordedRank& rank : recording_of(GetParam()).trace)
    EXPECT_THAT(rank.record().unrecorded_calls, testing::IsEmpty());
}

TEST_P(EveryForm, tells_the_grids_of_communicators) {
  using Grid = std::vector<trace::GridDimension>;
  const Grid square{{.extent = 2, .periodic = true}, {.extent = 2, .periodic = false}};
  const Grid row{{.extent = 2, .periodic = false}};
  const Grid ring{{.extent = 4, .periodic = true}};
  for (const RecordedRank& rank : recording_of(GetParam()).trace) {
    std::vector<Grid> made;
    for (const trace::Communicator& communicator : rank.run.communicators)
      if (!communicator.grid.empty()) made.push_back(communicator.grid);
    EXPECT_THAT(made, testing::ElementsAre(square, row, ring));
  }
}

TEST(SameProgram, ends_finalized_in_whole_files_of_one_run) {
  std::set<std::uint64_t> identities;
  for (const RecordedRank& rank : recording_of("calls_c").trace) {
    EXPECT_TRUE(rank.finished);
    EXPECT_EQ(rank.record().ending, trace::Ending::finalized);
    EXPECT_EQ(rank.record().actions, rank.actions.size());
    EXPECT_EQ(rank.actions.back().action.kind, ActionKind::finalize);
    EXPECT_EQ(rank.run.size, recorded_ranks);
    EXPECT_EQ(rank.run.counter.name, "none");
    EXPECT_TRUE(rank.volumes.empty());
    EXPECT_THAT(rank.run.provenance.mpi_library, testing::HasSubstr(tested_mpi()));
    EXPECT_THAT(rank.run.provenance.program, testing::EndsWith("/calls_c"));
    identities.insert(rank.run.provenance.run_identity);
  }
  EXPECT_EQ(identities.size(), 1U);
  EXPECT_FALSE(identities.contains(0));
}

TEST(SameProgram, holds_every_kind_of_message_collective_and_communicator_action) {
  std::set<ActionKind> found;
  std::set<std::string> names;
  for (const RecordedRank& rank : recording_of("calls_c").trace)
    for (const Kept& kept : rank.actions) {
      found.insert(kept.action.kind);
      names.insert(trace::mpi_name(kept.action));
    }
  const std::set<ActionFamily> families = {ActionFamily::point_to_point, ActionFamily::completion,
                                           ActionFamily::request,        ActionFamily::collective,
                                           ActionFamily::communicator,   ActionFamily::lifecycle};
#define ACTION_KIND(code, name, family, mpi_name, ...)                                                                 \
  EXPECT_TRUE(!families.contains(ActionFamily::family) || found.contains(ActionKind::name)) << #name;
  // It needs a receive that stays open longer than blocks are held.
  found.insert(ActionKind::resolved);
#include "trace/model/action_kinds.def"
#undef ACTION_KIND
  for (const char* name : {"Isend", "Ibsend", "Issend", "Irsend", "Bsend", "Ssend", "Rsend", "Irecv", "Ibarrier",
                           "Iallreduce", "Ialltoallw", "Comm_idup", "Ineighbor_alltoallw"})
    EXPECT_TRUE(names.contains(name)) << name;
}

/// What crossed between a pair of ranks of MPI_COMM_WORLD, as one end says.
struct Crossing {
  std::uint64_t messages = 0;
  Bytes bytes = 0;
  bool operator==(const Crossing&) const = default;
};
using Crossings = std::map<std::pair<trace::Rank, trace::Rank>, Crossing>;

void add(Crossings& crossings, trace::Rank from, trace::Rank to, Bytes bytes) {
  Crossing& crossing = crossings[{from, to}];
  ++crossing.messages;
  crossing.bytes += bytes;
}

TEST_P(EveryForm, receives_what_was_sent_between_every_pair_of_ranks) {
  Crossings sent;
  Crossings received;
  for (const RecordedRank& rank : recording_of(GetParam()).trace) {
    const trace::Rank self = rank.record().rank;
    std::set<trace::RequestId> never;
    for (const Kept& kept : rank.of_kind(ActionKind::cancelled))
      never.insert(kept.action.request);
    for (const Kept& kept : rank.actions) {
      const trace::Action& action = kept.action;
      const bool cancelled = action.kind == ActionKind::receive && action.tag == 99;
      if (action.kind == ActionKind::send) add(sent, self, action.peer, action.bytes);
      if (action.kind == ActionKind::receive && !cancelled) add(received, action.peer, self, action.bytes);
      if (action.kind != ActionKind::exchange && action.kind != ActionKind::exchange_replace) continue;
      if (action.peer != trace::no_rank) add(sent, self, action.peer, action.bytes);
      if (action.receive_peer != trace::no_rank) add(received, action.receive_peer, self, action.receive_bytes);
    }
  }
  EXPECT_FALSE(sent.empty());
  EXPECT_EQ(sent, received);
}

/// Every nonblocking action's request is completed once, freed, or cancelled and completed; and no other is.
TEST_P(EveryForm, completes_every_request_once) {
  for (const RecordedRank& rank : recording_of(GetParam()).trace) {
    std::set<trace::RequestId> open;
    for (const Kept& kept : rank.actions) {
      const trace::Action& action = kept.action;
      if (trace::nonblocking(action)) {
        EXPECT_TRUE(open.insert(action.request).second) << kept;
      }
      for (const trace::RequestId request : kept.requests)
        EXPECT_EQ(open.erase(request), 1U) << kept;
      if (action.kind == ActionKind::request_free) {
        EXPECT_EQ(open.erase(action.request), 1U) << kept;
      }
      if (action.kind == ActionKind::cancelled) {
        EXPECT_TRUE(open.contains(action.request)) << kept;
      }
      if (trace::family(action.kind) == trace::ActionFamily::completion) {
        EXPECT_FALSE(kept.requests.empty());
      }
    }
    EXPECT_TRUE(open.empty());
  }
}

TEST(SameProgram, stores_what_wildcards_received) {
  int wildcards = 0;
  for (const RecordedRank& rank : recording_of("calls_c").trace)
    for (const Kept& kept : rank.actions)
      if ((kept.action.flags & trace::flag_wildcard) != 0) {
        ++wildcards;
        EXPECT_GE(kept.action.peer, 0) << kept;
        EXPECT_GE(kept.action.tag, 0) << kept;
      }
  EXPECT_GE(wildcards, 4 * recorded_ranks);
}

TEST(SameProgram, sizes_the_collectives_by_counts_and_types) {
  const RecordedRank& root = recording_of("calls_c").trace.at(0);
  const RecordedRank& other = recording_of("calls_c").trace.at(2);
  const auto gatherv = root.of_kind(ActionKind::gatherv);
  ASSERT_EQ(gatherv.size(), 2U);
  EXPECT_THAT(gatherv[0].receive_counts, testing::ElementsAre(4, 8, 12, 16));
  EXPECT_EQ(gatherv[0].action.bytes, 4U);
  EXPECT_NE(gatherv[1].action.request, trace::no_request);
  EXPECT_EQ(other.of_kind(ActionKind::gatherv)[0].action.bytes, 12U);
  EXPECT_THAT(other.of_kind(ActionKind::gatherv)[0].receive_counts, testing::IsEmpty());
  EXPECT_THAT(other.of_kind(ActionKind::scatterv)[0].action.receive_bytes, 12U);
  EXPECT_THAT(root.of_kind(ActionKind::scatterv)[0].counts, testing::ElementsAre(4, 8, 12, 16));
  EXPECT_THAT(other.of_kind(ActionKind::alltoallv)[0].counts, testing::ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(other.of_kind(ActionKind::alltoallw)[0].receive_counts, testing::ElementsAre(4, 4, 4, 4));
  EXPECT_THAT(other.of_kind(ActionKind::reduce_scatter)[0].counts, testing::ElementsAre(4, 8, 12, 16));
  EXPECT_EQ(other.of_kind(ActionKind::allreduce)[0].action.bytes, 12U);
  EXPECT_EQ(other.of_kind(ActionKind::allreduce)[0].action.element_bytes, 4U);
  EXPECT_THAT(other.of_kind(ActionKind::neighbor_alltoallv)[0].counts, testing::ElementsAre(8, 8));
  EXPECT_THAT(other.of_kind(ActionKind::neighbor_alltoallw)[0].counts, testing::ElementsAre(8));
  // Sources, then destinations: of a directed ring, and of a periodic grid. The tag counts the sources, from 1.
  EXPECT_THAT(other.of_kind(ActionKind::neighbor_alltoallw)[0].ranks, testing::ElementsAre(1, 3));
  EXPECT_EQ(other.of_kind(ActionKind::neighbor_alltoallw)[0].action.tag, 2);
  EXPECT_THAT(other.of_kind(ActionKind::neighbor_allgather)[0].ranks, testing::ElementsAre(1, 3, 1, 3));
  EXPECT_EQ(other.of_kind(ActionKind::neighbor_allgather)[0].action.tag, 3);
}

TEST_P(EveryForm, knows_collectives_in_place) {
  const auto& trace = recording_of(GetParam()).trace;
  const auto flagged = [](const RecordedRank& rank, ActionKind kind) {
    std::vector<Kept> found;
    for (const Kept& kept : rank.of_kind(kind))
      if ((kept.action.flags & trace::flag_in_place) != 0) found.push_back(kept);
    return found;
  };
  for (const RecordedRank& rank : trace) {
    ASSERT_EQ(flagged(rank, ActionKind::allreduce).size(), 1U);
    ASSERT_EQ(flagged(rank, ActionKind::allgather).size(), 1U);
    EXPECT_EQ(flagged(rank, ActionKind::allgather)[0].action.bytes, 8U);
    ASSERT_EQ(flagged(rank, ActionKind::allgatherv).size(), 1U);
    ASSERT_EQ(flagged(rank, ActionKind::alltoall).size(), 1U);
    EXPECT_EQ(flagged(rank, ActionKind::alltoall)[0].action.bytes, 4U);
    const std::size_t at_root = rank.record().rank == 0 ? 1 : 0;
    EXPECT_EQ(flagged(rank, ActionKind::gather).size(), at_root);
    EXPECT_EQ(flagged(rank, ActionKind::scatter).size(), at_root);
    EXPECT_EQ(flagged(rank, ActionKind::reduce).size(), at_root);
  }
  ASSERT_FALSE(trace.empty());
}

TEST(SameProgram, takes_the_size_of_a_derived_type_sent_from_bottom) {
  const auto replaced = recording_of("calls_f08").trace.at(1).of_kind(ActionKind::exchange_replace);
  ASSERT_EQ(replaced.size(), 2U);
  EXPECT_EQ(replaced[1].action.bytes, 8U);
  EXPECT_EQ(replaced[1].action.receive_bytes, 8U);
}

} // namespace

} // namespace timeless::test
