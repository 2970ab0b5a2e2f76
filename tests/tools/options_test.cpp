// What is refused of options' values, and how that reads.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"
#include "tools/cli/console.h"

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

/// Two ranks, on hosts "a.cluster" and "b.cluster", that compute and meet.
class Values : public testing::Test {
protected:
  Values() {
    trace::MemorySource run(2);
    run.description().hosts = {{.name = "a.cluster"}, {.name = "b.cluster"}};
    for (const trace::Rank rank : {0, 1}) {
      run.compute(rank, 1000);
      run.add(rank, {.kind = ActionKind::barrier});
    }
    run.finalize();
    trace::test::write_archive(run, path_);
  }

  Outcome replay(const std::vector<std::string>& more) {
    std::vector<std::string> words{"replay", path_, "--network", "qdr"};
    words.insert(words.end(), more.begin(), more.end());
    return timeless_command(words);
  }

  trace::test::TemporaryDirectory directory_;
  const std::string path_ = directory_ / "run.tia";
};

TEST_F(Values, that_are_no_finite_numbers_are_refused_in_a_sentence) {
  const std::vector<std::vector<std::string>> asked{
      {"replay", "--memory-copy"}, {"replay", "--handshake"},         {"replay", "--compute-rate"},
      {"replay", "--threads"},     {"classify", "--anchor-latency"},  {"classify", "--anchor-bandwidth"},
      {"classify", "--gain"},      {"classify", "--sensitive-share"}, {"compare", "--fail-above"},
      {"convert", "--rate"},       {"replay", "--latency"},           {"replay", "--tolerance"},
      {"replay", "--eager-limit"},
  };
  for (const auto& option : asked)
    for (const char* value : {"nan", "inf", "-1"}) {
      std::vector<std::string> words{option[0], path_};
      if (option[0] == "compare") words.push_back(path_);
      if (option[0] == "convert") words.insert(words.end(), {"--to", "goal", "-o", directory_ / "out.goal"});
      if (option[0] == "replay") words.insert(words.end(), {"--network", "qdr"});
      words.push_back(option[1] + "=" + value);
      const Outcome outcome = timeless_command(words);
      EXPECT_EQ(outcome.status, 2) << option[1] << "=" << value;
      EXPECT_EQ(outcome.out, "") << option[1] << "=" << value;
      EXPECT_LT(outcome.err.size(), 200U) << outcome.err;
      EXPECT_THAT(outcome.err, AllOf(HasSubstr(option[1]), HasSubstr(value)));
    }
}

TEST_F(Values, out_of_range_are_told_what_the_range_is) {
  EXPECT_THAT(replay({"--threads", "0"}).err, HasSubstr("--threads: '0' is not a whole number from 1 to"));
  EXPECT_THAT(replay({"--handshake", "inf"}).err, HasSubstr("--handshake: 'inf' is not a number from 0 on"));
  EXPECT_THAT(timeless_command({"classify", path_, "--gain", "0.5"}).err, HasSubstr("a number from 1 to 1e+06"));
}

