// What `timeless classify` says beside classes: confidence, recorded parts, tables of values.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::in_one_line;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;

/// Two ranks that compute and send each other small messages; rank 1 may have stopped early.
class Classify : public testing::Test {
protected:
  std::string record(const std::string& name, int rounds, int of_rank_1, trace::Rank ranks = 2,
                     const std::string& program = "/opt/bin/ring") {
    trace::MemorySource run(ranks);
    run.description().provenance.program = program;
    for (int round = 0; round < rounds; ++round)
      for (const trace::Rank rank : {0, 1}) {
        if (rank == 1 && round >= of_rank_1) continue;
        run.compute(rank, 50'000);
        run.add(rank, {.kind = rank == 0 ? ActionKind::send : ActionKind::receive, .peer = 1 - rank, .bytes = 1000});
      }
    run.finalize();
    if (of_rank_1 < rounds) run.description().ranks[1].ending = trace::Ending::stopped;
    const std::string path = directory_ / name;
    trace::test::write_archive(run, path);
    return path;
  }

  static Outcome classify(std::vector<std::string> more) {
    more.insert(more.begin(), "classify");
    more.insert(more.end(), {"--network", "e1g,e100g", "--one-rate"});
    return timeless_command(more);
  }

  trace::test::TemporaryDirectory directory_;
};

TEST_F(Classify, says_how_far_to_trust_what_helps_and_why) {
  const std::string path = record("whole.tia", 20, 20);
  const json answer = json::parse(classify({path, "--json"}).out);
  EXPECT_EQ(answer.at("program"), "ring");
  const std::string text = in_one_line(classify({path}).out);
  for (const json& one : answer.at("networks")) {
    EXPECT_THAT(one.at("confidence"), testing::AnyOf("low", "medium"));
    EXPECT_EQ(one.at("recorded_part"), false);
    ASSERT_FALSE(one.at("confidence_reasons").empty());
    for (const json& reason : one.at("confidence_reasons"))
      EXPECT_THAT(text, HasSubstr(in_one_line(reason.get<std::string>())));
    EXPECT_LE(one.at("saving_interval").at(0), one.at("saving"));
    EXPECT_GE(one.at("saving_interval").at(1), one.at("saving"));
  }
  EXPECT_THAT(text, AllOf(HasSubstr("what helps confidence time"), Not(HasSubstr("recorded part"))));
}

TEST_F(Classify, rests_on_the_figures_of_the_network_where_that_is_what_helps) {
  const std::string path = record("whole.tia", 20, 20);
  const json slow = json::parse(classify({path, "--json", "--compute-rate", "1e12"}).out).at("networks").at(0);
  ASSERT_EQ(slow.at("helps").at("what"), "latency") << slow.at("helps");
  EXPECT_THAT(slow.at("confidence_reasons").dump(), HasSubstr("the figures of e1g are "));
}

TEST_F(Classify, of_an_incomplete_recording_says_so_in_table_reasons_and_json) {
  const std::string path = record("part.tia", 20, 15);
  const Outcome outcome = classify({path});
  EXPECT_EQ(outcome.status, 6);
  const std::string table = outcome.out.substr(0, outcome.out.find("\n\n"));
  EXPECT_THAT(table, AllOf(HasSubstr("(recorded part)"), HasSubstr("low")));
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("\ne1g: of the recorded part: "), HasSubstr("\ne1g: Of the recorded part: ")));
  const json answer = json::parse(classify({path, "--json"}).out);
  for (const json& one : answer.at("networks")) {
    EXPECT_EQ(one.at("recorded_part"), true);
    EXPECT_EQ(one.at("confidence"), "low");
    EXPECT_THAT(one.at("reason").get<std::string>(), testing::StartsWith("of the recorded part: "));
  }
}

