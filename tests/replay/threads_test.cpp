#include "machines.h"
#include "random_program.h"
#include "thread_marks.h"

#include "base/error.h"
#include "replay/replay.h"
#include "replay/result/observer.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

/// Ranks several of whose threads call MPI.
namespace timeless::replay::test::threads_test {
namespace {

using testing::HasSubstr;
using trace::Action;
using trace::ActionKind;
using trace::MemorySource;

constexpr trace::RequestId zero[] = {0};

Result run(const trace::Source& program, const FlatCosts& costs = {.latency = 0, .byte_time = 0},
           const ReplayOptions& options = {}) {
  const Network machine = flat_machine(program.run().size, {costs});
  return replay(program, machine, options);
}

Action synchronous_send(Rank to, trace::Tag tag) {
  return {.kind = ActionKind::send, .mode = trace::SendMode::synchronous, .peer = to, .tag = tag, .bytes = 4};
}
Action receive(Rank from, trace::Tag tag) {
  return {.kind = ActionKind::receive, .peer = from, .tag = tag, .bytes = 4};
}

TEST(Threads, messages_between_namesakes_pass_in_any_recorded_order) {
  MemorySource program(2, 7);
  for (int message = 0; message < 100; ++message)
    for (const Rank thread : {0, 1}) {
      turn_to(program, 0, thread);
      program.add(0, synchronous_send(1, thread));
      turn_to(program, 1, 1 - thread);
      program.add(1, receive(0, 1 - thread));
    }
  program.finalize();
  EXPECT_EQ(run(program, {.latency = 1}).lanes[0].ranks.size(), 2U);
}

TEST(Threads, messages_whose_order_is_not_known_are_counted) {
  for (const bool ordered : {false, true}) {
    MemorySource program(2, 5);
    for (int message = 0; message < 10; ++message) {
      program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 4});
      turn_to(program, 1, message % 2);
      if (ordered) await(program, 1, 0);
      program.add(1, receive(0, 0));
      if (ordered) signal(program, 1, 0);
    }
    program.finalize();
    const Result result = run(program);
    ASSERT_EQ(result.not_modelled.size(), ordered ? 0U : 1U);
    if (ordered) continue;
    EXPECT_EQ(result.not_modelled[0].calls, 9U);
    EXPECT_EQ(result.not_modelled[0].ranks, 1U);
    EXPECT_THAT(result.not_modelled[0].what, HasSubstr("in the order recorded"));
  }
}

TEST(Threads, one_sends_to_another_of_its_rank) {
  for (const bool send_first : {true, false}) {
    MemorySource program(1);
    for (const bool send : {send_first, !send_first}) {
      turn_to(program, 0, send ? 0 : 1);
      program.add(0, send ? synchronous_send(0, 0) : receive(0, 0));
    }
    program.finalize();
    EXPECT_EQ(run(program, {.latency = 1}).lanes[0].makespan, 3) << "two latencies to agree, one to arrive";
  }
}

TEST(Threads, one_stands_in_a_block_before_the_first_of_another) {
  for (const std::size_t actions_per_block : {1U, 2U, 3U}) {
    MemorySource program(1, actions_per_block);
    program.compute(0, 5);
    program.add(0, receive(0, 0));
    program.compute(0, 5);
    turn_to(program, 0, 1);
    program.compute(0, 20);
    program.add(0, synchronous_send(0, 0));
    program.finalize();
    EXPECT_EQ(run(program, {.latency = 1}).lanes[0].makespan, 28) << actions_per_block;
  }
}

TEST(Threads, collectives_of_two_communicators_may_be_recorded_in_any_order) {
  MemorySource program(2);
  const auto other = program.add_communicator({0, 1});
  for (const Rank rank : {0, 1})
    for (const Rank thread : {rank, 1 - rank}) {
      turn_to(program, rank, thread);
      program.compute(rank, thread == 0 ? 10 : 30);
      for (int times = 0; times < 3; ++times)
        program.add(rank, {.kind = ActionKind::barrier, .communicator = thread == 0 ? 0 : other});
    }
  program.finalize();
  const Result result = run(program, {.latency = 1});
  EXPECT_EQ(result.lanes[0].makespan, 33);
  ASSERT_EQ(result.lanes[0].threads.size(), 4U);
  EXPECT_EQ(result.lanes[0].threads[0].times.end, 13);
}