TEST_F(Values, that_are_none_are_refused_with_what_is_one) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> asked{
      {{"replay", "--network", "qdr", "--top=-1"}, "--top: '-1' is not a whole number from 0 to"},
      {{"replay", "--network", "qdr", "--threads=1.5"}, "--threads: '1.5' is not a whole number from 1 to"},
      {{"replay", "--network", "qdr", "--noise=x"}, "--noise: 'x' is not a whole number from 0 to"},
      {{"sweep", "--ranks-per-node=99999999999"}, "is not a whole number from 1 to 4294967295"},
      {{"dump", "--first=-1"}, "--first: '-1' is not a whole number from 0 to"},
      {{"report", "--max-size=10XB"}, "--max-size: '10XB' is not a size: write"},
      {{"report", "--max-size=-1"}, "--max-size: '-1' is not a size: write"},
      {{"report", "--serve", "--port=99999"}, "--port: '99999' is not a whole number from 0 to 65535"},
      {{"check", "--json=3"}, "--json takes no value"},
      {{"replay", "--network", "qdr", "--compute-rate=13T"},
       "--compute-rate: '13T' is not a rate: write a number above 0"},
      {{"replay", "--network", "qdr", "--compute-rate=G"}, "'G' is not a rate"},
      {{"replay", "--network", "qdr", "--compute-rate=0G"}, "'0G' is not a rate"},
      {{"sweep", "--gain=0%"}, "--gain): write more than 0%"},
  };
  for (const auto& [words, message] : asked) {
    std::vector<std::string> line = words;
    line.insert(line.begin() + 1, path_);
    const Outcome outcome = timeless_command(line);
    EXPECT_EQ(outcome.status, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
  EXPECT_THAT(timeless_command({"calibrate", "machine", "--budget", "10XB"}).err,
              HasSubstr("--budget: '10XB' is not a time: write 90, 90s, 2min or 1h"));
}

TEST_F(Values, of_outputs_called_minus_are_no_files) {
  const Outcome page = timeless_command({"report", path_, "-o", "-"});
  EXPECT_EQ(page.status, 0) << page.err;
  EXPECT_THAT(page.out, testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_EQ(timeless_command({"report", path_, "-o", "-", "--json"}).status, 2);
  for (const std::vector<std::string>& line :
       {std::vector<std::string>{"convert", path_, "-o", "-"},
        {"convert", path_, "--to", "goal", "-o", "-"},
        {"convert", path_, "--to", "ti", "-o", "-"},
        {"gather", directory_.path(), "-o", "-"},
        {"replay", path_, "--network", "qdr", "--timeline", "-"},
        {"platform", "new", "--nodes", "2", "--bandwidth", "1GBps", "--latency", "1us", "-o", "-"},
        {"record", "-o", "-", "true"}}) {
    const Outcome outcome = timeless_command(line);
    EXPECT_EQ(outcome.status, line[0] == "gather" ? outcome.status : 2) << line[0] << outcome.err;
    EXPECT_NE(outcome.status, 0) << line[0];
    EXPECT_FALSE(std::filesystem::exists("-")) << line[0];
  }
}

TEST_F(Values, of_rates_may_be_as_answers_print_them) {
  const auto replayed = [&](const char* rate) { return replay({"--json", "--compute-rate", rate}); };
  EXPECT_EQ(replayed("11.4G").status, 0) << replayed("11.4G").err;
  EXPECT_EQ(replayed("11.4G").out, replayed("11.4e9").out);
  EXPECT_EQ(replayed("800M").out, replayed("8e8").out);
  EXPECT_EQ(replayed("800M").out, replayed("800000k").out);
}

TEST_F(Values, of_upgrades_are_apart_by_commas) {
  const std::string file = directory_ / "upgrades.csv";
  const std::vector<std::pair<std::string, std::string>> files{{"name;price;change\n", "semicolons"},
                                                               {"a\t1\tcpu x2\n", "tabs"}};
  for (const auto& [line, separator] : files) {
    trace::test::write_bytes(file, line);
    const Outcome outcome = timeless_command({"sweep", path_, "--network", "qdr", "--upgrades", file});
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("values apart by " + separator + ", not by commas"),
                                   HasSubstr("line 1): write name,price,change")));
  }
}

TEST_F(Values, of_shares_are_numbers_up_to_1_or_per_cent) {
  const auto classified = [&](const char* share) {
    return timeless_command(
        {"classify", path_, "--network", "qdr", "--communication-share", share, "--one-rate", "--json"});
  };
  EXPECT_EQ(classified("25%").out, classified("0.25").out);
  for (const char* none : {"5", "101%", "%", "-1%"}) {
    EXPECT_EQ(classified(none).status, 2) << none;
    EXPECT_THAT(classified(none).err, HasSubstr("is no threshold")) << none;
  }
  const std::string result = directory_ / "result.json";
  trace::test::write_bytes(result, replay({"--json"}).out);
  EXPECT_EQ(timeless_command({"compare", result, result, "--fail-above", "5%"}).status, 0);
  EXPECT_EQ(timeless_command({"compare", result, result, "--fail-above", "5"}).status, 0);
}

TEST_F(Values, of_ranks_are_lists_and_ranges) {
  const auto dumped = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"dump", path_};
    words.insert(words.end(), options.begin(), options.end());
    return timeless_command(words);
  };
  EXPECT_EQ(dumped({"--rank", "0-1"}).out, dumped({}).out);
  EXPECT_EQ(dumped({"--rank", "0,1"}).out, dumped({"--rank", "0", "--rank", "1"}).out);
  EXPECT_NE(dumped({"--rank", "1"}).out, dumped({}).out);
  for (const char* none : {"1-0", "a", "0-", "-1", "0-2", "0-1000000000"})
    EXPECT_EQ(dumped({std::string("--rank=") + none}).status, 2) << none;
}