TEST_F(Classify, of_next_to_nothing_says_why_there_is_no_answer) {
  const std::string path = record("nothing.tia", 20, 1);
  const std::string why = "not enough was recorded to advise: rank 1 stopped after ";
  const Outcome outcome = classify({path});
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(why), Not(HasSubstr("to buy")), Not(HasSubstr("confidence:"))));
  const json answer = json::parse(classify({path, "--json"}).out);
  for (const json& one : answer.at("networks")) {
    EXPECT_TRUE(one.at("class").is_null() && one.at("helps").is_null() && one.at("confidence").is_null());
    EXPECT_THAT(one.at("reason").get<std::string>(), testing::StartsWith(why));
  }
  EXPECT_EQ(classify({path, "--fail-on", "mixed,latency,communication,computation"}).status, 6);
}

TEST_F(Classify, of_a_run_that_takes_no_time_says_that_there_is_nothing_to_judge_by) {
  trace::MemorySource run(2);
  run.finalize();
  const std::string path = directory_ / "idle.tia";
  trace::test::write_archive(run, path);
  const std::string why =
      "the run takes 0 s: nothing that was recorded of it takes time, so there is nothing to judge by";
  const std::string text = in_one_line(classify({path}).out);
  EXPECT_THAT(text, AllOf(HasSubstr(why), Not(HasSubstr("mixed")), Not(HasSubstr("nothing of these"))));
  const json classified = json::parse(classify({path, "--json"}).out);
  for (const json& one : classified.at("networks")) {
    EXPECT_TRUE(one.at("class").is_null() && one.at("helps").is_null() && !one.contains("class_holds"));
    EXPECT_EQ(one.at("reason"), why);
  }
  const Outcome swept = timeless_command({"sweep", path, "--network", "e1g", "--gain", "2%"});
  EXPECT_THAT(in_one_line(swept.out), AllOf(HasSubstr("T" + why.substr(1)), Not(HasSubstr("None of its parts"))));
  const json report = json::parse(timeless_command({"report", path, "--json"}).out);
  EXPECT_EQ(report.at("verdict").at("refusal"), why);
  EXPECT_THAT(report.at("verdict").at("next").at("command").get<std::string>(), HasSubstr("timeless record"));
}

TEST_F(Classify, of_a_machine_where_the_run_deadlocks_says_so_and_answers_for_the_others) {
  trace::MemorySource run(2);
  for (const trace::Rank rank : {0, 1}) {
    run.compute(rank, 1'000'000);
    run.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 100'000});
    run.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 100'000});
  }
  run.finalize();
  const std::string path = directory_ / "head to head.tia";
  trace::test::write_archive(run, path);
  const std::string network = directory_ / "small.json";
  trace::test::write_bytes(network, R"({"format": "timeless.network/1", "name": "small", "eager_limit_bytes": 1000,
    "between_nodes": {"model": "hockney", "latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9}})");
  const auto asked = [&](const std::string& networks, const std::vector<std::string>& more) {
    std::vector<std::string> words{"classify", path, "--network", networks};
    words.insert(words.end(), more.begin(), more.end());
    return timeless_command(words);
  };
  const Outcome outcome = asked(network + ",e10g", {"--configurations"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("small: ends in a deadlock"), testing::ContainsRegex("small .* deadlock +- +- +-"),
                    Not(HasSubstr("nan")), Not(HasSubstr("inf s"))));
  const json answer = json::parse(asked(network + ",e10g", {"--json"}).out);
  EXPECT_EQ(answer.at("networks")[0].at("deadlocked"), true);
  EXPECT_TRUE(answer.at("networks")[0].at("class").is_null());
  EXPECT_TRUE(answer.at("networks")[0].at("evidence").is_null());
  EXPECT_EQ(answer.at("networks")[1].at("deadlocked"), false);
  EXPECT_TRUE(answer.at("networks")[1].at("class").is_string());
  EXPECT_EQ(asked(network, {}).status, 3);
  const Outcome platforms = timeless_command({"classify", path, "--platform", "griffon,graphene"});
  EXPECT_EQ(platforms.status, 0) << platforms.err;
  EXPECT_THAT(platforms.out, AllOf(testing::ContainsRegex("griffon .* deadlock +- +- +-"),
                                   testing::ContainsRegex("graphene .* (medium|low): ")));
}

TEST_F(Classify, of_several_traces_answers_for_those_that_it_can_and_names_the_others) {
  const std::string good = record("whole.tia", 20, 20);
  const std::string bad = directory_ / "bad.tia";
  trace::test::write_bytes(bad, "no archive");
  const Outcome outcome = classify({bad, good, "--json"});
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("warning: " + bad + " is not classified: "), HasSubstr("archive")));
  const json answer = json::parse(outcome.out);
  ASSERT_EQ(answer.at("traces").size(), 1U);
  EXPECT_EQ(answer.at("traces")[0].at("trace"), good);
  EXPECT_EQ(answer.at("refused")[0].at("trace"), bad);
  const std::string another = directory_ / "another.tia";
  trace::test::write_bytes(another, "none either");
  EXPECT_EQ(classify({bad, another}).status, 3) << "none is left";
}

