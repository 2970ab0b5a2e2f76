#include "recorded.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

/// Processes that others start, or meet.
namespace timeless::test {

namespace {

using trace::ActionKind;
using trace::foreign_rank;

// Processes of two worlds do not share memory.
constexpr const char* over_sockets = "OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=lo";

Job job(const char* program, int ranks, const char* arguments = "") {
  return {
      .ranks = ranks, .program = program, .arguments = arguments, .environment = over_sockets, .around_launcher = true};
}

class Spawn : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Processes, Spawn, testing::Values("", "many"), [](const auto& tested) {
  return std::string(*tested.param == '\0' ? "spawn" : "spawn_multiple");
});

TEST_P(Spawn, prints_the_same_traced_and_untraced_and_records_both_worlds_apart) {
  const TemporaryDirectory directory;
  const Job spawning = job("spawns", 2, GetParam());
  const Outcome plain = run_plain(spawning);
  const Outcome traced = run_traced(spawning, directory / "trace");
  EXPECT_EQ(plain.status, 0) << plain.errors;
  EXPECT_EQ(traced.status, 0) << traced.errors;
  EXPECT_EQ(traced.output, plain.output);
  EXPECT_THAT(traced.output, testing::HasSubstr("child 1: 1202 "));
  EXPECT_THAT(traced.errors, testing::HasSubstr("timeless: recorded 2 ranks"));
  EXPECT_THAT(traced.errors, testing::HasSubstr("trace/spawned-1;"));

  const auto parents = read_recording(directory / "trace");
  const auto children = read_recording(directory / "trace" / "spawned-1");
  ASSERT_EQ(parents.size(), 2U);
  ASSERT_EQ(children.size(), 2U);
  const bool multiple = *GetParam() != '\0';
  for (const RecordedRank& rank : parents) {
    EXPECT_EQ(rank.record().ending, trace::Ending::finalized);
    const auto spawned = rank.of_kind(multiple ? ActionKind::comm_spawn_multiple : ActionKind::comm_spawn);
    ASSERT_EQ(spawned.size(), 1U);
    EXPECT_EQ(spawned[0].action.peer, 0);
    if (rank.record().rank != 0)
      EXPECT_THAT(spawned[0].counts, testing::IsEmpty());
    else if (multiple)
      EXPECT_THAT(spawned[0].counts, testing::ElementsAre(1, 1));
    else
      EXPECT_THAT(spawned[0].counts, testing::ElementsAre(2));
    const trace::Communicator& met = rank.run.communicators.at(spawned[0].action.new_communicator);
    EXPECT_THAT(met.members, testing::ElementsAre(0, 1));
    EXPECT_THAT(met.remote_members, testing::ElementsAre(foreign_rank, foreign_rank));
  }
  EXPECT_NE(parents[0].run.provenance.run_identity, children[0].run.provenance.run_identity);
}

TEST(Processes, record_messages_and_collectives_with_another_world_by_its_ranks) {
  const TemporaryDirectory directory;
  const Outcome traced = run_traced(job("spawns", 2), directory / "trace");
  ASSERT_EQ(traced.status, 0) << traced.errors;
  for (const auto& place : {directory / "trace", directory / "trace" / "spawned-1"}) {
    std::set<std::uint64_t> merged;
    for (const RecordedRank& rank : read_recording(place)) {
      const trace::Rank self = rank.record().rank;
      EXPECT_THAT(rank.record().unrecorded_calls, testing::IsEmpty());
      const Kept sent = rank.of_kind(ActionKind::send).at(0);
      const Kept received = rank.of_kind(ActionKind::receive).at(0);
      EXPECT_EQ(sent.action.communicator, 2U) << "the third communicator each rank knows";
      EXPECT_EQ(sent.action.peer, self);
      EXPECT_EQ(received.action.peer, self) << "what the wildcard got";
      EXPECT_EQ(rank.of_kind(ActionKind::barrier).at(0).action.communicator, 2U);
      const Kept merge = rank.of_kind(ActionKind::intercomm_merge).at(0);
      const trace::Communicator& all = rank.run.communicators.at(merge.action.new_communicator);
      merged.insert(all.identity);
      // The parents come first.
      const bool parents = place.filename() == "trace";
      EXPECT_EQ(all.members, parents ? (std::vector<trace::Rank>{0, 1, foreign_rank, foreign_rank})
                                     : (std::vector<trace::Rank>{foreign_rank, foreign_rank, 0, 1}));
      const Kept around = rank.of_kind(ActionKind::exchange_replace).at(1);
      EXPECT_EQ(around.action.peer, (self + (parents ? 0 : 2) + 1) % 4);
      EXPECT_EQ(rank.of_kind(ActionKind::comm_disconnect).size(), 1U);
    }
    EXPECT_EQ(merged.size(), 1U);
  }
}

TEST(Processes, that_meet_by_ports_and_sockets_share_a_communicator_of_one_identity) {
  const TemporaryDirectory directory;
  const Job meeting = job("meets", 4, "join");
  const Outcome plain = run_plain(meeting);
  const Outcome traced = run_traced(meeting, directory / "trace");
  EXPECT_EQ(plain.status, 0) << plain.errors;
  EXPECT_EQ(traced.status, 0) << traced.errors;
  EXPECT_EQ(traced.output, plain.output);
  EXPECT_THAT(traced.output, testing::HasSubstr("rank 3: 21 0"));
  std::set<std::uint64_t> by_port;
  std::set<std::uint64_t> by_socket;
  for (const RecordedRank& rank : read_recording(directory / "trace")) {
    const bool accepts = rank.record().rank % 2 == 0;
    const auto met = rank.of_kind(accepts ? ActionKind::comm_accept : ActionKind::comm_connect);
    ASSERT_EQ(met.size(), 1U);
    const trace::Communicator& halves = rank.run.communicators.at(met[0].action.new_communicator);
    EXPECT_EQ(halves.members, accepts ? (std::vector<trace::Rank>{0, 2}) : (std::vector<trace::Rank>{1, 3}));
    EXPECT_EQ(halves.remote_members, accepts ? (std::vector<trace::Rank>{1, 3}) : (std::vector<trace::Rank>{0, 2}));
    by_port.insert(halves.identity);
    for (const Kept& join : rank.of_kind(ActionKind::comm_join))
      by_socket.insert(rank.run.communicators.at(join.action.new_communicator).identity);
    EXPECT_EQ(rank.of_kind(ActionKind::comm_join).size(), rank.record().rank < 2 ? 1U : 0U);
  }
  EXPECT_EQ(by_port.size(), 1U);
  EXPECT_EQ(by_socket.size(), 1U);
}

} // namespace

} // namespace timeless::test
