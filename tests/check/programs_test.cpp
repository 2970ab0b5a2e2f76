#include "checked_program.h"

#include <vector>

namespace timeless::trace::test {
namespace {

TEST(CheckPrograms, consistent_random_programs_pass) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const CheckReport report = check(random_program(seed, 2 + static_cast<Rank>(seed % 7), 2000));
    EXPECT_EQ(report.inconsistent, 0U) << "seed " << seed << ": " << report.findings.front().words;
    EXPECT_EQ(report.incomplete, 0U);
  }
}

TEST(CheckPrograms, one_message_too_many_among_thousands_is_found) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Program program = random_program(seed, 5, 2000);
    Program spoilt(5, 64);
    spoilt.description().communicators = program.run().communicators;
    for (Rank rank = 0; rank < 5; ++rank) {
      const auto stream = program.open(rank);
      ActionBlock block;
      while (stream->next(block))
        for_each_action(block, [&](const Action& action, std::uint64_t) {
          if (rank == 2 && action.kind == ActionKind::finalize) spoilt.send(2, 3, 77, 99);
          spoilt.add(rank, action);
        });
      spoilt.description().ranks[static_cast<std::size_t>(rank)].ending = Ending::finalized;
    }
    EXPECT_EQ(check(spoilt).inconsistent, 1U) << "seed " << seed;
  }
}

TEST(CheckPrograms, a_rank_that_runs_far_ahead_is_held_back_and_nothing_is_lost) {
  Program program(40);
  for (int round = 0; round < 2000; ++round)
    for (Rank worker = 1; worker < 40; ++worker) {
      program.send(worker, 0, 8, round % 5);
      program.receive(0, worker, 8, round % 5);
    }
  program.finalize();
  const CheckReport report = check(program);
  EXPECT_EQ(report.findings.size(), 0U);
  EXPECT_EQ(report.messages, 39U * 2000U);
}

TEST(CheckPrograms, receives_posted_beyond_all_bounds_before_any_is_completed_still_meet_their_sends) {
  Program program(2);
  std::vector<RequestId> requests;
  for (RequestId request = 0; request < 40000; ++request) {
    program.irecv(1, 0, request);
    requests.push_back(request);
  }
  program.wait(1, requests);
  for (int message = 0; message < 40000; ++message)
    program.send(0, 1);
  program.finalize();
  EXPECT_EQ(check(program).messages, 40000U);
  EXPECT_EQ(check(program).inconsistent, 0U);
}

} // namespace
} // namespace timeless::trace::test
