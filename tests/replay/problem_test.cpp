// Traces that cannot be replayed to their end, and traces that contradict themselves.
#include "machines.h"
#include "random_program.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace timeless::replay::test::problem_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::Action;
using trace::ActionKind;
using trace::MemorySource;
using trace::RequestId;

constexpr RequestId zero[] = {0};

Result run(const MemorySource& program, CollectiveModel collectives = CollectiveModel::mpich) {
  const Network machine = flat_machine(500, {{.latency = 1}});
  ReplayOptions options;
  options.collectives = collectives;
  return replay(program, machine, options);
}

Diagnosis diagnosis_of(const MemorySource& program, CollectiveModel collectives = CollectiveModel::mpich) {
  try {
    run(program, collectives);
  } catch (const ReplayProblem& problem) {
    EXPECT_EQ(problem.failure(), Failure::invalid_input);
    return problem.diagnosis();
  }
  ADD_FAILURE() << "the replay found no problem";
  return {};
}

/// Returns the error's description and place in one text.
std::string error_of(const MemorySource& program, CollectiveModel collectives = CollectiveModel::mpich) {
  try {
    run(program, collectives);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    return error.description() + " (" + error.where() + ")";
  }
  return "no error";
}

TEST(ReplayProblem, receives_that_wait_for_each_other_are_a_deadlock_with_its_circle) {
  MemorySource program(3);
  for (Rank rank = 0; rank < 3; ++rank) {
    program.compute(rank, 1);
    program.add(rank, {.kind = ActionKind::receive, .peer = (rank + 1) % 3, .tag = 4});
    program.add(rank, {.kind = ActionKind::send, .peer = (rank + 2) % 3, .tag = 4});
  }
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program);
  ASSERT_EQ(diagnosis.blocked.size(), 3U);
  EXPECT_EQ(diagnosis.blocked[0].rank, 0);
  EXPECT_EQ(diagnosis.blocked[0].action, 1U);
  EXPECT_EQ(diagnosis.blocked[0].call, "Recv");
  EXPECT_EQ(diagnosis.blocked[0].peer, 1);
  EXPECT_EQ(diagnosis.blocked[0].tag, 4);
  EXPECT_THAT(diagnosis.cycle, ElementsAre(0, 1, 2));
  EXPECT_THAT(text(diagnosis), HasSubstr("they wait in a circle: 0 -> 1 -> 2 -> 0"));
  EXPECT_THAT(text(diagnosis),
              HasSubstr("rank 0, action 1: Recv waits for a message from rank 1, tag 4, communicator 0"));
}

TEST(ReplayProblem, a_receive_without_a_send_names_what_it_waits_for_and_what_lies_unmatched) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 1});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 2, .bytes = 10});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 2, .bytes = 20});
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program);
  ASSERT_EQ(diagnosis.blocked.size(), 1U);
  EXPECT_THAT(diagnosis.cycle, IsEmpty());
  ASSERT_EQ(diagnosis.leftovers.size(), 1U);
  EXPECT_EQ(diagnosis.leftovers[0].source, 1);
  EXPECT_EQ(diagnosis.leftovers[0].destination, 0);
  EXPECT_EQ(diagnosis.leftovers[0].tag, 2);
  EXPECT_EQ(diagnosis.leftovers[0].count, 2U);
  EXPECT_EQ(diagnosis.leftovers[0].bytes, 30U);
}

TEST(ReplayProblem, messages_left_over_at_the_end_are_a_problem) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 10});
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program);
  EXPECT_THAT(diagnosis.blocked, IsEmpty());
  ASSERT_EQ(diagnosis.leftovers.size(), 1U);
  EXPECT_THAT(text(diagnosis), HasSubstr("1 message from rank 0 to rank 1, tag 0, communicator 0, 10 bytes in all"));
}

