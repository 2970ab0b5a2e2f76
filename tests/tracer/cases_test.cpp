#include "recorded.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

/// Single situations, each recorded under a real mpirun.
namespace timeless::test {

namespace {

using trace::ActionKind;

TracedRun record_case(const std::string& name, int ranks, const std::string& environment = "") {
  return record_traced({.ranks = ranks, .program = "cases", .arguments = name, .environment = environment});
}

TEST(Wildcards, wait_in_their_block_for_their_source) {
  const TracedRun recording = record_case("late_wildcards", 3);
  EXPECT_EQ(recording.outcome.output, "message 0 from 1\nmessage 1 from 2\nmessage 2 from 1\n");
  const auto receives = recording.ranks.at(0).of_kind(ActionKind::receive);
  ASSERT_EQ(receives.size(), 3U);
  EXPECT_EQ(receives[0].action.peer, 1);
  EXPECT_EQ(receives[1].action.peer, 2);
  EXPECT_EQ(receives[2].action.peer, 1);
  EXPECT_TRUE(recording.ranks.at(0).of_kind(ActionKind::resolved).empty());
}

TEST(Wildcards, wait_through_several_blocks) {
  const TracedRun recording = record_case("late_wildcards", 3, "TIMELESS_BUFFER_SIZE=32");
  const auto receives = recording.ranks.at(0).of_kind(ActionKind::receive);
  ASSERT_EQ(receives.size(), 3U);
  EXPECT_EQ(receives[1].action.peer, 2);
  EXPECT_TRUE(recording.ranks.at(0).of_kind(ActionKind::resolved).empty());
  EXPECT_EQ(recording.ranks.at(0).actions.size(), 3U + 200U + 1U + 1U);
}

TEST(Wildcards, are_resolved_before_their_completion_when_their_block_had_to_be_written) {
  // 600 actions are 37 blocks of 16, more than may wait.
  const TracedRun recording = record_case("very_late_wildcards", 3, "TIMELESS_BUFFER_SIZE=16");
  const RecordedRank& rank = recording.ranks.at(0);
  const auto receives = rank.of_kind(ActionKind::receive);
  ASSERT_EQ(receives.size(), 3U);
  const auto resolved = rank.of_kind(ActionKind::resolved);
  ASSERT_EQ(resolved.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(receives[i].action.peer, trace::any_rank);
    EXPECT_EQ(resolved[i].action.request, receives[i].action.request);
    EXPECT_EQ(resolved[i].action.peer, i == 1 ? 2 : 1);
    EXPECT_EQ(resolved[i].action.tag, static_cast<int>(10 + i));
    EXPECT_EQ(resolved[i].action.bytes, 4U);
  }
  const auto all = kinds(rank);
  const auto first_resolved = std::ranges::find(all, ActionKind::resolved);
  EXPECT_EQ(*(first_resolved + 3), ActionKind::wait_all);
}

TEST(Requests, with_equal_handles_keep_their_own_numbers) {
  const TracedRun recording = record_case("equal_handles", 2);
  EXPECT_EQ(recording.outcome.output, "equal handles\n");
  for (const RecordedRank& rank : recording.ranks) {
    const auto sends = rank.of_kind(ActionKind::send);
    ASSERT_EQ(sends.size(), 6U);
    std::set<trace::RequestId> sent;
    for (const Kept& kept : sends)
      EXPECT_TRUE(sent.insert(kept.action.request).second);
    std::set<trace::RequestId> completed;
    for (const Kept& kept : rank.actions)
      for (const trace::RequestId request : kept.requests)
        EXPECT_TRUE(completed.insert(request).second) << kept;
    EXPECT_EQ(completed.size(), 12U);
    EXPECT_EQ(*completed.rbegin(), 11U) << "numbers are dense";
  }
}

TEST(Receives, hold_the_bytes_they_got) {
  // Also where that is learnt two blocks later.
  for (const char* const buffer : {"", "TIMELESS_BUFFER_SIZE=16"})
    for (const RecordedRank& rank : record_case("short_messages", 2, buffer).ranks) {
      EXPECT_EQ(rank.of_kind(ActionKind::receive).at(0).action.bytes, 7U) << buffer;
      EXPECT_EQ(rank.actions.size(), 1U + 40U + 1U + 1U + 1U) << buffer;
    }
}

TEST(Reductions, know_user_operations_and_those_that_do_not_commute) {
  for (const RecordedRank& rank : record_case("operations", 2).ranks) {
    const auto allreduces = rank.of_kind(ActionKind::allreduce);
    ASSERT_EQ(allreduces.size(), 2U);
    EXPECT_EQ(allreduces[0].action.flags, 0);
    EXPECT_EQ(allreduces[1].action.flags, trace::flag_user_operation | trace::flag_noncommutative);
    EXPECT_EQ(rank.of_kind(ActionKind::reduce).at(0).action.flags, trace::flag_user_operation);
  }
}

using Groups = std::pair<std::vector<trace::Rank>, std::vector<trace::Rank>>;

TEST(Communicators, have_one_identity_for_all_members_and_no_other) {
  const TracedRun recording = record_case("membership", 6);
  ASSERT_EQ(recording.ranks.size(), 6U) << recording.outcome.errors;
  std::map<std::uint64_t, Groups> groups;
  std::map<std::uint64_t, std::set<trace::Rank>> holders;
  for (const RecordedRank& rank : recording.ranks) {
    std::set<std::uint64_t> own;
    for (const trace::Communicator& communicator : rank.run.communicators) {
      EXPECT_TRUE(own.insert(communicator.identity).second) << "two communicators, one identity";
      Groups here{communicator.members, communicator.remote_members};
      if (!here.second.empty() && here.second < here.first) std::swap(here.first, here.second);
      const auto [known, added] = groups.emplace(communicator.identity, here);
      if (!added) {
        EXPECT_EQ(known->second, here);
      }
      EXPECT_THAT(communicator.members, testing::Contains(rank.record().rank));
      holders[communicator.identity].insert(rank.record().rank);
    }
  }
  for (const auto& [identity, members] : groups) {
    std::set<trace::Rank> all(members.first.begin(), members.first.end());
    all.insert(members.second.begin(), members.second.end());
    EXPECT_EQ(holders[identity], all);
  }
  // world; self of each; dup, dup of dup, idup, merged, late dup; 2 halves; 4 pairs; one of three; 2 of the group;
  // 2 intercommunicators and a dup of one
  EXPECT_EQ(groups.size(), 1U + 6U + 5U + 2U + 4U + 1U + 2U + 3U);
}

TEST(Communicators, list_their_members_in_their_own_order) {
  const TracedRun recording = record_case("membership", 6);
  const RecordedRank& rank = recording.ranks.at(4);
  const auto splits = rank.of_kind(ActionKind::comm_split);
  ASSERT_GE(splits.size(), 1U);
  EXPECT_THAT(rank.run.communicators.at(splits[0].action.new_communicator).members, testing::ElementsAre(4, 2, 0));
  const auto groups = rank.of_kind(ActionKind::comm_create_group);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(rank.run.communicators.at(groups[0].action.new_communicator).members, testing::ElementsAre(4, 0, 2));
  EXPECT_EQ(recording.ranks.at(5).of_kind(ActionKind::comm_split).at(2).action.new_communicator,
            trace::no_communicator);
  const auto merges = rank.of_kind(ActionKind::intercomm_merge);
  EXPECT_EQ(rank.run.communicators.at(merges.at(0).action.communicator).remote_members.size(), 3U);
}

TEST(Pcontrol, leaves_out_what_is_switched_off_but_not_the_completion_of_what_was_recorded) {
  const TracedRun recording = record_case("switched", 2);
  EXPECT_THAT(kinds(recording.ranks.at(0)),
              testing::ElementsAre(ActionKind::broadcast, ActionKind::receive, ActionKind::send, ActionKind::wait_all,
                                   ActionKind::allreduce, ActionKind::finalize));
}

TEST(Pcontrol, starts_a_recording_that_waits_for_it) {
  const TracedRun recording = record_case("switched", 2, "TIMELESS_START=pcontrol");
  EXPECT_THAT(kinds(recording.ranks.at(0)), testing::ElementsAre(ActionKind::allreduce, ActionKind::finalize));
}

TEST(Threads, record_every_message_of_every_thread) {
  const TracedRun recording = record_case("threads", 2);
  EXPECT_EQ(recording.outcome.status, 0) << recording.outcome.errors;
  for (const RecordedRank& rank : recording.ranks) {
    std::map<trace::Tag, int> sent;
    std::map<trace::Tag, int> received;
    for (const Kept& kept : rank.actions) {
      if (kept.action.kind == ActionKind::send) ++sent[kept.action.tag];
      if (kept.action.kind == ActionKind::receive) ++received[kept.action.tag];
    }
    EXPECT_EQ(sent, (std::map<trace::Tag, int>{{0, 200}, {1, 200}, {2, 200}, {3, 200}}));
    EXPECT_EQ(received, sent);
    EXPECT_EQ(rank.of_kind(ActionKind::wait).size(), 800U);
  }
}

TEST(Blocks, follow_each_other_without_loss) {
  const TracedRun recording = record_case("chatter", 2, "TIMELESS_BUFFER_SIZE=16");
  EXPECT_EQ(recording.outcome.output, "chattered\n");
  const auto broadcasts = recording.ranks.at(1).of_kind(ActionKind::broadcast);
  ASSERT_EQ(broadcasts.size(), 1000U);
  for (std::size_t i = 0; i < broadcasts.size(); ++i)
    EXPECT_EQ(broadcasts[i].action.peer, static_cast<trace::Rank>(i % 2));
}

TEST(Computation, is_measured_between_calls_with_a_counter) {
  const TracedRun recording = record_case("chatter", 2, "TIMELESS_COUNTER=cputime");
  EXPECT_EQ(recording.ranks.at(0).run.counter.unit, trace::VolumeUnit::nanoseconds);
  EXPECT_FALSE(recording.ranks.at(0).volumes.empty());
  EXPECT_FALSE(recording.ranks.at(0).run.kernels.empty());
  for (const trace::Kernel& kernel : recording.ranks.at(0).run.kernels) {
    EXPECT_LT(kernel.begin.module, recording.ranks.at(0).run.modules.size());
    EXPECT_GT(kernel.begin.offset, 0U);
  }
  EXPECT_THAT(recording.ranks.at(0).run.modules,
              testing::Contains(testing::Field(&trace::Module::path, testing::EndsWith("/cases"))));
}

} // namespace

} // namespace timeless::test
