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
  for (nlohmann::json& one : jumped.at("configurations"))
    one.erase("jumped_actions");
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
    EXPECT_LE(enclosure.at(0).get<double>(), time);
    EXPECT_GE(enclosure.at(1).get<double>(), time);
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

TEST(ReplayWithJumps, follows_the_critical_path_as_when_every_action_is_played) {
  const timeless::test::TemporaryDirectory directory;
  const std::string trace = directory.path() / "run.tia";
  write_iterations(trace);
  const auto path = [&](const char* how) {
    return answer({"replay", trace, "--network", "e1g,qdr", how, "--critical-path"})
        .at("configurations")
        .at(0)
        .at("critical_path");
  };
  EXPECT_EQ(path("--jump"), path("--every-action"));
  EXPECT_GT(path("--jump").at("segments").size(), 100U);
}

TEST(ReplayWithJumps, says_why_it_plays_all) {
  const timeless::test::TemporaryDirectory directory;
  const std::string trace = directory.path() / "run.tia";
  write_iterations(trace);
  const nlohmann::json ports = answer({"replay", trace, "--network", "e1g", "--jump", "--ports", "receiver"});
  EXPECT_EQ(ports.at("jumped").at("actions"), 0);
  EXPECT_EQ(ports.at("jumped").at("played_since").at(0), "messages come through ports");
  EXPECT_EQ(timeless_command({"replay", trace, "--network", "e1g", "--iterations", "9000", "--critical-path"}).status,
            2);
  EXPECT_FALSE(answer({"replay", trace, "--network", "e1g", "--every-action"}).contains("jumped"));
}

/// Two ranks whose volumes repeat in none of their 600 iterations.
void write_uneven_iterations(const std::filesystem::path& path) {
  trace::MemorySource run(2);
  for (Rank rank = 0; rank < 2; ++rank)
    for (std::uint64_t i = 0; i < 600; ++i) {
      run.compute(rank, 500000 + i * i * 7919 % 30011 + static_cast<std::uint64_t>(rank));
      run.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 800});
      run.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 800});
    }
  run.finalize();
  trace::test::write_archive(run, path);
}

TEST(ReplayWithSamples, estimates_and_says_how_sure_it_is) {
  const timeless::test::TemporaryDirectory directory;
  const std::string trace = directory.path() / "run.tia";
  write_uneven_iterations(trace);
  const std::vector<std::string> asked{"replay", trace, "--network", "e1g,qdr", "--sample", "10%"};
  const nlohmann::json sampled = answer(asked);
  const nlohmann::json exact = answer({"replay", trace, "--network", "e1g,qdr"});
  EXPECT_EQ(sampled.at("jumped").at("sampled").at("share"), 0.1);
  EXPECT_EQ(sampled.at("jumped").at("sampled").at("seed"), 1);
  EXPECT_EQ(sampled.at("jumped").at("loops").at(0).at("blocks"), 14);
  EXPECT_EQ(sampled.at("actions"), exact.at("actions"));
  for (const int machine : {0, 1}) {
    const nlohmann::json& one = sampled.at("configurations").at(machine);
    const double time = exact.at("configurations").at(machine).at("makespan_seconds");
    EXPECT_LT(one.at("sampled_seconds").at(0).get<double>(), time);
    EXPECT_GT(one.at("sampled_seconds").at(1).get<double>(), time);
    EXPECT_NEAR(one.at("makespan_seconds").get<double>(), time, 0.02 * time);
    EXPECT_GT(one.at("jumped_actions").get<double>(), 0.85 * sampled.at("actions").get<double>());
  }
  EXPECT_EQ(answer(asked), sampled);
  EXPECT_NE(answer({"replay", trace, "--network", "e1g,qdr", "--sample", "10%", "--sample-seed", "2"}), sampled);
  const std::string text = in_one_line(timeless_command({"replay", trace, "--network", "e1g", "--sample", "0.1"}).out);
  EXPECT_NE(text.find("ESTIMATED from 10 % of the iterations, at places drawn from seed 1"), std::string::npos) << text;
  EXPECT_NE(text.find("in 95 of 100 samples"), std::string::npos) << text;
}

TEST(ReplayTimelines, say_that_their_window_begins_after_the_end) {
  const timeless::test::TemporaryDirectory directory;
  const std::string trace = directory.path() / "run.tia";
  write_uneven_iterations(trace);
  const auto text = [&](const std::string& window) {
    return in_one_line(timeless_command({"replay", trace, "--network", "e1g", "--timeline", directory.path() / "t.csv",
                                         "--force", "--timeline-window", window})
                           .out);
  };
  const std::string words = "no action is in the timeline: its window begins at 100 s";
  EXPECT_NE(text("100..").find(words), std::string::npos) << text("100..");
  EXPECT_EQ(text("0.0001..").find("no action is in the timeline"), std::string::npos);
}

TEST(ReplayWithSamples, tell_no_interval_where_all_blocks_take_the_same) {
  const timeless::test::TemporaryDirectory directory;
  const std::string trace = directory.path() / "run.tia";
  trace::MemorySource run(2);
  for (Rank rank = 0; rank < 2; ++rank)
    for (int i = 0; i < 600; ++i) {
      run.compute(rank, 500000);
      run.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 800});
      run.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 800});
    }
  run.finalize();
  trace::test::write_archive(run, trace);
  const std::vector<std::string> asked{"replay", trace, "--network", "e1g", "--sample", "10%"};
  const nlohmann::json one = answer(asked).at("configurations").at(0);
  EXPECT_GT(one.at("jumped_actions").get<double>(), 0);
  EXPECT_FALSE(one.contains("sampled_seconds"));
  const std::string text = in_one_line(timeless_command(asked).out);
  EXPECT_NE(text.find("no interval, for all blocks took the same"), std::string::npos) << text;
}

TEST(ReplayWithSamples, refuses_what_it_cannot_sample) {
  const timeless::test::TemporaryDirectory directory;
  const std::string trace = directory.path() / "run.tia";
  write_uneven_iterations(trace);
  const auto status = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"replay", trace, "--network", "e1g"};
    all.insert(all.end(), more.begin(), more.end());
    return timeless_command(all).status;
  };
  for (const char* const share : {"0", "0.6", "60%", "-1%", "x"})
    EXPECT_EQ(status({"--sample", share}), 2) << share;
  EXPECT_EQ(status({"--sample", "5%", "--within", "1e-5"}), 2);
  EXPECT_EQ(status({"--sample", "5%", "--iterations", "1000"}), 2);
  EXPECT_EQ(status({"--sample", "5%", "--critical-path"}), 2);
  EXPECT_EQ(status({"--sample", "5%", "--backend", "smpi"}), 2);
  EXPECT_EQ(status({"--sample-seed", "5"}), 2);
  // Too few blocks: all is played, and no interval is told.
  const nlohmann::json played = answer({"replay", trace, "--network", "e1g", "--sample", "1%"});
  EXPECT_FALSE(played.at("configurations").at(0).contains("sampled_seconds"));
  EXPECT_EQ(played.at("jumped").at("actions"), 0);
}

} // namespace
} // namespace timeless::tools