TEST(Threads, bursts_are_beside_each_other_and_the_rank_has_computed_as_long_as_the_longest) {
  MemorySource program(1);
  signal(program, 0, 0); // creates
  for (const Rank thread : {1, 2, 3}) {
    turn_to(program, 0, thread);
    await(program, 0, 0);
    program.compute(0, 100 * static_cast<std::uint64_t>(thread));
    signal(program, 0, thread);
  }
  turn_to(program, 0, 0);
  program.compute(0, 50);
  for (const Rank thread : {1, 2, 3})
    await(program, 0, thread); // joins
  program.compute(0, 7);
  program.finalize();
  const Result result = run(program);
  EXPECT_EQ(result.lanes[0].ranks[0].end, 307);
  EXPECT_EQ(result.lanes[0].ranks[0].compute, 307);
  EXPECT_EQ(result.lanes[0].ranks[0].wait, 0);
  EXPECT_EQ(result.lanes[0].threads[0].times.compute, 57);
  EXPECT_EQ(result.lanes[0].threads[0].times.wait, 250);
  EXPECT_THAT(result.not_modelled, testing::IsEmpty());
}

TEST(Threads, that_follow_one_another_add_up) {
  MemorySource program(1, 3);
  for (const Rank thread : {1, 2, 3}) {
    signal(program, 0, 0);
    turn_to(program, 0, thread);
    await(program, 0, 0);
    program.compute(0, 100);
    signal(program, 0, 1);
    turn_to(program, 0, 0);
    await(program, 0, 1);
  }
  program.finalize();
  const Result result = run(program);
  EXPECT_EQ(result.lanes[0].ranks[0].end, 300);
  EXPECT_EQ(result.lanes[0].ranks[0].compute, 300);
}

TEST(Threads, what_another_has_begun_is_completed_after_its_beginning) {
  MemorySource program(2);
  turn_to(program, 0, 1);
  program.compute(0, 100);
  Action started = receive(1, 0);
  started.request = 0;
  program.add(0, started);
  turn_to(program, 0, 0);
  program.add(0, {.kind = ActionKind::wait, .requests = zero});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 4});
  program.finalize();
  const Result result = run(program, {.latency = 1});
  EXPECT_EQ(result.lanes[0].threads[0].times.end, 100);
  EXPECT_EQ(result.lanes[0].threads[0].times.wait + result.lanes[0].threads[0].times.latency, 100);
}

TEST(Threads, a_probe_and_its_receive_may_be_of_two_threads) {
  MemorySource program(2);
  turn_to(program, 0, 1);
  program.add(0, {.kind = ActionKind::probe, .peer = 1, .bytes = 4});
  turn_to(program, 0, 2);
  program.add(0, receive(1, 0));
  turn_to(program, 0, 1);
  program.add(0, receive(1, 0));
  program.compute(1, 10);
  program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 4});
  program.compute(1, 10);
  program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 4});
  program.finalize();
  const Result result = run(program, {.latency = 1});
  EXPECT_EQ(result.lanes[0].threads[1].times.end, 21);
  EXPECT_EQ(result.lanes[0].threads[2].times.end, 11);
}

TEST(Threads, compute_when_there_is_a_core_for_them) {
  MemorySource program(2);
  for (const Rank rank : {0, 1})
    for (const Rank thread : {0, 1, 2, 3}) {
      turn_to(program, rank, thread);
      program.compute(rank, 100);
    }
  program.finalize();
  for (const auto& [cores, end] :
       std::map<std::uint32_t, double>{{0, 100}, {1, 400}, {2, 200}, {3, 200}, {4, 100}, {9, 100}}) {
    ReplayOptions options;
    options.cores_per_rank = cores;
    const Result result = run(program, {}, options);
    for (const RankTimes& rank : result.lanes[0].ranks) {
      EXPECT_EQ(rank.end, end) << cores;
      EXPECT_EQ(rank.compute, end) << "whoever waits takes the time of the thread on the core";
    }
  }
}

