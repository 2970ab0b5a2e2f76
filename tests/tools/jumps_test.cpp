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

/// Two ranks that send each other a message in each of 500 iterations, of which every 20th computes `more`.
void write_iterations(const std::filesystem::path& path, std::uint64_t more = 0) {
  trace::MemorySource run(2);
  for (Rank rank = 0; rank < 2; ++rank)
    for (int i = 0; i < 500; ++i) {
      run.compute(rank, (rank == 0 ? 50000 : 70000) + (i % 20 == 0 ? more : 0));
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

TEST(ReplayWithJumps, encloses_the_time_of_what_was_recorded_where_volumes_nearly_repeat) {
  const timeless::test::TemporaryDirectory directory;
  const std::string trace = directory.path() / "run.tia";
  write_iterations(trace, 700);
  const nlohmann::json near = answer({"replay", trace, "--network", "e1g,qdr", "--within", "0.2%"});
  const nlohmann::json exact = answer({"replay", trace, "--network", "e1g,qdr"});
  EXPECT_EQ(near.at("jumped").at("replaced").at("iterations"), 25);
  EXPECT_EQ(near.at("jumped").at("replaced").at("within"), 0.002);
  for (const int machine : {0, 1}) {
    const nlohmann::json& enclosure = near.at("configurations").at(machine).at("as_recorded_seconds");
    const double time = exact.at("configurations").at(machine).at("makespan_seconds");
    EXPECT_LE(enclosure.at(0).get<double>(), time * (1 + 1e-12));
    EXPECT_GE(enclosure.at(1).get<double>(), time * (1 - 1e-12));
    EXPECT_LE(enclosure.at(1).get<double>() - enclosure.at(0).get<double>(), 0.002 * time);
  }
  const test::Outcome text = timeless_command({"replay", trace, "--network", "e1g", "--within", "0.002"});
  EXPECT_NE(in_one_line(text.out).find("25 iterations were replayed with the volumes that are usual at their place"),
            std::string::npos)
      << text.out;
  EXPECT_EQ(answer({"replay", trace, "--network", "e1g", "--jump"}).at("jumped").count("replaced"), 0U);
  for (const char* const share : {"0", "0.2", "-1%", "x"})
    EXPECT_EQ(timeless_command({"replay", trace, "--network", "e1g", "--within", share}).status, 2) << share;
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
