#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;

class WavefrontModel : public testing::Test {
protected:
  /// Two ranks, one sweep of three slices, a millisecond of work each.
  std::string recorded(trace::Rank ranks = 2) {
    std::filesystem::remove(directory_ / "run.tia");
    trace::MemorySource run(ranks);
    for (int slice = 0; slice < 3; ++slice) {
      run.compute(0, 1'000'000);
      run.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1280});
      run.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1280});
      run.compute(1, 1'000'000);
    }
    run.finalize();
    trace::test::write_archive(run, directory_ / "run.tia");
    return directory_ / "run.tia";
  }

  static json answer(std::vector<std::string> options) {
    options.insert(options.begin(), {"model", "wavefront", "--json"});
    const Outcome outcome = timeless_command(options);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }

  trace::test::TemporaryDirectory directory_;
};

TEST_F(WavefrontModel, answers_with_the_papers_parameters_where_nothing_is_said) {
  const json rows = answer({"--ranks", "1,4x1,32"}).at("configurations");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_NEAR(rows[0].at("equations").at("total_seconds"),
              250 * (64 * 4096 * (3.22e-6 + 2.85e-6) + 63 * 4096 * (4.19e-6 + 4.07e-6)), 1e-6);
  EXPECT_EQ(rows[1].at("columns"), 4);
  EXPECT_EQ(rows[2].at("columns"), 8);
  EXPECT_EQ(rows[2].at("rows"), 4);
  EXPECT_LT(rows[2].at("error"), 0);
}

TEST_F(WavefrontModel, replays_recordings_with_measured_rates) {
  trace::test::write_bytes(directory_ / "rates.json", R"({"format": "timeless.rates/1", "units_per_second": 5e8,
    "instances": [{"name": "small", "ranks": 2, "ranks_per_node": 1, "launches": 1, "units_per_second": 5e8,
                   "units_per_rank": 3e6, "hosts": ["h"], "kernels": [{"kernel": "x+1..x+2", "units_per_second": 5e8,
                   "own": true, "units_per_visit": 7, "relative_times": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}]}]})");
  const Outcome outcome = timeless_command(
      {"model", "wavefront", "--ranks", "2", "--network", "e1g", "--rates", directory_ / "rates.json", recorded()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("ASSUMED: no kernel here has a rate of its own"));
}

TEST_F(WavefrontModel, puts_recordings_and_measurements_beside_the_equations) {
  const json whole = answer({"--ranks", "4", "--network", "e1g", "--compute-rate", "1e9", "--measured", "2=12ms",
                             "--grid", "2x32x2", "--iterations", "1", recorded()});
  const json row = whole.at("configurations").at(0);
  EXPECT_EQ(row.at("ranks"), 2);
  EXPECT_NEAR(row.at("recording_seconds"), 4e-3 + 50e-6 + 1280 * 8e-9, 1e-6);
  EXPECT_EQ(row.at("measured_seconds"), 12e-3);
  EXPECT_NEAR(row.at("error"), row.at("equations").at("total_seconds").get<double>() / 12e-3 - 1, 1e-12);
  EXPECT_NEAR(row.at("program_error"), row.at("program_seconds").get<double>() / 12e-3 - 1, 1e-12);
  EXPECT_NEAR(row.at("recording_error"), row.at("recording_seconds").get<double>() / 12e-3 - 1, 1e-12);
  EXPECT_TRUE(whole.at("configurations").at(1).at("measured_seconds").is_null());
  EXPECT_THAT(whole.at("compute_of_recordings"), HasSubstr("1.00 G instructions/s"));
}

TEST_F(WavefrontModel, says_in_what_a_recording_is_another_wavefront_and_which_work_is_assumed) {
  const Outcome text = timeless_command({"model", "wavefront", "--ranks", "2", "--network", "e1g", recorded()});
  EXPECT_THAT(text.out, AllOf(HasSubstr("most messages to the west and east have 1280 bytes, and 2560 were expected"),
                              HasSubstr("nothing is compared with it"), HasSubstr("their program"),
                              HasSubstr("ASSUMED: blts, buts, jacld, jacu as the paper measured")));
  const json part = answer({"--ranks", "2", "--network", "e1g", "--grid", "2x32x3", "--iterations", "1", "--work",
                            "blts=1us,jacu=2us", recorded()});
  EXPECT_EQ(part.at("work_assumed"), json({"buts", "jacld"}));
  EXPECT_THAT(part.at("notes").dump(), HasSubstr("3 messages were found, and 6 expected"));
  const json& row = part.at("configurations").at(0);
  EXPECT_FALSE(row.at("recording_seconds").is_null());
  EXPECT_TRUE(row.at("recording_error").is_null());
  EXPECT_TRUE(row.at("program_error").is_null());
  EXPECT_NEAR(row.at("error"),
              row.at("equations").at("total_seconds").get<double>() / row.at("program_seconds").get<double>() - 1,
              1e-9);
  EXPECT_THAT(
      timeless_command({"model", "wavefront", "--ranks", "2", "--work", "blts=1us,buts=1us,jacld=1us,jacu=1us"}).out,
      Not(HasSubstr("ASSUMED")));
}