/// Threads 1 to 3 of rank 0 ask for its core in the order 2, 3, 1, whatever the recorded one.
MemorySource askers(std::size_t actions_per_block) {
  MemorySource program(3, actions_per_block);
  turn_to(program, 0, 1);
  program.add(0, receive(1, 0));
  program.compute(0, 100);
  turn_to(program, 0, 3);
  program.add(0, receive(2, 0));
  program.compute(0, 20);
  turn_to(program, 0, 2);
  program.compute(0, 10);
  program.compute(1, 5);
  program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 4});
  program.compute(2, 3);
  program.add(2, {.kind = ActionKind::send, .peer = 0, .bytes = 4});
  program.finalize();
  return program;
}

TEST(Threads, have_cores_in_the_order_in_which_they_ask) {
  ReplayOptions options;
  options.cores_per_rank = 1;
  for (const std::size_t actions_per_block : {1U, 2U, 64U}) {
    const Result result = run(askers(actions_per_block), {}, options);
    std::map<Rank, double> ends;
    for (const ThreadTimes& thread : result.lanes[0].threads)
      ends[thread.thread] = thread.times.end;
    EXPECT_EQ(ends[2], 10) << actions_per_block;
    EXPECT_EQ(ends[3], 30);
    EXPECT_EQ(ends[1], 130);
    EXPECT_TRUE(result.order_matters);
  }
}

TEST(Threads, have_cores_in_each_configuration_as_if_it_were_alone) {
  MemorySource program(2, 16);
  for (int round = 0; round < 20; ++round)
    for (const Rank thread : {0, 1, 2}) {
      const auto tag = static_cast<trace::Tag>(thread);
      for (const Rank rank : {0, 1}) {
        turn_to(program, rank, thread);
        program.compute(rank, static_cast<std::uint64_t>(7 + (round * 5 + thread * 11 + rank * 3) % 23));
        if (rank == (round + thread) % 2)
          program.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .tag = tag, .bytes = 4});
      }
      program.add(1 - (round + thread) % 2, receive((round + thread) % 2, tag));
    }
  program.finalize();
  std::vector<FlatCosts> costs;
  for (int lane = 0; lane < 11; ++lane)
    costs.push_back({.latency = 3.0 * lane, .byte_time = 0.7 * lane, .compute_scale = 1 + 0.1 * (lane % 3)});
  for (const std::uint32_t threads : {1U, 3U}) {
    ReplayOptions options;
    options.cores_per_rank = 2;
    options.threads = threads;
    const Network machine = flat_machine(2, costs);
    const Result together = replay(program, machine, options);
    ASSERT_EQ(together.lanes.size(), costs.size());
    for (std::size_t lane = 0; lane < costs.size(); ++lane) {
      const Result alone = run(program, costs[lane], options);
      EXPECT_EQ(together.lanes[lane].makespan, alone.lanes[0].makespan) << lane;
      EXPECT_EQ(together.lanes[lane].ranks[0].wait, alone.lanes[0].ranks[0].wait) << lane;
    }
  }
}

/// Returns lanes that differ in how large a message may be to be sent eagerly.
Network limited_lanes(Rank ranks, const std::vector<Bytes>& limits) {
  return with_eager_limits(flat_machine(ranks, std::vector<FlatCosts>(limits.size(), {.latency = 1})), limits);
}

/// Returns two ranks that send to each other before they receive, and have a second thread that computes.
MemorySource head_to_head_beside_a_thread() {
  MemorySource program(2);
  for (const Rank rank : {0, 1}) {
    turn_to(program, rank, 1);
    program.compute(rank, 10);
    turn_to(program, rank, 0);
    program.compute(rank, 10);
    program.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 4});
    program.add(rank, receive(1 - rank, 0));
  }
  program.finalize();
  return program;
}