TEST_F(Values, that_are_misspelt_names_are_answered_with_the_nearest) {
  EXPECT_THAT(replay({"--network", "e10gg"}).err, HasSubstr("did you mean e10g or e100g? "));
  EXPECT_THAT(timeless_command({"replay", path_, "--platform", "graphen"}).err, HasSubstr("did you mean graphene? "));
  EXPECT_THAT(timeless_command({"classify", path_, "--network", "graphene"}).err,
              HasSubstr("give --platform graphene"));
  EXPECT_THAT(timeless_command({"replay", path_, "--platform", "e10g"}).err, HasSubstr("give --network e10g"));
  EXPECT_THAT(timeless_command({"clasify"}).err, HasSubstr("did you mean classify? "));
  EXPECT_THAT(timeless_command({"calibrate", "netwrok"}).err, HasSubstr("did you mean network? "));
}

TEST_F(Values, of_options_that_are_unknown_are_answered_with_the_nearest) {
  EXPECT_THAT(replay({"--netwrok=e1g"}).err,
              HasSubstr("timeless replay has no option --netwrok: did you mean --network? timeless replay --help"));
  EXPECT_THAT(replay({"--compute", "2G"}).err, HasSubstr("did you mean --compute-rate? "));
  EXPECT_THAT(replay({"--bogus", "3"}).err, HasSubstr("has no option --bogus: timeless replay --help lists them"));
  EXPECT_EQ(replay({"-z"}).status, 2);
}

TEST_F(Values, of_machines_are_lists_and_may_have_blanks) {
  const auto listed = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words{"replay", path_, "--json"};
    words.insert(words.end(), options.begin(), options.end());
    return timeless_command(words).out;
  };
  EXPECT_EQ(listed({"--platform", "graphene,griffon"}), listed({"--platform", "graphene", "--platform", "griffon"}));
  EXPECT_EQ(listed({"--where", "10 Gb/s, 5 us"}), listed({"--where", "10Gb/s,5us"}));
  EXPECT_NE(listed({"--where", "10 Gb/s, 5 us"}), "");
  EXPECT_THAT(replay({"--mapping", "blocks"}).err, HasSubstr("auto, recorded, one-per-node, block:N, hostfile"));
}

TEST_F(Values, of_machines_may_be_files_whose_names_hold_commas) {
  const std::string file = directory_ / "mine, of 2024,b.xml";
  std::filesystem::copy_file(std::filesystem::path(TIMELESS_TEST_PLATFORMS) / "../../../platforms/graphene.xml", file);
  const auto machines = [&](const std::string& option, const std::string& list) {
    const Outcome outcome = timeless_command({"replay", path_, option, list, "--json"});
    std::vector<std::string> names;
    if (outcome.status != 0) return std::vector<std::string>{outcome.err};
    const json answer = json::parse(outcome.out);
    for (const json& one : answer.at("configurations"))
      names.push_back(one.at("name").get<std::string>());
    return names;
  };
  EXPECT_THAT(machines("--platform", file), testing::ElementsAre("mine, of 2024,b"));
  EXPECT_THAT(machines("--platform", "griffon," + file + ",graphene"),
              testing::ElementsAre("griffon", "mine, of 2024,b", "graphene"));
  EXPECT_THAT(machines("--network", "e1g,qdr"), testing::ElementsAre("e1g", "qdr"));
  EXPECT_THAT(machines("--network", "e1g,qrd"), testing::ElementsAre(HasSubstr("called 'qrd'")));
}

TEST_F(Values, of_machines_that_nobody_names_are_the_same_in_all_verbs) {
  const auto names = [&](const std::string& verb, const std::string& list, const std::string& key) {
    std::vector<std::string> found;
    const json answer = json::parse(timeless_command({verb, path_, "--json"}).out);
    for (const json& one : answer.at(list))
      found.push_back(one.at(key).get<std::string>());
    return found;
  };
  const std::vector<std::string> classified = names("classify", "networks", "network");
  EXPECT_THAT(classified, testing::Contains("e100g"));
  EXPECT_EQ(names("sweep", "machines", "name"), classified);
  EXPECT_EQ(names("report", "machines", "name"), classified);
}

/// Every verb, and every part of those that have parts.
std::vector<std::vector<std::string>> all_commands() {
  std::vector<std::vector<std::string>> all;
  for (const char* verb : {"record", "gather", "info", "dump", "check", "convert", "replay", "compare", "validate",
                           "sweep", "classify", "report", "scale", "extrapolate", "plan", "platform", "doctor"})
    all.push_back({verb});
  for (const char* part : {"network", "compute", "machine", "show"})
    all.push_back({"calibrate", part});
  all.push_back({"model", "wavefront"});
  return all;
}