TEST_F(WavefrontModel, refuses_recordings_of_other_programs) {
  const auto refused = [&](trace::MemorySource& run, const std::string& words, const std::string& ranks) {
    run.finalize();
    std::filesystem::remove(directory_ / "other.tia");
    trace::test::write_archive(run, directory_ / "other.tia");
    const Outcome outcome =
        timeless_command({"model", "wavefront", "--ranks", ranks, "--network", "e1g", directory_ / "other.tia"});
    EXPECT_EQ(outcome.status, 3) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(words));
  };
  trace::MemorySource pings(2);
  trace::MemorySource barriers(4);
  trace::MemorySource far(4);
  for (int step = 0; step < 20; ++step) {
    for (const trace::Rank rank : {0, 1}) {
      pings.add(rank, {.kind = rank == 0 ? ActionKind::send : ActionKind::receive, .peer = 1 - rank, .bytes = 8});
      pings.add(rank, {.kind = rank == 1 ? ActionKind::send : ActionKind::receive, .peer = 1 - rank, .bytes = 8});
    }
    for (const trace::Rank rank : {0, 1, 2, 3})
      barriers.add(rank, {.kind = ActionKind::barrier});
    far.add(0, {.kind = ActionKind::send, .peer = 3, .bytes = 8});
    far.add(3, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  }
  refused(pings, "1.0 messages in a row were found", "2");
  refused(barriers, "no messages from rank to rank", "4");
  refused(far, "0 % of the messages found are between neighbours in 2 columns and 2 rows", "4");
}

TEST_F(WavefrontModel, names_the_processors_on_which_a_recording_is_a_wavefront) {
  trace::MemorySource run(4);
  for (int slice = 0; slice < 8; ++slice)
    for (const trace::Rank rank : {0, 1, 2}) {
      run.add(rank, {.kind = ActionKind::send, .peer = rank + 1, .bytes = 8});
      run.add(rank + 1, {.kind = ActionKind::receive, .peer = rank, .bytes = 8});
    }
  run.finalize();
  trace::test::write_archive(run, directory_ / "line.tia");
  EXPECT_THAT(timeless_command({"model", "wavefront", "--ranks", "4", "--network", "e1g", directory_ / "line.tia"}).err,
              HasSubstr("write --ranks 4x1"));
  EXPECT_EQ(
      timeless_command({"model", "wavefront", "--ranks", "4x1", "--network", "e1g", directory_ / "line.tia"}).status,
      0);
}

TEST_F(WavefrontModel, reads_the_work_of_a_point) {
  const json row = answer({"--ranks", "1", "--grid", "2x3x1", "--iterations", "1", "--work",
                           "blts=1us,buts=2us,jacld=0s", "--init", "1ms", "--verify", "2s"})
                       .at("configurations")
                       .at(0);
  EXPECT_NEAR(row.at("equations").at("total_seconds"), 2.001 + 18e-6, 1e-12);
  EXPECT_NEAR(row.at("program_seconds"), 2.001 + 18e-6, 1e-9);
}

TEST_F(WavefrontModel, names_the_word_that_it_does_not_understand) {
  const std::vector<std::vector<std::string>> wrong{
      {"--grid", "64x64"},       {"--grid", "64x0x64"},  {"--ranks", "4,"},           {"--ranks", "4x2x2"},
      {"--ranks", "2097152"},    {"--work", "blts=3"},   {"--work", "half=1us"},      {"--measured", "2"},
      {"--measured", "2=fast"},  {"--init", "-1s"},      {"--ranks", "65x1"},         {"--network", "nowhere"},
      {"--ranks-per-node", "0"}, {"--iterations", "-1"}, {"--ranks", "65537"},        {"--ranks", "4,2x2"},
      {"--measured", "2=0s"},    {"--init", "1e300s"},   {"--measured", "2=1s,2=2s"}, {"--work", "blts=1us,blts=2us"}};
  for (std::vector<std::string> options : wrong) {
    const std::string word = options[0];
    options.insert(options.begin(), {"model", "wavefront"});
    const Outcome outcome = timeless_command(options);
    EXPECT_EQ(outcome.status, 2) << word << ' ' << options.back() << '\n' << outcome.err;
    EXPECT_EQ(outcome.out, "") << word;
  }
  EXPECT_EQ(timeless_command({"model"}).status, 2);
}

} // namespace
} // namespace timeless::tools