TEST_F(Classify, takes_executables_of_several_numbers_of_ranks_for_one_program) {
  const std::vector<std::string> traces{record("a.tia", 20, 20, 8, "/opt/npb/ft.S.8"),
                                        record("b.tia", 20, 20, 16, "/opt/npb/ft.S.16"),
                                        record("c.tia", 20, 20, 4, "/opt/npb/cg.S.4")};
  std::vector<std::string> words = traces;
  EXPECT_THAT(in_one_line(classify(words).out),
              AllOf(HasSubstr("cg.S.4 4 "), testing::ContainsRegex("ft.S 8 .*ft.S 16 ")));
  words.emplace_back("--json");
  const json answer = json::parse(classify(words).out);
  EXPECT_EQ(answer.at("traces").at(0).at("program"), "ft.S");
  EXPECT_EQ(answer.at("traces").at(1).at("program"), "ft.S");
  EXPECT_EQ(answer.at("traces").at(2).at("program"), "cg.S.4");
  EXPECT_EQ(json::parse(classify({traces[0], "--json"}).out).at("program"), "ft.S.8");
}

TEST_F(Classify, of_one_run_under_two_names_is_refused) {
  const std::string path = record("whole.tia", 20, 20);
  const std::string again = directory_ / "again.tia";
  std::filesystem::copy_file(path, again);
  for (const std::string& other : {path, again}) {
    const Outcome outcome = classify({path, other});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("these are the same run (" + path + " and " + other + "): name each run once"));
  }
}

TEST_F(Classify, of_several_traces_says_beside_mixed_what_helps) {
  const std::vector<std::string> no_class_holds{"--gain", "1e6",           "--computation-share",
                                                "100%",   "--insensitive", "0.0001%"};
  std::vector<std::string> asked{record("one.tia", 20, 20), record("other.tia", 30, 30)};
  asked.insert(asked.end(), no_class_holds.begin(), no_class_holds.end());
  EXPECT_THAT(classify(asked).out, testing::ContainsRegex("ring +2 +mixed \\(helps: [a-z]+"));
}

TEST_F(Classify, prints_a_line_of_values_for_each_machine_of_each_trace) {
  const std::string whole = record("whole.tia", 20, 20);
  const std::string part = record("part.tia", 20, 15);
  const Outcome outcome = classify({whole, part, "--csv"});
  EXPECT_EQ(outcome.status, 6);
  std::istringstream lines(outcome.out);
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);)
    rows.push_back(line);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_THAT(rows[0], testing::StartsWith("trace,program,ranks,network,latency_seconds,bits_per_second,class,reason,"
                                           "recorded_part,helps.what,"));
  EXPECT_THAT(rows[1], testing::StartsWith(whole + ",ring,2,e1g,5e-05,"));
  EXPECT_THAT(rows[4], AllOf(testing::StartsWith(part + ",ring,2,e100g,"), HasSubstr(",true,")));
  EXPECT_EQ(classify({whole, "--csv", "--json"}).status, 2);
}

} // namespace
} // namespace timeless::tools
