#include "checked_program.h"

namespace timeless::trace::test {
namespace {

using ::testing::HasSubstr;

TEST(CheckEnds, a_rank_without_finalize_is_found) {
  Program program(2);
  program.compute(0, 1);
  program.description().ranks[0].ending = Ending::finalized;
  program.description().ranks[1].ending = Ending::finalized;
  program.add(1, {.kind = ActionKind::finalize});
  const Finding finding = only_finding(program);
  EXPECT_EQ(finding.rank, 0);
  EXPECT_THAT(finding.words, HasSubstr("ends without MPI_Finalize"));
}

TEST(CheckEnds, an_action_after_finalize_is_found) {
  Program program(1);
  program.finalize();
  program.add(0, {.kind = ActionKind::barrier});
  EXPECT_THAT(only_finding(program).words, HasSubstr("after MPI_Finalize"));
}

TEST(CheckEnds, a_rank_cut_short_makes_the_run_incomplete_not_inconsistent) {
  Program program(3);
  const CommunicatorId pair = program.add_communicator({0, 2});
  for (int round = 0; round < 3; ++round) {
    program.send(0, 1, 8);
    program.receive(2, 1, 8, 4);
    program.all({.kind = ActionKind::barrier}, pair);
    for (Rank rank = 0; rank < 3; ++rank)
      if (rank != 1 || round == 0) program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8});
  }
  program.receive(1, 0, 8);
  program.irecv(1, 0, 0, 8);
  for (const Rank rank : {0, 2}) {
    program.add(rank, {.kind = ActionKind::finalize});
    program.description().find(rank)->ending = Ending::finalized;
  }
  program.description().find(1)->ending = Ending::stopped;
  program.description().find(1)->ending_reason = "disk full";
  const Finding finding = only_finding(program, Severity::incomplete);
  EXPECT_EQ(finding.rank, 1);
  EXPECT_THAT(finding.words, HasSubstr("disk full"));
}

TEST(CheckEnds, a_missing_rank_makes_the_run_incomplete_not_inconsistent) {
  Program program(3);
  program.send(0, 1, 8);
  program.receive(2, 1, 8);
  for (const Rank rank : {0, 2})
    program.add(rank, {.kind = ActionKind::barrier});
  program.finalize();
  program.description().ranks.erase(program.description().ranks.begin() + 1);
  const Finding finding = only_finding(program, Severity::incomplete);
  EXPECT_EQ(finding.rank, 1);
}

TEST(CheckEnds, what_contradicts_itself_among_the_ranks_present_is_inconsistent_all_the_same) {
  Program program(3);
  program.send(0, 2, 8);
  program.finalize();
  program.description().ranks.erase(program.description().ranks.begin() + 1);
  const CheckReport report = check(program);
  EXPECT_EQ(report.incomplete, 1U);
  EXPECT_EQ(report.inconsistent, 1U);
}

TEST(CheckReports, list_so_many_findings_and_count_the_rest) {
  Program program(2);
  for (Tag tag = 0; tag < 100; ++tag)
    program.send(0, 1, 8, tag);
  program.finalize();
  const CheckReport report = check(program, {.most_findings = 10});
  EXPECT_EQ(report.findings.size(), 10U);
  EXPECT_EQ(report.inconsistent, 100U);
}

} // namespace
} // namespace timeless::trace::test