TEST(Threads, that_share_cores_end_in_the_configurations_that_have_no_deadlock) {
  const MemorySource program = head_to_head_beside_a_thread();
  for (const std::uint32_t cores : {0U, 1U})
    for (const std::uint32_t threads : {1U, 2U, 4U}) {
      ReplayOptions options;
      options.cores_per_rank = cores;
      options.threads = threads;
      options.attribute = AttributeBy::calls;
      const Network machine = limited_lanes(2, {0, no_eager_limit, 3, 4, 0});
      const Result result = replay(program, machine, options);
      EXPECT_EQ(result.actions, program.run().ranks[0].actions + program.run().ranks[1].actions);
      ASSERT_EQ(result.lanes.size(), 5U);
      for (const std::size_t lane : {0U, 2U, 4U}) {
        ASSERT_TRUE(result.lanes[lane].deadlock) << "cores " << cores << ", lane " << lane;
        EXPECT_THAT(text(*result.lanes[lane].deadlock),
                    HasSubstr("Send waits for rank 1 to receive its message of 4 bytes"));
        EXPECT_EQ(result.lanes[lane].makespan, std::numeric_limits<double>::infinity());
      }
      EXPECT_EQ(result.lanes[0].deadlock, result.lanes[4].deadlock) << "one reason, told once";
      for (const std::size_t lane : {1U, 3U}) {
        ASSERT_FALSE(result.lanes[lane].deadlock);
        EXPECT_EQ(result.lanes[lane].makespan, cores == 1 ? 20 : 11);
        double computed = 0;
        for (const AttributedTimes& part : result.attribution.parts)
          computed += part.lanes[lane].compute;
        EXPECT_GT(computed, 0);
      }
    }
}

TEST(Threads, that_share_cores_and_end_in_no_configuration_are_named) {
  ReplayOptions options;
  options.cores_per_rank = 1;
  const Network machine = limited_lanes(2, {0, 3});
  try {
    replay(head_to_head_beside_a_thread(), machine, options);
    FAIL();
  } catch (const ReplayProblem& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("messages of more than 3 bytes wait here for their receives"));
  }
}

TEST(Threads, that_wait_in_vain_are_named) {
  MemorySource program(2);
  turn_to(program, 0, 5);
  program.add(0, receive(1, 0));
  signal(program, 0, 1);
  turn_to(program, 0, 0);
  await(program, 0, 1);
  program.finalize();
  try {
    run(program);
    FAIL();
  } catch (const ReplayProblem& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("rank 0, thread 5, action 1: Recv waits for a message from rank 1"));
    EXPECT_THAT(problem.what(), HasSubstr("rank 0, thread 0, action 4: thread_await waits for thread 5 of its rank"));
    EXPECT_THAT(problem.what(), HasSubstr("a rank cannot go on"));
  }
}

TEST(Threads, one_may_be_far_ahead_of_another) {
  constexpr int messages = 200000;
  MemorySource program(2, 1000);
  for (int message = 0; message < messages; ++message) {
    turn_to(program, 0, 0);
    program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 0, .bytes = 4});
    turn_to(program, 0, 1);
    program.add(0, receive(1, 1));
  }
  for (int message = 0; message < messages; ++message)
    program.add(1, receive(0, 0));
  for (int message = 0; message < messages; ++message)
    program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 1, .bytes = 4});
  program.finalize();
  EXPECT_EQ(run(program, {.latency = 1}).lanes[0].makespan, 2);
}

TEST(Threads, what_contradicts_itself_further_on_is_told_with_its_rank) {
  MemorySource program(1, 2);
  turn_to(program, 0, 1);
  program.add(0, receive(0, 0));
  turn_to(program, 0, 0);
  program.add(0, {.kind = ActionKind::finalize});
  turn_to(program, 0, 1);
  program.add(0, synchronous_send(0, 0));
  try {
    run(program);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    EXPECT_THAT(error.description(), HasSubstr("after MPI_Finalize"));
    EXPECT_THAT(error.where(), HasSubstr("rank 0"));
  }
}

