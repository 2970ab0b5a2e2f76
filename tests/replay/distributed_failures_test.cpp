// What ends a replay that several participants share is one message, the same as in one process where it is the trace's
// fault, and all of them come to an end.
#include "machines.h"
#include "random_program.h"
#include "replay/distributed/served_platform.h"
#include "replay/replay.h"
#include "shuffled_bus.h"
#include "tests/trace/contradictory_outcomes.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace timeless::replay::test::distributed_failures_test {
namespace {

using testing::HasSubstr;
using trace::ActionKind;
using trace::MemorySource;

template <typename Replay>
std::string problem_of(Replay&& replay_it) {
  try {
    replay_it();
  } catch (const Error& error) {
    return std::to_string(static_cast<int>(error.failure())) + ": " + error.description() + " (" + error.where() +
           "): " + error.advice();
  } catch (const std::bad_alloc&) {
    return "1: not enough memory";
  } catch (const std::exception& error) {
    return std::string("1: ") + error.what();
  }
  return "no problem";
}

/// The same problem, in one process and in any number of them, whatever arrives when.
std::string problem_in_all(const trace::Source& source, const ReplayOptions& options = {}) {
  auto machine = fractional_machine(source.run().size, {0, 1});
  const std::string alone = problem_of([&] { replay(source, machine, options); });
  for (const int processes : {1, 2, 3, 7})
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      EXPECT_EQ(problem_of([&] { replay_distributed(source, machine, options, processes, seed); }), alone)
          << processes << " processes, seed " << seed;
  return alone;
}

TEST(DistributedFailure, a_circle_of_ranks_in_several_processes_is_told_as_in_one) {
  MemorySource program(4);
  for (trace::Rank rank = 0; rank < 4; ++rank) {
    program.compute(rank, 10);
    program.add(rank, {.kind = ActionKind::receive, .peer = (rank + 1) % 4, .tag = 3, .bytes = 8});
    program.add(rank, {.kind = ActionKind::send, .peer = (rank + 3) % 4, .tag = 3, .bytes = 8});
  }
  program.finalize();
  const std::string problem = problem_in_all(program);
  EXPECT_THAT(problem, HasSubstr("4 ranks cannot go on: a deadlock"));
  EXPECT_THAT(problem, HasSubstr("they wait in a circle: 0 -> 1 -> 2 -> 3 -> 0"));
}

TEST(DistributedFailure, members_of_other_processes_that_never_reach_a_collective_are_named) {
  MemorySource program(5);
  for (trace::Rank rank = 0; rank < 5; ++rank)
    if (rank != 1 && rank != 4) program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
  program.finalize();
  EXPECT_THAT(problem_in_all(program), HasSubstr("waits for ranks 1, 4 to reach Allreduce on communicator 0"));
}

TEST(DistributedFailure, messages_that_another_process_never_receives_are_left_over) {
  MemorySource program(3);
  program.add(0, {.kind = ActionKind::send, .peer = 2, .tag = 5, .bytes = 100});
  program.add(1, {.kind = ActionKind::send, .peer = 2, .tag = 5, .bytes = 200});
  program.add(2, {.kind = ActionKind::receive, .peer = 1, .tag = 5, .bytes = 200});
  program.finalize();
  EXPECT_THAT(problem_in_all(program),
              HasSubstr("1 message from rank 0 to rank 2, tag 5, communicator 0, 100 bytes in all: never received"));
}

TEST(DistributedFailure, members_of_two_processes_that_call_different_collectives_are_held_against_each_other) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::barrier});
  program.add(1, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  program.finalize();
  EXPECT_THAT(problem_in_all(program), HasSubstr("rank 0 calls Barrier (action 0), rank 1 calls Bcast with root 0"));
}