/// Of four ranks, 1 waits for a message of 3, which ends without having come to the allreduce.
MemorySource collective_some_never_reach() {
  MemorySource program(4);
  for (const Rank rank : {0, 2})
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8});
  program.add(1, {.kind = ActionKind::receive, .peer = 3});
  program.add(1, {.kind = ActionKind::allreduce, .bytes = 8});
  program.finalize();
  return program;
}

TEST(ReplayProblem, a_collective_that_some_never_reach_names_them) {
  const Diagnosis diagnosis = diagnosis_of(collective_some_never_reach());
  ASSERT_EQ(diagnosis.blocked.size(), 3U);
  EXPECT_EQ(diagnosis.blocked[0].collective, "Allreduce");
  EXPECT_THAT(diagnosis.blocked[0].missing, ElementsAre(1, 3));
  EXPECT_THAT(diagnosis.cycle, IsEmpty());
}

TEST(ReplayProblem, a_collective_that_many_never_reach_names_some_and_counts_all) {
  MemorySource program(200);
  for (Rank rank = 0; rank < 200; ++rank)
    if (rank % 3 != 0) program.add(rank, {.kind = ActionKind::barrier});
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program);
  ASSERT_EQ(diagnosis.blocked.size(), 133U);
  for (const BlockedRank& blocked : diagnosis.blocked) {
    EXPECT_EQ(blocked.missing_count, 67U);
    EXPECT_THAT(blocked.missing, ElementsAre(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45));
  }
  EXPECT_THAT(error_of(program),
              HasSubstr("waits for ranks 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, "
                        "... (67 in all) to reach Barrier"));
}

MemorySource circle_through_a_collective() {
  MemorySource program(3);
  program.add(0, {.kind = ActionKind::barrier});
  program.add(0, {.kind = ActionKind::send, .peer = 2});
  program.add(1, {.kind = ActionKind::barrier});
  program.add(2, {.kind = ActionKind::receive, .peer = 0});
  program.add(2, {.kind = ActionKind::barrier});
  program.finalize();
  return program;
}

TEST(ReplayProblem, a_circle_through_a_collective_is_found) {
  EXPECT_THAT(diagnosis_of(circle_through_a_collective()).cycle, ElementsAre(0, 2));
}

TEST(ReplayProblem, waits_for_nonblocking_collectives_are_named_after_the_collective) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::allreduce, .bytes = 8, .request = 0});
  program.add(0, {.kind = ActionKind::wait, .requests = zero});
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program);
  ASSERT_EQ(diagnosis.blocked.size(), 1U);
  EXPECT_EQ(diagnosis.blocked[0].call, "Wait");
  EXPECT_EQ(diagnosis.blocked[0].collective, "Iallreduce");
  EXPECT_THAT(diagnosis.blocked[0].missing, ElementsAre(1));
}

TEST(ReplayProblem, members_in_different_collectives_are_named_both) {
  MemorySource program(2);
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::barrier});
  program.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  program.add(1, {.kind = ActionKind::allreduce, .bytes = 8});
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program);
  ASSERT_EQ(diagnosis.mismatches.size(), 1U);
  EXPECT_EQ(diagnosis.mismatches[0].ordinal, 1U);
  EXPECT_EQ(diagnosis.mismatches[0].first_rank, 0);
  EXPECT_EQ(diagnosis.mismatches[0].first_call, "Bcast with root 0");
  EXPECT_EQ(diagnosis.mismatches[0].second_rank, 1);
  EXPECT_EQ(diagnosis.mismatches[0].second_call, "Allreduce");
  EXPECT_EQ(diagnosis.mismatches[0].second_action, 1U);
}

TEST(ReplayProblem, different_roots_and_blocking_with_nonblocking_do_not_meet) {
  for (const Action& other : {Action{.kind = ActionKind::broadcast, .peer = 1, .bytes = 8},
                              Action{.kind = ActionKind::broadcast, .peer = 0, .bytes = 8, .request = 0}}) {
    MemorySource program(2);
    program.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
    program.add(1, other);
    program.finalize();
    EXPECT_EQ(diagnosis_of(program).mismatches.size(), 1U);
  }
}

