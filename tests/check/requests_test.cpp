#include "checked_program.h"
#include "tests/trace/contradictory_outcomes.h"

#include <algorithm>

namespace timeless::trace::test {
namespace {

using ::testing::HasSubstr;

TEST(CheckRequests, a_request_never_completed_is_found) {
  Program program(2);
  program.isend(0, 1, 3);
  program.receive(1, 0);
  program.finalize();
  const Finding finding = only_finding(program);
  EXPECT_EQ(finding.rank, 0);
  EXPECT_THAT(finding.words, HasSubstr("finalizes with 1 request under way, the first from Isend (its action 0)"));
}

TEST(CheckRequests, a_request_freed_counts_as_ended) {
  Program program(2);
  program.isend(0, 1, 3);
  program.add(0, {.kind = ActionKind::request_free, .request = 3});
  program.receive(1, 0);
  program.finalize();
  expect_clean(program);
}

TEST(CheckRequests, a_persistent_request_may_be_freed_before_it_starts_or_once_it_is_complete) {
  Program program(2);
  program.add(0, {.kind = ActionKind::request_free, .request = 5});
  program.isend(0, 1, 3);
  program.wait(0, {3});
  program.add(0, {.kind = ActionKind::request_free, .request = 3});
  program.receive(1, 0);
  program.finalize();
  expect_clean(program);
}

TEST(CheckRequests, what_is_cancelled_must_be_under_way) {
  Program program(1);
  program.add(0, {.kind = ActionKind::cancelled, .request = 5});
  program.finalize();
  EXPECT_THAT(only_finding(program).words, HasSubstr("cancels request 5, which is not under way"));
}

TEST(CheckRequests, all_outcomes_that_others_refuse_are_found) {
  for (const ContradictoryOutcome& wrong : contradictory_outcomes()) {
    const auto findings = check(wrong.program).findings;
    EXPECT_TRUE(std::ranges::any_of(findings, [&](const Finding& finding) {
      return finding.severity == Severity::inconsistent && finding.rank == 1 && finding.action == wrong.action &&
             finding.words.find("request 0") != std::string::npos;
    })) << wrong.name;
  }
}

/// Returns a receive from anybody of another world that learns its source, so many times.
Program receive_from_another_world(int times) {
  Program program(1);
  const CommunicatorId between = program.add_communicator({0}, {foreign_rank});
  program.add(0, {.kind = ActionKind::receive, .communicator = between, .peer = any_rank, .request = 0});
  for (int i = 0; i < times; ++i)
    program.add(0, {.kind = ActionKind::resolved, .communicator = between, .peer = 0, .request = 0});
  program.wait(0, {0});
  program.finalize();
  return program;
}

TEST(CheckRequests, a_receive_from_another_world_is_resolved_once_like_others) {
  expect_clean(receive_from_another_world(1));
  EXPECT_THAT(only_finding(receive_from_another_world(2)).words,
              HasSubstr("resolves request 0, which is no receive with a wildcard"));
}

TEST(CheckRequests, a_collective_can_be_neither_freed_nor_cancelled) {
  for (const auto& [kind, words] :
       {std::pair{ActionKind::request_free, "frees request 3, which is under way for Ibarrier"},
        std::pair{ActionKind::cancelled, "cancels request 3, which is under way for Ibarrier"}}) {
    Program program(1);
    program.add(0, {.kind = ActionKind::barrier, .request = 3});
    program.add(0, {.kind = kind, .request = 3});
    if (kind == ActionKind::cancelled) program.wait(0, {3});
    program.finalize();
    EXPECT_THAT(only_finding(program).words, HasSubstr(words));
  }
}

TEST(CheckRequests, transfers_cannot_be_cancelled) {
  for (const ActionKind kind : {ActionKind::get, ActionKind::file_read, ActionKind::file_read_all}) {
    Program program(1);
    program.add(0, {.kind = kind, .request = 3});
    program.add(0, {.kind = ActionKind::cancelled, .request = 3});
    const auto findings = check(program).findings;
    EXPECT_TRUE(std::ranges::any_of(findings, [](const Finding& finding) {
      return finding.action == 1 && finding.words.find("cancels request 3, which is under way for") == 0;
    })) << name(kind);
  }
}

TEST(CheckRequests, a_request_completed_twice_is_found) {
  Program program(2);
  program.isend(0, 1, 3);
  program.wait(0, {3});
  program.wait(0, {3});
  program.receive(1, 0);
  program.finalize();
  EXPECT_EQ(only_finding(program).action, 2U);
}

TEST(CheckRequests, a_request_used_again_before_it_completed_is_found) {
  Program program(2);
  program.isend(0, 1, 3);
  program.isend(0, 1, 3);
  program.wait(0, {3});
  program.receive(1, 0);
  program.receive(1, 0);
  program.finalize();
  EXPECT_THAT(check(program).findings.front().words,
              HasSubstr("takes request 3, which Isend (its action 0) still has"));
}

TEST(CheckRequests, a_persistent_request_keeps_its_number_through_its_starts) {
  Program program(2);
  for (int start = 0; start < 3; ++start) {
    program.add(0, {.kind = ActionKind::send, .flags = flag_persistent, .peer = 1, .bytes = 8, .request = 0});
    program.wait(0, {0});
    program.receive(1, 0);
  }
  program.finalize();
  expect_clean(program);
}

} // namespace
} // namespace timeless::trace::test