TEST(DistributedFailure, members_of_two_processes_that_know_different_roots_are_held_against_each_other) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  program.add(1, {.kind = ActionKind::broadcast, .peer = 1, .bytes = 8});
  program.finalize();
  EXPECT_THAT(problem_in_all(program), HasSubstr("rank 0 calls Bcast with root 0"));
}

TEST(DistributedFailure, a_partner_that_does_not_exist_is_named_with_rank_and_action_of_another_process) {
  MemorySource program(3);
  program.compute(2, 10);
  program.add(2, {.kind = ActionKind::send, .peer = 9, .bytes = 8});
  program.finalize();
  EXPECT_THAT(problem_in_all(program), HasSubstr("rank 2, action 1"));
}

/// Random programs of which one rank's recording breaks off: others wait for what it did not do any more.
TEST(DistributedFailure, what_one_process_cancels_or_resolves_without_reason_ends_all_with_rank_and_action) {
  for (const trace::test::ContradictoryOutcome& wrong : trace::test::contradictory_outcomes())
    for (const Bytes eager_limit : {no_eager_limit, Bytes{0}}) {
      SCOPED_TRACE(wrong.name);
      ReplayOptions options;
      options.eager_limit = eager_limit;
      EXPECT_THAT(problem_in_all(wrong.program, options), HasSubstr("(" + place(wrong) + ")"));
    }
}

TEST(DistributedFailure, what_is_said_of_random_programs_that_break_off_does_not_depend_on_processes) {
  int broken = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const MemorySource whole = random_program(seed, {.most_ranks = 6, .most_events = 30});
    struct Cut : trace::Source {
      const MemorySource& whole;
      trace::Rank rank;
      Cut(const MemorySource& source, trace::Rank cut) : whole(source), rank(cut) {}
      const trace::Run& run() const override { return whole.run(); }
      std::unique_ptr<trace::RankStream> open(trace::Rank opened) const override {
        struct Empty : trace::RankStream {
          bool next(trace::ActionBlock&) override { return false; }
        };
        if (opened == rank) return std::make_unique<Empty>();
        return whole.open(opened);
      }
    };
    const Cut program(whole, static_cast<trace::Rank>(seed % static_cast<std::uint64_t>(whole.run().size)));
    IntegerMachine machine(whole.run().size, seed, {seed, seed + 1});
    ReplayOptions options;
    if (seed % 3 == 0) options.collectives = CollectiveModel::schedule;
    if (seed % 4 == 0) options.eager_limit = 64;
    const std::string alone = problem_of([&] { replay(program, machine, options); });
    broken += alone != "no problem" ? 1 : 0;
    for (const int processes : {2, 3, 6})
      ASSERT_EQ(problem_of([&] { replay_distributed(program, machine, options, processes, seed); }), alone)
          << "seed " << seed << ", processes " << processes;
  }
  EXPECT_GT(broken, 100);
}

// ---- what goes wrong in one process

/// A source some of whose ranks cannot be read, or not to their end.
class Failing : public trace::Source {
public:
  Failing(const MemorySource& whole, trace::Rank rank, int good_blocks, std::function<void()> fail)
      : whole_(whole), rank_(rank), good_blocks_(good_blocks), fail_(std::move(fail)) {}

  const trace::Run& run() const override { return whole_.run(); }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override {
    auto stream = whole_.open(rank);
    if (rank != rank_) return stream;
    if (good_blocks_ < 0) fail_();
    return std::make_unique<Stream>(*this, std::move(stream));
  }

private:
  struct Stream : trace::RankStream {
    Stream(const Failing& all, std::unique_ptr<trace::RankStream> of) : source(all), stream(std::move(of)) {}
    bool next(trace::ActionBlock& block) override {
      if (read++ == source.good_blocks_) source.fail_();
      return stream->next(block);
    }
    const Failing& source;
    std::unique_ptr<trace::RankStream> stream;
    int read = 0;
  };

  const MemorySource& whole_;
  trace::Rank rank_;
  int good_blocks_; ///< -1: it cannot even be opened
  std::function<void()> fail_;
};

