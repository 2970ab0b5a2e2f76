#include "recorded.h"

#include "gather/merge/files_source.h"
#include "trace/check/check.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>

/// Threads that are in MPI at once, under a real mpirun.
namespace timeless::test {

namespace {

using trace::ActionKind;

constexpr int rounds = 60;
constexpr int threads = 4;
constexpr int messages_a_round = 8;

class RecordedThreads : public testing::Test {
protected:
  static const Job job;

  void SetUp() override {
    outcome_ = run_traced(job, directory_ / "trace");
    ASSERT_EQ(outcome_.status, 0) << outcome_.errors;
    trace_ = read_recording(directory_ / "trace");
    ASSERT_EQ(trace_.size(), 2U);
  }

  const TemporaryDirectory directory_;
  Outcome outcome_;
  std::vector<RecordedRank> trace_;
};

const Job RecordedThreads::job{
    .ranks = 2, .program = "threads", .arguments = std::to_string(rounds), .environment = "TIMELESS_BUFFER_SIZE=512"};

TEST_F(RecordedThreads, leave_the_program_as_it_is) {
  const Outcome plain = run_plain(job);
  EXPECT_EQ(outcome_.output, plain.output);
  EXPECT_EQ(outcome_.status, plain.status);
}

TEST_F(RecordedThreads, lose_no_call) {
  for (const RecordedRank& rank : trace_) {
    std::size_t sends = 0;
    std::size_t completed = 0;
    for (const Kept& kept : rank.actions) {
      if (kept.action.kind == ActionKind::send) ++sends;
      completed += kept.requests.size();
    }
    const std::size_t exchanges = rounds * (threads + 1);
    EXPECT_EQ(sends, exchanges * messages_a_round + rounds + rounds * threads);
    EXPECT_EQ(completed, 2 * exchanges * messages_a_round + 2 * rounds + rounds * threads);
    EXPECT_EQ(rank.of_kind(ActionKind::allreduce).size(), static_cast<std::size_t>(rounds * threads));
    EXPECT_EQ(rank.of_kind(ActionKind::probe).size(), static_cast<std::size_t>(rounds * threads));
    EXPECT_EQ(rank.of_kind(ActionKind::comm_dup).size(), static_cast<std::size_t>(threads + rounds / 10 * threads));
    EXPECT_TRUE(rank.record().unrecorded_calls.empty());
  }
}

TEST_F(RecordedThreads, make_one_sequence_that_holds_together) {
  const trace::CheckReport report = trace::check(*gather::open_run(directory_ / "trace"));
  EXPECT_GT(report.messages, 0U);
  EXPECT_EQ(report.inconsistent + report.incomplete, 0U) << report.findings.front().words;
}

TEST_F(RecordedThreads, are_told_apart) {
  for (const RecordedRank& rank : trace_) {
    trace::Rank thread = 0;
    std::map<trace::Tag, std::set<trace::Rank>> senders;
    std::set<trace::Rank> all;
    for (const Kept& kept : rank.actions) {
      if (kept.action.kind == ActionKind::thread) thread = kept.action.peer;
      all.insert(thread);
      if (kept.action.kind == ActionKind::send && kept.action.tag < 100 * threads)
        senders[kept.action.tag / 100].insert(thread);
    }
    ASSERT_EQ(senders.size(), static_cast<std::size_t>(threads));
    std::set<trace::Rank> distinct;
    for (const auto& [tag, who] : senders) {
      EXPECT_EQ(who.size(), 1U) << "the sends of a thread have one number";
      distinct.insert(*who.begin());
    }
    EXPECT_EQ(distinct.size(), static_cast<std::size_t>(threads));
    EXPECT_FALSE(distinct.contains(0)) << "the first thread sends none of these";
    EXPECT_LE(all.size(), threads + 2U) << "threads that come and go use the same numbers again";
  }
}

TEST_F(RecordedThreads, start_every_request_before_they_complete_it) {
  for (const RecordedRank& rank : trace_) {
    std::set<trace::RequestId> active;
    for (const Kept& kept : rank.actions) {
      const bool fresh = !trace::nonblocking(kept.action) || active.insert(kept.action.request).second;
      EXPECT_TRUE(fresh) << kept;
      for (const trace::RequestId request : kept.requests)
        EXPECT_EQ(active.erase(request), 1U) << kept;
    }
    EXPECT_TRUE(active.empty());
  }
}

TEST(GeneralizedRequests, may_be_completed_by_one_thread_while_another_waits_for_them) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_traced({.ranks = 1, .program = "cases", .arguments = "generalized_of_threads"}, directory / "trace");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  std::vector<ActionKind> kinds;
  const auto trace = read_recording(directory / "trace");
  for (const Kept& kept : trace.at(0).actions)
    if (trace::family(kept.action.kind) != trace::ActionFamily::mark) kinds.push_back(kept.action.kind);
  EXPECT_THAT(kinds, testing::ElementsAre(ActionKind::grequest_start, ActionKind::grequest_complete, ActionKind::test,
                                          ActionKind::grequest_start, ActionKind::grequest_complete, ActionKind::wait,
                                          ActionKind::finalize));
}

} // namespace

} // namespace timeless::test