TEST(ReplayProblem, a_recording_cut_short_is_mentioned_beside_what_it_does_not_explain) {
  MemorySource program(3);
  program.add(0, {.kind = ActionKind::receive, .peer = 2});
  program.add(2, {.kind = ActionKind::receive, .peer = 0});
  program.finalize();
  program.description().find(1)->ending = trace::Ending::stopped;
  program.description().find(1)->ending_reason = "disk full";
  EXPECT_THAT(text(diagnosis_of(program)), HasSubstr("the recording of rank 1 is cut short: disk full"));
}

TEST(ReplayProblem, the_text_stays_readable_however_many_ranks_stand) {
  MemorySource program(500);
  for (Rank rank = 0; rank < 500; ++rank)
    program.add(rank, {.kind = ActionKind::receive, .peer = (rank + 1) % 500});
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program);
  EXPECT_EQ(diagnosis.blocked.size(), 500U);
  EXPECT_EQ(diagnosis.cycle.size(), 500U);
  const std::string words = text(diagnosis);
  EXPECT_THAT(words, HasSubstr("and 492 more like these"));
  EXPECT_LT(std::ranges::count(words, '\n'), 20);
  EXPECT_LT(words.size(), 2000U);
}

// ---- collectives carried out step by step

constexpr CollectiveModel schedule = CollectiveModel::schedule;

TEST(ScheduleProblem, a_collective_that_some_never_reach_names_them) {
  const Diagnosis diagnosis = diagnosis_of(collective_some_never_reach(), schedule);
  ASSERT_EQ(diagnosis.blocked.size(), 3U);
  EXPECT_EQ(diagnosis.blocked[0].collective, "Allreduce");
  EXPECT_THAT(diagnosis.blocked[0].missing, ElementsAre(1, 3));
  EXPECT_EQ(diagnosis.blocked[1].peer, 3);
  EXPECT_THAT(diagnosis.cycle, IsEmpty());
}

TEST(ScheduleProblem, a_circle_through_a_collective_is_found) {
  EXPECT_THAT(diagnosis_of(circle_through_a_collective(), schedule).cycle, ElementsAre(0, 2));
}

TEST(ScheduleProblem, waits_for_nonblocking_collectives_are_named_after_the_collective) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::allreduce, .bytes = 8, .request = 0});
  program.add(0, {.kind = ActionKind::wait, .requests = zero});
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program, schedule);
  ASSERT_EQ(diagnosis.blocked.size(), 1U);
  EXPECT_EQ(diagnosis.blocked[0].call, "Wait");
  EXPECT_EQ(diagnosis.blocked[0].collective, "Iallreduce");
  EXPECT_THAT(diagnosis.blocked[0].missing, ElementsAre(1));
}

TEST(ScheduleProblem, a_broadcast_whose_root_is_long_gone_names_those_that_never_came) {
  MemorySource program(3);
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program, schedule);
  ASSERT_EQ(diagnosis.blocked.size(), 1U);
  EXPECT_EQ(diagnosis.blocked[0].collective, "Bcast with root 0");
  EXPECT_THAT(diagnosis.blocked[0].missing, ElementsAre(2));
}

TEST(ScheduleProblem, members_that_choose_different_algorithms_are_named_with_their_sizes) {
  MemorySource program(8);
  for (Rank rank = 0; rank < 8; ++rank)
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = rank == 5 ? 20000U : 100U});
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program, schedule);
  ASSERT_EQ(diagnosis.mismatches.size(), 1U);
  EXPECT_EQ(diagnosis.mismatches[0].second_rank, 5);
  EXPECT_EQ(diagnosis.mismatches[0].first_call, "Bcast with root 0 of 100 bytes");
  EXPECT_EQ(diagnosis.mismatches[0].second_call, "Bcast with root 0 of 20000 bytes");
}

