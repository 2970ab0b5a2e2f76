// What a replay must know before it comes to it: what is cancelled later, and what receives will have received.
#include "base/error.h"
#include "machines.h"
#include "replay/engine/matching/lookahead.h"
#include "replay/replay.h"
#include "tests/trace/contradictory_outcomes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace timeless::replay::test::lookahead_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using trace::Action;
using trace::ActionKind;
using trace::MemorySource;
using trace::RequestId;

constexpr RequestId zero[] = {0};
constexpr Bytes limits[] = {0, no_eager_limit}; ///< on the rendezvous path and off it

/// A program that counts how often each rank's actions are read.
class CountedReads : public trace::Source {
public:
  explicit CountedReads(const MemorySource& program) : program_(program) {}
  const trace::Run& run() const override { return program_.run(); }
  std::unique_ptr<trace::RankStream> open(Rank rank) const override {
    ++reads_[rank];
    return program_.open(rank);
  }
  const std::map<Rank, int>& reads() const { return reads_; }

private:
  const MemorySource& program_;
  mutable std::map<Rank, int> reads_;
};

Result run(const trace::Source& program, Bytes eager_limit) {
  const Network machine = flat_machine(program.run().size, {{.latency = 1}});
  ReplayOptions options;
  options.eager_limit = eager_limit;
  return replay(program, machine, options);
}

/// Returns three ranks that send in a ring; rank 1 receives from anybody, and rank 2 cancels another receive.
MemorySource ring() {
  MemorySource program(3);
  for (const Rank rank : {0, 1, 2}) {
    const Rank from = (rank + 2) % 3;
    program.add(rank, {.kind = ActionKind::receive, .peer = rank == 1 ? trace::any_rank : from, .request = 0});
    program.add(rank, {.kind = ActionKind::send, .peer = (rank + 1) % 3});
    if (rank == 1) program.add(rank, {.kind = ActionKind::resolved, .peer = from, .request = 0});
    program.add(rank, {.kind = ActionKind::wait, .requests = zero});
  }
  program.add(2, {.kind = ActionKind::receive, .peer = 1, .request = 0});
  program.add(2, {.kind = ActionKind::cancelled, .request = 0});
  program.add(2, {.kind = ActionKind::wait, .requests = zero});
  program.finalize();
  return program;
}

TEST(Lookahead, reads_only_those_ranks_once_more_that_receive_from_anybody) {
  const MemorySource program = ring();
  const CountedReads counted(program);
  run(counted, no_eager_limit);
  EXPECT_THAT(counted.reads(), ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 1)));
}

TEST(Lookahead, looks_for_cancellations_where_senders_wait_for_receives) {
  const MemorySource program = ring();
  const CountedReads counted(program);
  run(counted, 0);
  // Rank 2, once it is seen to cancel, is read for what; rank 1 for its source.
  EXPECT_THAT(counted.reads(), ElementsAre(Pair(0, 2), Pair(1, 3), Pair(2, 3)));
}

TEST(Lookahead, knows_what_is_cancelled_and_what_is_received) {
  const MemorySource program = ring();
  Lookahead lookahead(program, {1, 3}, true); // so rank 1 is number 0
  EXPECT_TRUE(lookahead.cancelled(1, 3));
  EXPECT_FALSE(lookahead.cancelled(1, 0));
  EXPECT_FALSE(lookahead.cancelled(0, 0));
  ASSERT_NE(lookahead.resolution(0, 0), nullptr);
  EXPECT_EQ(lookahead.resolution(0, 0)->peer, 0);
  EXPECT_EQ(lookahead.resolution(0, 1), nullptr);
  EXPECT_EQ(lookahead.resolution(1, 3), nullptr) << "cancelled, not resolved";
}

TEST(Lookahead, of_a_request_completed_before_says_nothing_of_its_next_use) {
  MemorySource program(2);
  for (int i = 0; i < 2; ++i) {
    program.add(0, {.kind = ActionKind::receive, .peer = trace::any_rank, .request = 0});
    program.add(0, {.kind = ActionKind::resolved, .peer = 1, .bytes = 7, .request = 0});
    program.add(0, {.kind = ActionKind::wait, .requests = zero});
  }
  program.add(0, {.kind = ActionKind::receive, .peer = trace::any_rank, .request = 0});
  Lookahead lookahead(program, {0, 2}, false);
  EXPECT_NE(lookahead.resolution(0, 0), nullptr);
  EXPECT_NE(lookahead.resolution(0, 3), nullptr);
  EXPECT_EQ(lookahead.resolution(0, 6), nullptr);
}

TEST(Lookahead, of_outcomes_that_belong_to_nothing_refuses_the_trace_with_rank_and_action) {
  for (const trace::test::ContradictoryOutcome& wrong : trace::test::contradictory_outcomes())
    for (const Bytes eager_limit : limits) {
      SCOPED_TRACE(wrong.name + (eager_limit == 0 ? ", on the rendezvous path" : ""));
      try {
        run(wrong.program, eager_limit);
        ADD_FAILURE() << "it was replayed";
      } catch (const Error& error) {
        EXPECT_EQ(error.failure(), Failure::invalid_input);
        EXPECT_EQ(error.where(), place(wrong));
        EXPECT_THAT(error.description(), HasSubstr("request 0 "));
        EXPECT_THAT(error.advice(), HasSubstr("timeless check"));
      }
    }
}

TEST(Lookahead, of_requests_with_another_world_is_no_laxer) {
  MemorySource program(1);
  const auto between = program.add_communicator({0}, {trace::foreign_rank});
  program.add(0, {.kind = ActionKind::resolved, .communicator = between, .peer = 0, .request = 0});
  program.finalize();
  for (const Bytes eager_limit : limits)
    EXPECT_THROW(run(program, eager_limit), Error);
}

} // namespace
} // namespace timeless::replay::test::lookahead_test