TEST(Threads, marks_that_name_nothing_are_refused) {
  for (const ActionKind kind : {ActionKind::thread, ActionKind::thread_signal, ActionKind::thread_await}) {
    MemorySource program(1);
    program.add(0, {.kind = kind});
    program.finalize();
    EXPECT_THROW(run(program), Error);
  }
}

TEST(Threads, divisions_by_call_and_kernel_add_up_to_the_ranks) {
  for (const AttributeBy by : {AttributeBy::calls, AttributeBy::kernels})
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const MemorySource program = random_program(seed, {.most_ranks = 4, .most_events = 200, .most_threads = 3});
      IntegerMachine machine(program.run().size, seed, {seed, seed + 1});
      ReplayOptions options;
      options.attribute = by;
      const Result result = replay(program, machine, options);
      IntegerMachine again(program.run().size, seed, {seed, seed + 1});
      const Result without = replay(program, again);
      for (std::size_t lane = 0; lane < 2; ++lane) {
        std::map<Rank, RankTimes> sums;
        for (const AttributedTimes& part : result.attribution.parts)
          for (double RankTimes::*const counter : rank_counters) {
            ASSERT_GE(part.lanes[lane].*counter, 0) << "seed " << seed;
            sums[part.rank].*counter += part.lanes[lane].*counter;
          }
        for (Rank rank = 0; rank < program.run().size; ++rank)
          for (double RankTimes::*const counter : rank_counters) {
            ASSERT_EQ(sums[rank].*counter, result.lanes[lane].ranks[static_cast<std::size_t>(rank)].*counter)
                << "seed " << seed;
            ASSERT_EQ(sums[rank].*counter, without.lanes[lane].ranks[static_cast<std::size_t>(rank)].*counter)
                << "seed " << seed;
          }
      }
    }
}

/// Requires that the actions of a thread follow one another without gaps.
class Rows : public Observer {
public:
  std::size_t lane(std::span<const std::string>) override { return 0; }
  void begin(const trace::Run&) override { ends_.clear(); }
  void observe(const ObservedAction& action) override {
    double& end = ends_[{action.rank, action.thread}];
    EXPECT_EQ(action.start, end);
    EXPECT_GE(action.end, action.start);
    end = action.end;
  }
  const std::map<std::pair<Rank, Rank>, double>& ends() const { return ends_; }

private:
  std::map<std::pair<Rank, Rank>, double> ends_;
};

TEST(Threads, each_has_a_row_of_its_own) {
  for (std::uint64_t seed = 0; seed < 100 && !HasFailure(); ++seed) {
    const MemorySource program = random_program(seed, {.most_ranks = 4, .most_events = 200, .most_threads = 3});
    IntegerMachine machine(program.run().size, seed, {seed});
    Rows rows;
    ReplayOptions options;
    options.observer = &rows;
    const Result result = replay(program, machine, options);
    for (const ThreadTimes& thread : result.lanes[0].threads) {
      const auto found = rows.ends().find({thread.rank, thread.thread});
      EXPECT_EQ(found == rows.ends().end() ? 0 : found->second, thread.times.end);
    }
  }
}

TEST(Threads, the_critical_path_reaches_from_0_to_the_end) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const MemorySource program = random_program(seed, {.most_ranks = 4, .most_events = 200, .most_threads = 3});
    IntegerMachine machine(program.run().size, seed, {seed});
    ReplayOptions options;
    options.critical_path = true;
    const Result result = replay(program, machine, options);
    double end = 0;
    for (const PathSegment& segment : result.critical_path) {
      ASSERT_EQ(segment.begin, end) << "seed " << seed;
      end = segment.end;
    }
    ASSERT_EQ(end, result.lanes[0].makespan) << "seed " << seed;
  }
}

} // namespace
} // namespace timeless::replay::test::threads_test