TEST(ScheduleProblem, a_part_that_the_receiver_does_not_expect_is_named) {
  // Rank 0 sends rank 1 bytes of which that knows nothing.
  MemorySource program(2);
  constexpr Bytes none[] = {0, 0};
  constexpr Bytes some[] = {0, 7};
  program.add(0, {.kind = ActionKind::alltoallv, .counts = some, .receive_counts = none});
  program.add(1, {.kind = ActionKind::alltoallv, .counts = none, .receive_counts = none});
  program.finalize();
  EXPECT_THAT(error_of(program, schedule),
              testing::AllOf(HasSubstr("disagree on the sizes in Alltoallv"), HasSubstr("rank ")));
}

TEST(ScheduleProblem, a_part_that_nobody_sends_is_waited_for) {
  MemorySource program(2);
  constexpr Bytes none[] = {0, 0};
  constexpr Bytes some[] = {7, 0};
  program.add(0, {.kind = ActionKind::alltoallv, .counts = none, .receive_counts = none});
  program.add(1, {.kind = ActionKind::alltoallv, .counts = none, .receive_counts = some});
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program, schedule);
  ASSERT_EQ(diagnosis.blocked.size(), 1U);
  EXPECT_THAT(text(diagnosis),
              HasSubstr("rank 1, action 0: Alltoallv waits for a message from rank 0 within Alltoallv"));
}

TEST(ScheduleProblem, between_groups_two_roots_do_not_meet) {
  for (const CollectiveModel model : {CollectiveModel::mpich, schedule}) {
    MemorySource program(4);
    program.add_communicator({0, 1}, {2, 3});
    for (const Rank rank : {0, 1})
      program.add(rank,
                  {.kind = ActionKind::broadcast, .communicator = 1, .peer = trace::root_of_remote_group, .bytes = 8});
    for (const Rank rank : {2, 3})
      program.add(rank, {.kind = ActionKind::broadcast, .communicator = 1, .peer = 0, .bytes = 8});
    program.finalize();
    EXPECT_EQ(diagnosis_of(program, model).mismatches.size(), 1U);
  }
}

TEST(ScheduleProblem, only_the_neighbour_that_does_not_come_is_named) {
  // A ring of 4, of which 2 never calls: 1 and 3 wait for it, 0 does not.
  MemorySource program(4);
  for (const Rank rank : {0, 1, 3}) {
    const Rank ranks[] = {(rank + 3) % 4, (rank + 1) % 4, (rank + 3) % 4, (rank + 1) % 4};
    program.add(rank, {.kind = ActionKind::neighbor_alltoall, .tag = 3, .bytes = 8, .ranks = ranks});
  }
  program.finalize();
  const Diagnosis diagnosis = diagnosis_of(program);
  ASSERT_EQ(diagnosis.blocked.size(), 2U);
  EXPECT_EQ(diagnosis.blocked[0].rank, 1);
  EXPECT_THAT(diagnosis.blocked[0].missing, ElementsAre(2));
  EXPECT_EQ(diagnosis.blocked[1].rank, 3);
}

// ---- contradictions

/// Returns a program of two ranks where rank 1 does this after one computation.
std::string error_of_action(const Action& action) {
  MemorySource program(2);
  program.compute(1, 1);
  program.add(1, action);
  program.finalize();
  return error_of(program);
}

