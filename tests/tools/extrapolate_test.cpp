#include "tests/temporary_directory.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Recordings of a solver on a ring.
class Extrapolate : public testing::Test {
protected:
  std::string record(trace::Rank ranks, std::uint64_t off = 0) {
    trace::MemorySource source(ranks);
    trace::test::name_program(source.description(), "/bin/solver", "one", static_cast<std::uint64_t>(ranks));
    const trace::KernelId kernel = source.add_kernel({{0, 100}, {0, 200}});
    for (trace::Rank rank = 0; rank < ranks; ++rank) {
      const std::uint64_t odd = rank % 3 == 2 ? off : 0;
      source.compute(rank, 960000 / static_cast<std::uint64_t>(ranks) + odd, kernel);
      source.add(rank, {.kind = trace::ActionKind::send, .peer = (rank + 1) % ranks, .bytes = 64});
      source.add(rank, {.kind = trace::ActionKind::receive, .peer = (rank + ranks - 1) % ranks, .bytes = 64});
    }
    source.finalize();
    const std::string path = directory_ / ("run-" + std::to_string(ranks) + ".tia");
    std::filesystem::remove(path);
    trace::test::write_archive(source, path);
    return path;
  }

  Outcome extrapolate(std::vector<std::string> words, std::uint64_t off = 0) {
    for (const trace::Rank ranks : {16, 4, 8})
      words.insert(words.begin(), record(ranks, off));
    words.insert(words.begin(), "extrapolate");
    return timeless_command(words);
  }

  timeless::test::TemporaryDirectory directory_;
};

TEST_F(Extrapolate, writes_an_archive_that_other_verbs_take) {
  const std::string made = directory_ / "made.tia";
  const Outcome outcome = extrapolate({"--ranks", "32", "-o", made, "--check", record(32)});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("100 % of 32 ranks do the same actions"));
  EXPECT_EQ(timeless_command({"check", made}).status, 0);
  EXPECT_THAT(timeless_command({"info", made, "--brief"}).out, HasSubstr("EXTRAPOLATED"));
  const Outcome replayed = timeless_command({"replay", made, "--network", "e1g"});
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("not recorded, but extrapolated from run-4.tia (4 ranks)"));
}

TEST_F(Extrapolate, refuses_what_is_not_exact_until_a_tolerance_takes_it) {
  const std::string made = directory_ / "made.tia";
  const Outcome refused = extrapolate({"--ranks", "32", "-o", made, "--tolerance", "0%"}, 7);
  EXPECT_EQ(refused.status, 5);
  EXPECT_THAT(refused.err, HasSubstr("more than the 0 % of --tolerance"));
  EXPECT_FALSE(std::filesystem::exists(made));
  const Outcome taken = extrapolate({"--ranks", "32", "-o", made, "--json"}, 7);
  ASSERT_EQ(taken.status, 0) << taken.err;
  const json answer = json::parse(taken.out);
  EXPECT_FALSE(answer["exact"]);
  EXPECT_GT(answer["error"], 0);
  EXPECT_TRUE(answer["loops"].is_array());
}

TEST_F(Extrapolate, draws_what_ranks_differ_by_with_a_seed_and_says_so) {
  const std::string made = directory_ / "made.tia";
  const std::string recorded = record(32, 700);
  const Outcome refused = extrapolate({"--ranks", "32", "-o", made}, 700);
  EXPECT_EQ(refused.status, 5);
  EXPECT_THAT(refused.err, HasSubstr("--seed N"));
  const Outcome outcome = extrapolate(
      {"--ranks", "32", "-o", made, "--seed", "3", "--tolerance", "10%", "--check", recorded, "--json"}, 700);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer["seed"], 3);
  EXPECT_GT(answer["drawn_share"], 0.9);
  EXPECT_FALSE(answer["exact"]);
  EXPECT_LT(answer["check"]["load_balance"], 1) << "ranks differ, as those recorded do";
  EXPECT_LT(answer["check"]["load_balance_recorded"], 1);
  const Outcome told = timeless_command({"info", made, "--brief"});
  EXPECT_THAT(told.out, HasSubstr("STOCHASTIC"));
  EXPECT_THAT(told.out, HasSubstr("seed 3"));
  EXPECT_EQ(timeless_command({"check", made}).status, 0);
}

TEST_F(Extrapolate, says_that_nothing_is_drawn_where_laws_are_exact) {
  const Outcome outcome = extrapolate({"--ranks", "32", "-o", directory_ / "made.tia", "--seed", "3", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(json::parse(outcome.out)["exact"]);
  EXPECT_TRUE(json::parse(outcome.out)["seed"].is_null());
}

TEST_F(Extrapolate, names_a_run_of_another_input_where_it_refuses) {
  std::vector<std::string> words{"extrapolate"};
  for (const trace::Rank ranks : {4, 8, 16, 32})
    words.push_back(record(ranks, ranks == 8 ? 300000 : 0));
  for (const char* word : {"--ranks", "64", "-o"})
    words.emplace_back(word);
  words.push_back(directory_ / "made.tia");
  const Outcome outcome = timeless_command(words);
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("run-8.tia computes"));
}

TEST_F(Extrapolate, refuses_targets_that_make_no_sense) {
  const std::string made = directory_ / "made.tia";
  EXPECT_EQ(extrapolate({"--ranks", "16", "-o", made}).status, 2);
  EXPECT_EQ(extrapolate({"--ranks", "32", "--grid", "5x5", "-o", made}).status, 2);
  EXPECT_EQ(extrapolate({"--ranks", "32", "--tolerance", "0.1", "-o", made}).status, 2);
  EXPECT_EQ(extrapolate({"--ranks", "32", "--seed", "-1", "-o", made}).status, 2);
}

TEST_F(Extrapolate, refuses_an_extrapolated_run_as_input) {
  const std::string made = directory_ / "made.tia";
  ASSERT_EQ(extrapolate({"--ranks", "32", "-o", made}).status, 0);
  const Outcome outcome = extrapolate({made, "--ranks", "64", "-o", directory_ / "more.tia"});
  EXPECT_NE(outcome.status, 0);
}

} // namespace
} // namespace timeless::tools::test