/// Returns a ring around which messages go, in blocks of 16 actions.
MemorySource ring() {
  constexpr trace::Rank ranks = 6;
  MemorySource program(ranks, 16);
  for (int round = 0; round < 50; ++round)
    for (trace::Rank rank = 0; rank < ranks; ++rank) {
      program.compute(rank, 100);
      program.add(rank, {.kind = ActionKind::send, .peer = (rank + 1) % ranks, .bytes = 64});
      program.add(rank, {.kind = ActionKind::receive, .peer = (rank + ranks - 1) % ranks, .bytes = 64});
      if (round % 10 == 0) program.add(rank, {.kind = ActionKind::barrier});
    }
  program.finalize();
  return program;
}

void expect_failure_from_any_rank(const std::function<void()>& fail, const std::string& words) {
  const MemorySource program = ring();
  auto machine = fractional_machine(program.run().size, {0, 1});
  for (const trace::Rank rank : {0, 2, 5})
    for (const int good_blocks : {-1, 0, 1, 5})
      for (const int processes : {1, 2, 3, 6, 9})
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
          const Failing failing(program, rank, good_blocks, fail);
          EXPECT_THAT(problem_of([&] { replay_distributed(failing, machine, {}, processes, seed); }), HasSubstr(words))
              << "rank " << rank << ", " << good_blocks << " blocks, " << processes << " processes, seed " << seed;
        }
}

TEST(DistributedFailure, a_damaged_block_that_one_process_reads_ends_all_with_its_error) {
  expect_failure_from_any_rank([] { throw Error(Failure::invalid_input, "a block is damaged", "run.tia: block 7"); },
                               "3: a block is damaged (run.tia: block 7)");
}

TEST(DistributedFailure, a_process_without_memory_ends_all) {
  expect_failure_from_any_rank([] { throw std::bad_alloc(); }, "1: not enough memory");
}

TEST(DistributedFailure, a_defect_in_one_process_ends_all) {
  expect_failure_from_any_rank([] { throw std::logic_error("this cannot be"); }, "1: this cannot be");
}

TEST(DistributedFailure, of_two_processes_that_fail_one_is_heard_and_all_end) {
  const MemorySource program = ring();
  auto machine = fractional_machine(program.run().size, {0});
  const auto fail = [] { throw Error(Failure::invalid_input, "a block is damaged"); };
  const Failing first(program, 1, 1, fail);
  struct Both : trace::Source {
    const Failing& one;
    const MemorySource& whole;
    Both(const Failing& failing, const MemorySource& source) : one(failing), whole(source) {}
    const trace::Run& run() const override { return one.run(); }
    std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override {
      if (rank == 4) throw Error(Failure::invalid_input, "a block is damaged");
      return one.open(rank);
    }
  };
  const Both both(first, program);
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    EXPECT_THAT(problem_of([&] { replay_distributed(both, machine, {}, 6, seed); }), HasSubstr("a block is damaged"));
}

// ---- platforms that another program reads

TEST(ServedPlatform, a_program_that_is_not_there_is_an_error) {
  EXPECT_THAT(problem_of([] {
                ServedPlatform platform({"/nowhere/platform-server", "graphene.xml"});
              }),
              HasSubstr("cannot start what reads platform files"));
}

TEST(ServedPlatform, a_program_that_ends_without_an_answer_is_an_error) {
  EXPECT_THAT(problem_of([] { ServedPlatform platform({"/bin/true"}); }),
              HasSubstr("what reads platform files has ended"));
}

TEST(ServedPlatform, a_program_that_says_too_little_is_an_error) {
  EXPECT_THAT(problem_of([] {
                ServedPlatform platform({"/bin/echo", "1234567"});
              }),
              HasSubstr("what reads platform files has ended"));
}

} // namespace
} // namespace timeless::replay::test::distributed_failures_test