TEST(Contradiction, is_named_with_rank_and_action) {
  const auto check = [](const Action& action, const char* what) {
    EXPECT_THAT(error_of_action(action), testing::AllOf(HasSubstr(what), HasSubstr("(rank 1, action 1)")));
  };
  check({.kind = ActionKind::send, .peer = 2}, "destination 2 is no rank of communicator 0");
  check({.kind = ActionKind::send, .peer = trace::any_rank}, "destination -2");
  check({.kind = ActionKind::receive, .peer = -7}, "source -7");
  check({.kind = ActionKind::receive, .peer = trace::any_rank}, "source of a message is unknown");
  check({.kind = ActionKind::probe, .peer = 1000000}, "source 1000000");
  check({.kind = ActionKind::exchange, .peer = 0, .receive_peer = 9}, "source 9");
  check({.kind = ActionKind::barrier, .communicator = 5}, "no communicator 5");
  check({.kind = ActionKind::barrier, .communicator = trace::no_communicator}, "no communicator");
  check({.kind = ActionKind::broadcast, .peer = 2}, "root 2");
  check({.kind = ActionKind::broadcast, .peer = trace::no_rank}, "root -1");
  check({.kind = ActionKind::wait, .requests = zero}, "completion of request 0, which is not active");
  check({.kind = ActionKind::cancelled, .request = 4000000000U}, "request 4000000000 is cancelled, but not active");
  check({.kind = ActionKind::resolved, .peer = 0, .request = 0}, "request 0 gets a source");
  check({.kind = static_cast<ActionKind>(199)}, "no known kind");
  check({.kind = ActionKind::comm_create_group, .new_communicator = 77}, "no communicator 77");
  constexpr Rank beyond[] = {0, 2};
  check({.kind = ActionKind::neighbor_allgather, .tag = 1, .ranks = beyond}, "the neighbour 2 is no rank");
  check({.kind = ActionKind::neighbor_allgather, .tag = 4, .ranks = beyond}, "counts 3 neighbours");
  constexpr Bytes three[] = {1, 2, 3};
  check({.kind = ActionKind::alltoallv, .counts = three}, "3 counts for 2 members");
}

TEST(Contradiction, of_unknown_kernels_is_named) {
  MemorySource program(1);
  program.compute(0, 1, 12);
  program.finalize();
  EXPECT_THAT(error_of(program), HasSubstr("no kernel 12"));
}

TEST(Contradiction, of_requests_used_again_too_early_is_named) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .request = 0});
  program.add(0, {.kind = ActionKind::send, .peer = 1, .request = 0});
  program.finalize();
  EXPECT_THAT(error_of(program), HasSubstr("request 0 is used again before it has completed (rank 0, action 1)"));
}

TEST(Contradiction, of_requests_completed_twice_at_once_is_named) {
  MemorySource program(1);
  constexpr RequestId twice[] = {0, 0};
  program.add(0, {.kind = ActionKind::send, .peer = 0, .request = 0});
  program.add(0, {.kind = ActionKind::wait_all, .requests = twice});
  program.finalize();
  EXPECT_THAT(error_of(program), HasSubstr("request 0 is completed twice at once"));
}

TEST(Contradiction, of_waiting_for_an_unresolved_wildcard_is_named) {
  MemorySource program(1);
  program.add(0, {.kind = ActionKind::receive, .peer = trace::any_rank, .request = 0});
  program.add(0, {.kind = ActionKind::wait, .requests = zero});
  program.finalize();
  EXPECT_THAT(error_of(program), HasSubstr("a receive whose source is unknown (rank 0, action 1)"));
}

TEST(Contradiction, of_freeing_or_cancelling_collectives_is_named) {
  for (const ActionKind kind : {ActionKind::request_free, ActionKind::cancelled}) {
    MemorySource program(1);
    program.add(0, {.kind = ActionKind::barrier, .request = 0});
    program.add(0, {.kind = kind, .request = 0});
    program.finalize();
    EXPECT_THAT(error_of(program), HasSubstr("a collective's"));
  }
}

TEST(Contradiction, of_actions_after_finalize_is_named) {
  for (const std::size_t per_block : {1U, 100U}) {
    MemorySource program(1, per_block);
    program.finalize();
    program.compute(0, 1);
    EXPECT_THAT(error_of(program), HasSubstr("an action after MPI_Finalize (rank 0, action 1)"));
  }
}

TEST(Contradiction, of_speaking_on_a_communicator_of_others_is_named) {
  MemorySource program(2);
  program.add_communicator({0});
  program.add(1, {.kind = ActionKind::barrier, .communicator = 1});
  program.finalize();
  EXPECT_THAT(error_of(program), HasSubstr("this rank is no member of communicator 1 (rank 1, action 0)"));
}

