// Whether enough of a run was recorded to advise on it.
#include "analysis/sufficiency.h"

#include <gtest/gtest.h>

#include <vector>

namespace timeless::analysis {
namespace {

using trace::Ending;

/// A run whose ranks hold so many actions; those of `stopped` have not reached their end.
trace::Run run_of(const std::vector<std::uint64_t>& actions, const std::vector<trace::Rank>& stopped) {
  trace::Run run{.size = static_cast<trace::Rank>(actions.size())};
  for (trace::Rank rank = 0; rank < run.size; ++rank)
    run.ranks.push_back(
        {.rank = rank, .ending = Ending::finalized, .actions = actions[static_cast<std::size_t>(rank)]});
  for (const trace::Rank rank : stopped)
    run.find(rank)->ending = Ending::unknown;
  return run;
}

TEST(Sufficiency, is_there_of_whatever_is_complete) {
  EXPECT_EQ(too_little_to_advise(run_of({400, 1, 400}, {})), "") << "a rank may do less than others";
  EXPECT_EQ(too_little_to_advise(run_of({0, 0}, {})), "");
  EXPECT_EQ(nothing_to_judge_by(run_of({400, 1, 400}, {}), 1e-9), "");
}

TEST(Sufficiency, asks_a_tenth_of_what_others_did_of_ranks_that_stopped) {
  EXPECT_EQ(too_little_to_advise(run_of({400, 412, 0, 420}, {2})),
            "not enough was recorded to advise: rank 2 stopped after 0 of about 412 actions");
  EXPECT_EQ(too_little_to_advise(run_of({400, 400, 39, 12}, {2, 3})),
            "not enough was recorded to advise: ranks 2, 3 stopped after at most 39 of about 400 actions");
  EXPECT_EQ(too_little_to_advise(run_of({400, 400, 40, 400}, {2})), "");
}

TEST(Sufficiency, compares_ranks_with_the_one_that_came_farthest_where_all_stopped) {
  EXPECT_EQ(too_little_to_advise(run_of({400, 380, 390}, {0, 1, 2})), "");
  EXPECT_EQ(too_little_to_advise(run_of({400, 380, 7}, {0, 1, 2})),
            "not enough was recorded to advise: rank 2 stopped after 7 of about 400 actions");
  EXPECT_EQ(too_little_to_advise(run_of({0, 0}, {0, 1})),
            "not enough was recorded to advise: ranks 0, 1 stopped before an action was recorded");
}

TEST(Sufficiency, asks_for_every_rank) {
  trace::Run run = run_of({400, 400, 0}, {2});
  run.ranks.erase(run.ranks.begin());
  EXPECT_EQ(too_little_to_advise(run),
            "not enough was recorded to advise: rank 0 is missing; rank 2 stopped after 0 of about 400 actions");
}

} // namespace
} // namespace timeless::analysis
