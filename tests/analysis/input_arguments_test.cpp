#include "analysis/scaling/input_arguments.h"

#include <gmock/gmock.h>

#include <deque>
#include <string>
#include <vector>

namespace timeless::analysis {
namespace {

using testing::HasSubstr;

/// Runs that were started with these arguments.
class Inputs : public testing::Test {
protected:
  void start(double ranks, const std::vector<std::string>& arguments, double size = 1) {
    trace::Run& run = runs_.emplace_back();
    run.provenance.command = {"./solver"};
    run.provenance.command.insert(run.provenance.command.end(), arguments.begin(), arguments.end());
    named_.push_back({"run-" + std::to_string(named_.size()), &run, {.ranks = ranks, .size = size}});
  }
  InputsOfRuns inputs() const { return inputs_of(named_); }

  std::deque<trace::Run> runs_;
  std::vector<NamedRun> named_;
};

TEST_F(Inputs, that_are_the_same_go_together) {
  for (const double ranks : {4, 8, 16})
    start(ranks, {"-n", "64"});
  EXPECT_FALSE(inputs().different);
  EXPECT_EQ(inputs().law, "");
}

TEST_F(Inputs, of_one_run_that_are_not_those_of_the_others_name_it) {
  for (const double ranks : {4, 8, 16, 32})
    start(ranks, {"-n", ranks == 8 ? "96" : "64"});
  ASSERT_TRUE(inputs().different);
  EXPECT_EQ(inputs().different->one, "run-0");
  EXPECT_EQ(inputs().different->other, "run-1");
  EXPECT_EQ(inputs().different->what, "'-n 64' and '-n 96'");
}

TEST_F(Inputs, that_grow_with_the_ranks_are_of_one_problem) {
  start(4, {"-n=128"});
  start(9, {"-n=192"});
  start(16, {"-n=256"});
  EXPECT_FALSE(inputs().different);
  EXPECT_EQ(inputs().law, "'-n=128' to '-n=256': P^(1/2)");
}

TEST_F(Inputs, that_name_the_grid_of_the_ranks_are_of_one_problem) {
  start(8, {"-i2", "-j2", "-k2", "-x", "10", "-y", "10", "-z", "10"});
  start(12, {"-i3", "-j2", "-k2", "-x", "15", "-y", "10", "-z", "10"});
  start(18, {"-i3", "-j3", "-k2", "-x", "15", "-y", "15", "-z", "10"});
  EXPECT_FALSE(inputs().different);
  EXPECT_THAT(inputs().law, HasSubstr(": P^2"));
}

TEST_F(Inputs, that_grow_otherwise_in_one_run_name_it) {
  for (const double ranks : {4, 8, 16, 32})
    start(ranks, {std::to_string(static_cast<int>(ranks == 16 ? 100 : 10 * ranks))});
  ASSERT_TRUE(inputs().different);
  EXPECT_EQ(inputs().different->other, "run-2");
}

TEST_F(Inputs, that_differ_in_words_are_different) {
  start(4, {"coarse.in"});
  start(8, {"fine.in"});
  start(16, {"fine.in"});
  EXPECT_TRUE(inputs().different);
}

TEST_F(Inputs, of_as_many_ranks_must_be_the_same) {
  start(4, {"10"});
  start(4, {"20"});
  EXPECT_TRUE(inputs().different);
}

TEST_F(Inputs, of_several_sizes_may_differ_where_the_sizes_were_given) {
  for (const double ranks : {4, 8, 16}) {
    start(ranks, {"10"}, 100);
    start(ranks, {"37"}, 1369);
  }
  EXPECT_FALSE(inputs().different);
  start(32, {"38"}, 1369);
  EXPECT_TRUE(inputs().different);
}

TEST_F(Inputs, that_are_not_known_say_nothing) {
  start(4, {"10"});
  start(8, {"10"});
  start(16, {"20"});
  for (trace::Run& run : runs_)
    run.provenance.command.clear();
  EXPECT_FALSE(inputs().different);
}

} // namespace
} // namespace timeless::analysis