TEST(Contradiction, of_communicators_with_impossible_members_is_named) {
  MemorySource outside(2);
  outside.add_communicator({0, 5});
  outside.finalize();
  EXPECT_THAT(error_of(outside), HasSubstr("communicator 1"));
  MemorySource twice(2);
  twice.add_communicator({1, 1});
  twice.finalize();
  EXPECT_THAT(error_of(twice), HasSubstr("a member twice: 1"));
}

TEST(Contradiction, of_missing_ranks_is_named_without_cost) {
  MemorySource program(4);
  program.finalize();
  auto& ranks = program.description().ranks;
  ranks.erase(ranks.begin() + 1, ranks.begin() + 3);
  EXPECT_THAT(error_of(program), HasSubstr("2 of 4 ranks are missing: 1, 2"));
  program.description().size = 2000000000;
  EXPECT_THAT(error_of(program), HasSubstr("are missing: 1, 2, 4, 5, 6"));
  program.description().size = 0;
  EXPECT_THAT(error_of(program), HasSubstr("no ranks"));
  program.description().size = 2;
  EXPECT_THAT(error_of(program), testing::AnyOf(HasSubstr("missing"), HasSubstr("holds rank 3")));
}

// ---- anything at all

/// Random programs with random actions changed, dropped or repeated: they end, well or with an error, and never
/// otherwise.
TEST(HostileTrace, any_change_ends_in_a_result_or_an_error) {
  std::size_t errors = 0;
  std::size_t problems = 0;
  std::size_t results = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](std::uint64_t limit) { return random() % limit; };
    const auto odd = [&]() -> std::uint32_t {
      constexpr std::uint32_t values[] = {0, 1, 2, 3, 5, 100, 70000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
      return values[draw(std::size(values))];
    };
    const MemorySource good = random_program(seed);
    MemorySource bad(good.run().size, 16);
    bad.description().communicators = good.run().communicators;
    for (Rank rank = 0; rank < good.run().size; ++rank) {
      const auto stream = good.open(rank);
      for (trace::ActionBlock block; stream->next(block);)
        trace::for_each_action(block, [&](const Action& whole, std::uint64_t volume) {
          Action action = whole;
          const auto what = draw(400);
          if (what == 0) return;
          if (what == 1) action.peer = static_cast<Rank>(odd());
          if (what == 2) action.tag = static_cast<trace::Tag>(odd());
          if (what == 3) action.communicator = odd();
          if (what == 4) action.request = odd();
          if (what == 5) action.bytes = std::uint64_t{odd()} << draw(40);
          if (what == 6) action.kind = static_cast<ActionKind>(draw(256));
          if (what == 7) action.requests = {};
          if (what == 8) action.receive_peer = static_cast<Rank>(odd());
          if (what == 9) action.element_bytes = odd();
          if (what == 12) action.receive_bytes = odd();
          if (what == 13) std::swap(action.counts, action.receive_counts);
          if (what == 14) action.ranks = {};
          if (what == 15) action.flags = static_cast<std::uint16_t>(draw(32));
          if (action.kind == ActionKind::compute)
            bad.compute(rank, volume, what == 10 ? odd() : 0);
          else
            bad.add(rank, action);
          if (what == 11 && action.kind != ActionKind::compute) bad.add(rank, action);
        });
    }
    try {
      run(bad, seed % 2 == 0 ? CollectiveModel::mpich : CollectiveModel::schedule);
      ++results;
    } catch (const ReplayProblem& problem) {
      EXPECT_FALSE(text(problem.diagnosis()).empty());
      ++problems;
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
      EXPECT_THAT(error.where(), HasSubstr("rank ")) << error.description();
      ++errors;
    }
  }
  EXPECT_GT(errors, 100U);
  EXPECT_GT(problems, 100U);
  EXPECT_GT(results, 100U);
}

} // namespace
} // namespace timeless::replay::test::problem_test
