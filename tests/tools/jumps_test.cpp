#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace timeless::tools {
namespace {

using test::in_one_line;
using test::timeless_command;
using trace::ActionKind;
using trace::Rank;

/// Two ranks that send each other a message in each of 500 iterations.
void write_iterations(const std::filesystem::path& path) {
  trace::MemorySource run(2);
  for (Rank rank = 0; rank < 2; ++rank)
    for (int i = 0; i < 500; ++i) {
      run.compute(rank, rank == 0 ? 50000 : 70000);
      run.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 800});
      run.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 800});
    }
  run.finalize();
  trace::test::write_archive(run, path);
}

nlohmann::json answer(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const test::Outcome outcome = timeless_command(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(ReplayWithJumps, says_what_it_jumped_over_and_answers_as_if_every_action_were_played) {
  const timeless::test::TemporaryDirectory directory;
  const std::string trace = directory.path() / "run.tia";
  write_iterations(trace);
  nlohmann::json jumped = answer({"replay", trace, "--network", "e1g,qdr", "--jump", "--tolerance", "1%"});
  const nlohmann::json played =
      answer({"replay", trace, "--network", "e1g,qdr", "--jump", "--every-action", "--tolerance", "1%"});
  EXPECT_FALSE(played.contains("jumped"));
  EXPECT_GT(jumped.at("jumped").at("actions").get<double>(), 0.7 * jumped.at("actions").get<double>());
  jumped.erase("jumped");
  EXPECT_EQ(jumped, played);
  const test::Outcome text = timeless_command({"replay", trace, "--network", "e1g", "--jump"});
  EXPECT_NE(in_one_line(text.out).find(" % of 3.00 k actions"), std::string::npos) << text.out;
}

TEST(ReplayWithJumps, says_why_it_plays_all) {
  const timeless::test::TemporaryDirectory directory;
  const std::string trace = directory.path() / "run.tia";
  write_iterations(trace);
  const nlohmann::json ports = answer({"replay", trace, "--network", "e1g", "--jump", "--ports", "receiver"});
  EXPECT_EQ(ports.at("jumped").at("actions"), 0);
  EXPECT_EQ(ports.at("jumped").at("played_since").at(0), "messages come through ports");
  EXPECT_NE(timeless_command({"replay", trace, "--network", "e1g", "--jump", "--critical-path"}).status, 0);
  EXPECT_NE(timeless_command({"replay", trace, "--network", "e1g", "--every-action"}).status, 0);
}

} // namespace
} // namespace timeless::tools