TEST(Help, names_types_once_and_puts_options_into_groups) {
  for (std::vector<std::string> words : all_commands()) {
    words.emplace_back("--help");
    const std::string help = timeless_command(words).out;
    ASSERT_NE(help, "") << words[0];
    for (const char* noise : {"UINT:UINT", "FLOAT:FLOAT", "INT:INT", "18446744073709551615", "4294967295"})
      EXPECT_THAT(help, Not(HasSubstr(noise))) << words[0];
    // CLI11's own group has its own option alone.
    const std::size_t own = help.find("\nOptions:\n");
    ASSERT_NE(own, std::string::npos) << words[0];
    const std::string options = help.substr(own, help.find("\n\n", own + 1) - own);
    EXPECT_EQ(options.find("--"), options.find("--help")) << words[0] << options;
    EXPECT_EQ(options.rfind("--"), options.find("--help")) << words[0] << options;
  }
}

TEST(Usage, says_what_is_missing_and_shows_no_numbers_of_words) {
  EXPECT_THAT(timeless_command({"platform"}).err,
              AllOf(HasSubstr("no action is given"), HasSubstr("list, show, check")));
  EXPECT_THAT(timeless_command({"dump"}).err, HasSubstr("no trace is given"));
  for (const char* verb : {"plan", "record"})
    EXPECT_THAT(timeless_command({verb, "--help"}).out, AllOf(Not(HasSubstr("536870911")), HasSubstr("[--] ")));
}

TEST_F(Values, that_say_nothing_are_refused) {
  const std::string file = directory_ / "timeline";
  for (const char* option : {"--timeline-lane", "--timeline-ranks", "--timeline-window"}) {
    const Outcome outcome = replay({"--timeline", file, option, ""});
    EXPECT_EQ(outcome.status, 2) << option;
    EXPECT_THAT(outcome.err, HasSubstr(option));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  EXPECT_EQ(replay({"--timeline", ""}).status, 2);
}

TEST_F(Values, of_ranks_that_are_not_there_are_refused_with_how_many_are) {
  const std::string file = directory_ / "timeline";
  for (const char* ranks : {"5", "0-2", "1,2"}) {
    const Outcome outcome = replay({"--timeline", file, "--timeline-ranks", ranks});
    EXPECT_EQ(outcome.status, 2) << ranks;
    EXPECT_THAT(outcome.err, HasSubstr("the run has 2: 0-1"));
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  EXPECT_EQ(replay({"--timeline", file, "--timeline-ranks", "0-1"}).status, 0);
}

TEST_F(Values, of_rates_name_hosts_as_the_ranks_are_listed) {
  const std::string rates = directory_ / "rates.json";
  for (const std::string mapping : {"recorded", "one-per-node", "auto"}) {
    const json ranks = json::parse(replay({"--mapping", mapping, "--json"}).out).at("configurations").at(0).at("ranks");
    const std::string node = ranks.at(1).at("node").get<std::string>();
    trace::test::write_bytes(rates, R"({"format": "timeless.rates/1", "units_per_second": 1e9, "hosts": {")" + node +
                                        R"(": 2e9}})");
    const Outcome outcome = replay({"--mapping", mapping, "--rates", rates, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json faster = json::parse(outcome.out).at("configurations").at(0).at("ranks");
    EXPECT_NEAR(faster.at(1).at("seconds").at("compute").get<double>(), 0.5e-6, 1e-15);
    EXPECT_NEAR(faster.at(0).at("seconds").at("compute").get<double>(), 1e-6, 1e-15);
  }
  trace::test::write_bytes(rates, R"({"format": "timeless.rates/1", "units_per_second": 1e9, "hosts": {"c": 2e9}})");
  const Outcome other = replay({"--mapping", "recorded", "--rates", rates});
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("there are: 'a.cluster', 'b.cluster'"));
}

TEST_F(Values, that_are_very_small_or_large_are_shown_as_they_are) {
  EXPECT_THAT(replay({"--compute-rate", "1e-3"}).out, HasSubstr("0.001 instructions/s per rank"));
  EXPECT_EQ(human_count(1e-300), "1e-300");
  EXPECT_EQ(human_count(0.25), "0.25");
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(1e300), "1e+285 P");
  EXPECT_EQ(human_count(999), "999");
}

} // namespace
} // namespace timeless::tools
