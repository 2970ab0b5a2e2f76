#include "recorded.h"

#include "gather/merge/files_source.h"
#include "trace/check/check.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

/// Threads that wait for each other: the trace says which actions came after which, and no more than that.
namespace timeless::test {

namespace {

using trace::ActionKind;

/// For each message of `waits`, the messages that its thread knows to have been sent before.
class Order {
public:
  explicit Order(const RecordedRank& rank) {
    trace::Rank thread = 0;
    std::map<trace::Rank, std::set<int>> known; ///< by thread
    std::map<trace::Rank, std::set<int>> told;  ///< by point
    for (const auto& [action, requests, counts, receive_counts, ranks] : rank.actions) {
      if (action.kind == ActionKind::thread) thread = action.peer;
      if (action.kind == ActionKind::thread_signal)
        told[action.peer].insert(known[thread].begin(), known[thread].end());
      if (action.kind == ActionKind::thread_await)
        known[thread].insert(told[action.peer].begin(), told[action.peer].end());
      if (action.kind != ActionKind::send) continue;
      before_[action.tag] = known[thread];
      known[thread].insert(action.tag);
    }
  }
  bool after(int later, int earlier) const { return before_.at(later).contains(earlier); }
  bool beside(int one, int other) const { return !after(one, other) && !after(other, one); }

private:
  std::map<int, std::set<int>> before_;
};

Order order_of(const std::string& way) {
  const Recording recording = record_beside_plain({.ranks = 1, .program = "waits", .arguments = way});
  EXPECT_EQ(recording.traced.output, recording.plain.output);
  EXPECT_EQ(recording.traced.status, 0) << recording.traced.errors;
  return Order(recording.trace.at(0));
}

TEST(ThreadsThatWait, for_their_creator_and_in_join_are_ordered_by_it) {
  const Order order = order_of("join");
  EXPECT_TRUE(order.after(1, 0));
  EXPECT_TRUE(order.after(2, 0));
  EXPECT_TRUE(order.beside(1, 2));
  EXPECT_TRUE(order.after(101, 1));
  EXPECT_TRUE(order.beside(101, 2));
  EXPECT_TRUE(order.after(102, 2));
}

TEST(ThreadsThatWait, at_a_barrier_come_after_all_that_came_to_it) {
  const Order order = order_of("barrier");
  for (const int round : {0, 10, 20}) {
    EXPECT_TRUE(order.beside(round + 1, round + 2)) << round;
    if (round == 0) continue;
    EXPECT_TRUE(order.after(round + 1, round - 8)) << round;
    EXPECT_TRUE(order.after(round + 2, round - 9)) << round;
  }
}

TEST(ThreadsThatWait, for_a_condition_come_after_who_signals_it) {
  const Order order = order_of("condition");
  EXPECT_TRUE(order.beside(1, 2));
  EXPECT_TRUE(order.after(3, 1));
}

TEST(ThreadsThatWait, for_a_semaphore_come_after_who_posts_it) {
  const Order order = order_of("semaphore");
  EXPECT_TRUE(order.after(3, 1));
}

TEST(ThreadsThatWait, for_posts_of_a_handler_of_signals_go_on_with_those_counted) {
  const Recording recording = record_beside_plain({.ranks = 1, .program = "handler_posts", .arguments = "5000 100"});
  EXPECT_EQ(recording.plain.status, 0) << recording.plain.errors;
  ASSERT_EQ(recording.traced.status, 0) << recording.traced.errors;
  EXPECT_EQ(recording.traced.output, recording.plain.output);
  const RecordedRank& rank = recording.trace.at(0);
  EXPECT_GE(rank.record().unrecorded_calls.at("sem_post"), 5000U);
  EXPECT_FALSE(rank.of_kind(ActionKind::thread_signal).empty());
}

#ifndef TIMELESS_SANITIZED // the sanitizers have functions of their own in the place of OpenMP's
TEST(ThreadsThatWait, in_teams_of_openmp_begin_meet_and_end_together) {
  const Order order = order_of("openmp");
  for (const int region : {0, 100, 200}) {
    EXPECT_TRUE(order.after(region + 2, region + 50)) << region;
    EXPECT_TRUE(order.beside(region + 1, region + 2)) << region;
    EXPECT_TRUE(order.after(region + 60, region + 12)) << region;
    // That threads of teams call MPI is learnt in the first region.
    if (region == 0) continue;
    EXPECT_TRUE(order.after(region + 11, region + 2)) << region;
    EXPECT_TRUE(order.after(region + 12, region + 1)) << region;
    EXPECT_TRUE(order.beside(region + 11, region + 12)) << region;
  }
}
#endif

TEST(ThreadsThatWait, have_times_that_follow_each_other) {
  for (const std::string way : {"join", "barrier", "serialized"}) {
    const TemporaryDirectory directory;
    const Outcome outcome = run_traced({.ranks = 1,
                                        .program = "waits",
                                        .arguments = way,
                                        .environment = "TIMELESS_TIMESTAMPS=1 TIMELESS_COUNTER=cputime"},
                                       directory / "trace");
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const trace::CheckReport report = trace::check(*gather::open_run(directory / "trace"));
    EXPECT_EQ(report.inconsistent, 0U) << way << ": " << report.findings.front().words;
  }
}

TEST(ThreadsThatWait, to_call_mpi_one_after_the_other_are_in_that_order) {
  const Order order = order_of("serialized");
  for (const int round : {0, 10, 20})
    EXPECT_FALSE(order.beside(round + 1, round + 2)) << round;
  EXPECT_TRUE(order.after(102, 21));
  EXPECT_TRUE(order.after(102, 22));
}

} // namespace

} // namespace timeless::test
