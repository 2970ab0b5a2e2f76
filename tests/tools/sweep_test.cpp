#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::in_one_line;
using test::Outcome;
using test::timeless_command;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;

/// Four ranks that compute unequally, pass large and small messages around, and meet.
class SweepVerb : public testing::Test {
protected:
  SweepVerb() {
    trace::MemorySource run(4);
    for (int round = 0; round < 5; ++round)
      for (trace::Rank rank = 0; rank < 4; ++rank) {
        run.compute(rank, 1'000'000 + 300'000 * static_cast<std::uint64_t>(rank));
        const trace::Rank next = (rank + 1) % 4;
        const trace::Rank before = (rank + 3) % 4;
        run.add(rank, {.kind = ActionKind::send, .peer = next, .tag = 7, .bytes = 50'000});
        run.add(rank, {.kind = ActionKind::receive, .peer = before, .tag = 7, .bytes = 50'000});
        run.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
      }
    run.finalize();
    trace::test::write_archive(run, directory_ / "run.tia");
  }

  std::string path() const { return directory_ / "run.tia"; }

  json answer(const std::string& verb, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {verb, path(), "--json"});
    const Outcome outcome = timeless_command(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out);
  }

  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(directory_ / name) << content;
    return directory_ / name;
  }

  trace::test::TemporaryDirectory directory_;
};

/// Every configuration of `replayed` is in `swept`, with each of its values but the ranks.
void expect_same(const json& replayed, const json& swept) {
  std::map<std::string, json> by_name;
  for (const json& one : swept["configurations"])
    by_name[one["name"]] = one;
  for (const json& one : replayed["configurations"]) {
    ASSERT_TRUE(by_name.contains(one["name"])) << one["name"];
    for (const auto& [key, value] : one.items()) {
      if (key == "ranks") continue;
      EXPECT_EQ(by_name[one["name"]][key], value) << one["name"] << " " << key;
    }
  }
}

TEST_F(SweepVerb, gives_what_replay_gives_to_the_last_bit) {
  const std::vector<std::string> lists{"--bandwidth", "/8,x1,x3", "--latency", "/2,x1,x7"};
  for (const std::vector<std::string>& machine : {std::vector<std::string>{"--network", "e1g,qdr"},
                                                  {"--platform", "graphene"},
                                                  {"--platform", "graphene", "--platform", "ethernet-10g"}}) {
    std::vector<std::string> replay = machine;
    replay.insert(replay.end(), lists.begin(), lists.end());
    std::vector<std::string> sweep = replay;
    replay.insert(replay.end(), {"--cpu", "x1,x1.5"});
    sweep.insert(sweep.end(), {"--cpu", "x1,x1.5"});
    expect_same(answer("replay", replay), answer("sweep", sweep));
  }
}

TEST_F(SweepVerb, counts_the_replays_that_searches_make) {
  const json grid = answer("sweep", {"--network", "e1g", "--bandwidth", "x1,x2"});
  const json searched = answer("sweep", {"--network", "e1g", "--bandwidth", "x1,x2", "--break-even", "2%"});
  EXPECT_GT(searched["passes"], grid["passes"]);
  EXPECT_GT(answer("sweep", {"--network", "e1g", "--break-even", "2%"})["passes"], 1);
}

TEST_F(SweepVerb, gives_what_replay_gives_for_what_takes_a_pass_of_its_own) {
  for (const char* machine : {"--network", "--platform"}) {
    const std::string name = machine == std::string("--network") ? "e1g" : "graphene";
    const json swept = answer("sweep", {machine, name, "--ranks-per-node", "1,2", "--eager-limit", "200000,none",
                                        "--collectives", "mpich,schedule", "--bandwidth", "x1,x2"});
    std::size_t compared = 0;
    for (const json& one : swept["configurations"]) {
      const json limit = one["eager_limit_bytes"];
      const json replayed =
          answer("replay", {machine, name, "--mapping", "block:" + std::to_string(one["ranks_per_node"].get<int>()),
                            "--eager-limit", limit.is_string() ? "none" : limit.dump(), "--collectives",
                            one["collectives"].get<std::string>(), "--bandwidth", one["bandwidth_factor"].dump()});
      EXPECT_EQ(replayed["configurations"][0]["makespan_seconds"], one["makespan_seconds"]) << one["name"];
      EXPECT_EQ(replayed["configurations"][0]["mean_seconds"], one["mean_seconds"]) << one["name"];
      ++compared;
    }
    EXPECT_EQ(compared, 16U);
  }
}

TEST_F(SweepVerb, lists_every_rank_on_demand_as_replay_does) {
  const json swept = answer("sweep", {"--network", "e1g", "--bandwidth", "x1,x2", "--per-rank"});
  const json replayed = answer("replay", {"--network", "e1g", "--bandwidth", "x1,x2"});
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(swept["configurations"][i]["ranks"], replayed["configurations"][i]["ranks"]);
}

TEST_F(SweepVerb, csv_has_a_line_for_each_configuration) {
  const Outcome outcome = timeless_command(
      {"sweep", path(), "--network", "e1g,qdr", "--bandwidth", "/2..x4", "--latency", "x1,x2", "--csv"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 1 + 2 * 4 * 2);
  EXPECT_THAT(outcome.out, testing::StartsWith("name,machine,bandwidth_factor,latency_factor,cpu_factor,"));
}

TEST_F(SweepVerb, classes_are_those_of_classify) {
  const json swept = answer("sweep", {"--network", "e1g", "--bandwidth", "x1,x4", "--latency", "x1,/4", "--classes"});
  ASSERT_EQ(swept["classes"].size(), 4U);
  for (const json& one : swept["classes"]) {
    const json point = swept["configurations"][one["configuration"].get<std::size_t>()];
    const json classified =
        answer("classify", {"--network", "e1g", "--one-rate", "--anchor-bandwidth", point["bandwidth_factor"].dump(),
                            "--anchor-latency", point["latency_factor"].dump()});
    EXPECT_EQ(classified["networks"][0]["class"], one["class"]);
    EXPECT_EQ(classified["networks"][0]["reason"], one["reason"]);
  }
}

TEST_F(SweepVerb, break_even_is_the_tolerance_of_replay) {
  const json swept = answer("sweep", {"--network", "e1g", "--break-even", "1%,5%"});
  const json replayed = answer("replay", {"--network", "e1g", "--tolerance", "1%,5%"});
  for (const char* cost : {"latency", "byte_time", "compute"})
    EXPECT_EQ(swept["break_even"][0][cost], replayed["configurations"][0]["tolerance"][cost]);
}

TEST_F(SweepVerb, questions_are_answered_at_both_ends_of_the_range_of_rates) {
  const auto asked = [&](const std::vector<std::string>& rate) {
    std::vector<std::string> words{"--network",    "e1g", "--what-if", "network=qdr",
                                   "--break-even", "2%",  "--gain",    "5%"};
    words.insert(words.end(), rate.begin(), rate.end());
    return answer("sweep", words);
  };
  const json over = asked({"--compute-rate", "2e9"});
  const json slow = asked({"--compute-rate", "1e9", "--rate-within", "1"});
  const json fast = asked({"--compute-rate", "4e9", "--rate-within", "1"});
  EXPECT_EQ(over["what_if"][0]["gain_interval"], (json{slow["what_if"][0]["gain"], fast["what_if"][0]["gain"]}));
  for (const char* question : {"break_even", "gain"}) {
    ASSERT_EQ(over[question][0]["at_speeds"].size(), 2U);
    EXPECT_FALSE(fast[question][0].contains("at_speeds"));
    for (std::size_t i = 0; i < 2; ++i) {
      json at = over[question][0]["at_speeds"][i];
      EXPECT_EQ(at["speed"], i == 0 ? 2 : 0.5);
      at.erase("speed");
      json alone = (i == 0 ? fast : slow)[question][0];
      alone.erase("configuration");
      EXPECT_EQ(at, alone);
    }
  }
  const Outcome text = timeless_command({"sweep", path(), "--network", "e1g", "--compute-rate", "2e9", "--what-if",
                                         "network=qdr", "--break-even", "2%", "--gain", "5%"});
  EXPECT_THAT(text.out, testing::ContainsRegex("network=qdr.*\\([0-9.]+ to [0-9.]+\\)"));
  EXPECT_THAT(text.out, HasSubstr("2 % at 4.00 G/s"));
  EXPECT_THAT(text.out, HasSubstr("5 % at 1.00 G/s"));
}

TEST_F(SweepVerb, csv_rows_of_answers_at_other_speeds_are_of_the_machine_at_those_speeds) {
  const json replayed = answer("replay", {"--network", "e1g", "--cpu", "x1,x2,/2"});
  std::map<std::string, std::string> times; // by speed
  for (std::size_t i = 0; i < 3; ++i)
    times[i == 0 ? "1.0" : i == 1 ? "2.0" : "0.5"] = replayed["configurations"][i]["makespan_seconds"].dump();
  EXPECT_EQ(replayed["configurations"][1]["name"], "e1g cpu x2");
  EXPECT_EQ(replayed["configurations"][2]["name"], "e1g cpu /2");
  const Outcome outcome =
      timeless_command({"sweep", path(), "--network", "e1g", "--break-even", "2%", "--gain", "5%", "--csv"});
  std::istringstream lines(outcome.out);
  std::string line;
  std::size_t rows = 0;
  while (std::getline(lines, line)) {
    if (line.find(",break_even,") == std::string::npos && line.find(",gain,") == std::string::npos) continue;
    const std::string speed = line.substr(line.rfind(',') + 1);
    if (speed == "speed") continue; // the head
    EXPECT_THAT(line, HasSubstr("," + times.at(speed) + ",")) << speed;
    EXPECT_THAT(line, testing::StartsWith(speed == "1.0" ? "e1g,e1g,1.0,1.0,1.0," : "e1g cpu ")) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 3U * 3U * 2U);
}

TEST_F(SweepVerb, a_gain_that_is_bought_is_gained_and_no_less_buys_it) {
  const json swept = answer("sweep", {"--network", "e1g", "--gain", "10%,60%,99%"});
  const double before = swept["configurations"][0]["makespan_seconds"];
  int reached = 0;
  for (const auto& [cost, option] :
       std::map<std::string, std::string>{{"latency", "--latency"}, {"bandwidth", "--bandwidth"}, {"cpu", "--cpu"}})
    for (const json& one : swept["gain"][0][cost]["improvements"]) {
      if (!one["reached"].get<bool>()) {
        EXPECT_GT(one["gain"], swept["gain"][0][cost]["limit"]);
        continue;
      }
      ++reached;
      const double height = before * (1 - one["gain"].get<double>());
      const auto time_at = [&](double factor) {
        return answer("sweep",
                      {"--network", "e1g", option,
                       (cost == "latency" ? "/" : "x") + json(factor).dump()})["configurations"][1]["makespan_seconds"]
            .get<double>();
      };
      EXPECT_LE(time_at(one["most"]), height * (1 + 1e-9));
      EXPECT_GE(time_at(one["least"]), height * (1 - 1e-9));
    }
  EXPECT_GE(reached, 2);
}

TEST_F(SweepVerb, a_change_is_what_its_words_say) {
  const json swept =
      answer("sweep", {"--network", "e1g", "--what-if", "network x2, cpu x1.5", "--what-if", "network=qdr"});
  const json replayed = answer("replay", {"--network", "e1g", "--bandwidth", "x2", "--latency", "/2", "--cpu", "x1.5"});
  const json& what_if = swept["what_if"];
  ASSERT_EQ(what_if.size(), 2U);
  const auto after = [&](std::size_t i) { return swept["configurations"][what_if[i]["after"].get<std::size_t>()]; };
  EXPECT_EQ(after(0)["makespan_seconds"], replayed["configurations"][0]["makespan_seconds"]);
  EXPECT_EQ(after(1)["machine"], "qdr");
}

TEST_F(SweepVerb, upgrades_are_priced_and_what_is_beaten_is_said_to_be) {
  const std::string quotes =
      file("upgrades.csv", "# quotes of May\nname,price,change\nfast,100,\"network x8, cpu x4\"\n"
                           "dear,200,\"network x8, cpu x4\"\nnothing,10,ranks-per-node=1\n");
  const json upgrades = answer("sweep", {"--network", "e1g", "--upgrades", quotes})["upgrades"];
  ASSERT_EQ(upgrades.size(), 3U);
  EXPECT_TRUE(upgrades[0]["on_pareto_front"]);
  EXPECT_FALSE(upgrades[1]["on_pareto_front"]);
  EXPECT_NEAR(upgrades[0]["price_per_percent"].get<double>(), 100 / (100 * upgrades[0]["gain"].get<double>()), 1e-9);
  EXPECT_TRUE(upgrades[2]["price_per_percent"].is_null());
}

TEST_F(SweepVerb, upgrades_of_which_the_rate_says_which_is_faster_depend_on_it) {
  const std::string quotes =
      file("rivals.csv", "name,price,change\nnetwork,100,\"bandwidth x1.5, latency /1.5\"\nprocessors,100,cpu x2\n");
  const std::vector<std::string> asked{"--network", "e1g", "--upgrades", quotes};
  std::set<std::string> fastest;
  for (const std::string rate : {"2e9", "32e9"}) {
    std::vector<std::string> at_rate = asked;
    at_rate.insert(at_rate.end(), {"--compute-rate", rate, "--rate-within", "1"});
    const json swept = answer("sweep", at_rate);
    for (const json& one : swept["upgrades"]) {
      EXPECT_EQ(one["on_pareto_front_at_some_rates"], one["on_pareto_front"]);
      if (one["on_pareto_front"]) fastest.insert(one["name"]);
    }
  }
  ASSERT_EQ(fastest.size(), 2U) << "each is faster at one of the rates";
  std::vector<std::string> at_all = asked;
  at_all.insert(at_all.end(), {"--rate-within", "4"});
  const json swept = answer("sweep", at_all);
  for (const json& one : swept["upgrades"]) {
    EXPECT_TRUE(one["on_pareto_front_at_some_rates"]) << one;
    EXPECT_FALSE(one["on_pareto_front_at_all_rates"]) << one;
  }
}

TEST_F(SweepVerb, an_upgrade_is_worth_a_look_only_where_it_gains_what_is_worth_having) {
  const std::string quotes = file("little.csv", "name,price,change\nlittle,1,latency /1.001\n");
  const auto look = [&](const std::string& worth) {
    const Outcome outcome =
        timeless_command({"sweep", path(), "--network", "e1g", "--upgrades", quotes, "--worth", worth});
    EXPECT_THAT(outcome.out, HasSubstr("worth a look: it gains " + worth.substr(0, worth.size() - 1) + " % or more"));
    return outcome.out;
  };
  EXPECT_THAT(look("5%"), testing::ContainsRegex(" no +latency /1.001"));
  EXPECT_THAT(look("0.0001%"), testing::ContainsRegex(" yes +latency /1.001"));
  EXPECT_EQ(answer("sweep", {"--network", "e1g", "--upgrades", quotes})["upgrades"][0]["answer"], "ruled out");
}

/// Rows of comma-separated values without quotation marks, by column.
std::vector<std::map<std::string, std::string>> table_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::vector<std::string> head;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> values;
    std::istringstream stream(line + ",");
    for (std::string value; std::getline(stream, value, ',');)
      values.push_back(value);
    if (head.empty()) {
      head = values;
      continue;
    }
    EXPECT_EQ(values.size(), head.size());
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(head.size(), values.size()); ++i)
      row[head[i]] = values[i];
  }
  return rows;
}

TEST_F(SweepVerb, csv_has_the_answers_to_questions) {
  const std::vector<std::string> asked{
      "--network", "e1g",    "--what-if", "network=qdr", "--break-even",
      "2%",        "--gain", "5%,99%",    "--upgrades",  file("one.csv", "name,price,change\nfast,100,cpu x4\n")};
  const json swept = answer("sweep", asked);
  std::vector<std::string> words{"sweep", path(), "--csv"};
  words.insert(words.end(), asked.begin(), asked.end());
  std::map<std::string, std::vector<std::map<std::string, std::string>>> rows;
  for (const auto& row : table_of(timeless_command(words).out))
    rows[row.at("row")].push_back(row);
  EXPECT_EQ(rows["configuration"].size(), swept["configurations"].size());
  ASSERT_EQ(rows["what_if"].size(), 1U);
  EXPECT_EQ(rows["what_if"][0]["change"], "network=qdr");
  EXPECT_EQ(rows["what_if"][0]["name"], "qdr");
  EXPECT_EQ(std::stod(rows["what_if"][0]["gain"]), swept["what_if"][0]["gain"]);
  EXPECT_EQ(rows["what_if"][0]["answer"], swept["what_if"][0]["answer"]);
  ASSERT_EQ(rows["upgrade"].size(), 1U);
  EXPECT_EQ(rows["upgrade"][0]["upgrade"], "fast");
  EXPECT_EQ(rows["upgrade"][0]["price"], "100.0");
  ASSERT_EQ(rows["break_even"].size(), 9U); // three costs at three rates
  EXPECT_EQ(std::stod(rows["break_even"][0]["least"]), swept["break_even"][0]["latency"]["factors"][0]["least"]);
  EXPECT_EQ(rows["break_even"][0]["cost"], "latency");
  EXPECT_EQ(rows["break_even"][3]["speed"], "2.0");
  EXPECT_EQ(rows["gain"].size(), 18U);
}

TEST_F(SweepVerb, mistakes_are_answered_with_what_to_write) {
  const auto said = [&](std::vector<std::string> arguments, int status) {
    arguments.insert(arguments.begin(), {"sweep", path()});
    const Outcome outcome = timeless_command(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(said({"--network", "e1g", "--bandwidth", "/8..x7"}, 2), HasSubstr("no number of steps of two"));
  EXPECT_THAT(said({"--network", "e1g", "--bandwidth", "x0"}, 2), HasSubstr("write x2"));
  EXPECT_THAT(said({"--network", "e1g", "--what-if", "disk x2"}, 2), HasSubstr("'disk x2' is no change of a machine"));
  EXPECT_THAT(said({"--network", "e1g", "--what-if", "network=qdr, platform=graphene"}, 2), HasSubstr("two machines"));
  EXPECT_THAT(said({"--network", "e1g", "--what-if", "network=qdr, network=e10g"}, 2), HasSubstr("two machines"));
  for (const char* option : {"--bandwidth", "--latency", "--cpu", "--gain", "--break-even", "--upgrades"})
    EXPECT_THAT(said({"--network", "e1g", option, ""}, 2), HasSubstr(option));
  for (const char* factor : {"x1e300", "x1e10", "/1e300", "x1e-10"})
    EXPECT_THAT(said({"--network", "e1g", "--bandwidth", factor}, 2), HasSubstr("none beyond 1e9"));
  EXPECT_THAT(said({"--network", "e1g", "--what-if", "cpu x1e300"}, 2), HasSubstr("is no change of a machine"));
  EXPECT_THAT(said({"--network", "e1g", "--ranks-per-node", "0"}, 2), HasSubstr("'0' is not a whole number from 1 to"));
  EXPECT_THAT(said({"--network", "e1g", "--top", "-1"}, 2), HasSubstr("'-1' is not a whole number from 0 to"));
  EXPECT_THAT(said({"--network", "e1g", "--worth", "0%"}, 2), HasSubstr("not a number above 0"));
  EXPECT_THAT(said({"--network", "e1g", "--rate-within", "0.5"}, 2), HasSubstr("--rate-within"));
  EXPECT_THAT(said({"--where", "10Gb/s"}, 2), HasSubstr("write 10Gb/s,5us"));
  EXPECT_THAT(said({"--where", ""}, 2), HasSubstr("write 10Gb/s,5us"));
  EXPECT_THAT(said({"--network", "e1g", "--gain", "100%"}, 2), HasSubstr("100 %"));
  EXPECT_THAT(said({"--network", "e1g", "--gain", "10"}, 2), HasSubstr("10%"));
  EXPECT_THAT(said({"--network", "e1g", "--ranks-per-node", "2", "--mapping", "one-per-node"}, 2),
              HasSubstr("contradict"));
  EXPECT_THAT(said({"--network", "e1g", "--bandwidth", "/1024..x1024", "--latency", "/1024..x1024", "--cpu",
                    "/1024..x1024", "--eager-limit", "1,2,3"},
                   2),
              HasSubstr("of at most 20000"));
  EXPECT_THAT(said({"--network", "e1g", "--upgrades", file("bad.csv", "name,price,change\na,free,cpu x2\n")}, 3),
              HasSubstr("bad.csv: line 2"));
  EXPECT_THAT(said({"--network", "e1g", "--upgrades", file("quote.csv", "name,price,change\na,1,\"cpu x2\n")}, 3),
              HasSubstr("quotation mark"));
  EXPECT_THAT(said({"--network", "e1g", "--upgrades", file("empty.csv", "")}, 3), HasSubstr("no upgrades"));
}

TEST_F(SweepVerb, a_table_names_the_anchor_and_a_pipe_gets_no_colours) {
  const Outcome outcome = timeless_command({"sweep", path(), "--network", "e1g", "--top", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("speed-up is against e1g"));
  EXPECT_THAT(outcome.out, HasSubstr("and 46 more, of 49"));
  EXPECT_THAT(outcome.out, HasSubstr("e1g: what bounds it"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\033")));
  EXPECT_EQ(outcome.err, "");
}

TEST_F(SweepVerb, classify_puts_several_traces_and_networks_side_by_side) {
  const Outcome text = timeless_command({"classify", path(), path(), "--one-rate", "--where", "25Gb/s,2us"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, testing::ContainsRegex("bound by +ranks +25Gb/s,2us"));
  EXPECT_THAT(text.out, testing::ContainsRegex("what helps +ranks +25Gb/s,2us"));
  const json several = answer("classify", {path(), "--one-rate", "--network", "e1g,qdr", "--platform", "graphene"});
  ASSERT_EQ(several["traces"].size(), 2U);
  const json one = answer("classify", {"--one-rate", "--network", "e1g,qdr", "--platform", "graphene"});
  EXPECT_EQ(several["traces"][0]["networks"], one["networks"]);
  ASSERT_EQ(one["networks"].size(), 3U);
  for (const json& network : one["networks"]) {
    EXPECT_TRUE(network["missed"].contains("conditions"));
    EXPECT_TRUE(network["helps"].contains("sentence"));
  }
}

TEST_F(SweepVerb, what_helps_names_the_configuration_that_it_is_said_of) {
  const Outcome outcome = timeless_command({"sweep", path(), "--network", "e10g", "--eager-limit", "100000,none"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\ne10g, eager to 100000 B: "));
}

TEST_F(SweepVerb, what_helps_is_the_same_in_classify_and_report) {
  for (const std::vector<std::string>& rate :
       {std::vector<std::string>{}, {"--compute-rate", "2e9"}, {"--compute-rate", "60e9", "--worth", "10%"}}) {
    std::vector<std::string> asked{"--network", "e1g,qdr"};
    asked.insert(asked.end(), rate.begin(), rate.end());
    const json swept = answer("sweep", asked);
    const json reported = answer("report", asked);
    asked.emplace_back("--one-rate");
    const json classified = answer("classify", asked);
    for (std::size_t i = 0; i < 2; ++i) {
      const json& helps = classified["networks"][i]["helps"];
      EXPECT_EQ(swept["machines"][i]["helps"], helps);
      EXPECT_EQ(reported["machines"][i]["helps"], helps);
    }
    // Another machine goes before what this one's parts are worth.
    EXPECT_THAT(reported["verdict"]["advice"].get<std::string>(),
                HasSubstr(classified["networks"][0]["helps"]["sentence"].get<std::string>().substr(1) + "."));
    EXPECT_THAT(reported["verdict"]["advice"].get<std::string>(), HasSubstr("qdr in place of e1g helps most"));
    EXPECT_EQ(swept["rates"], classified["rates"]);
    EXPECT_EQ(reported["basis"]["rates"], classified["rates"]);
  }
}

TEST_F(SweepVerb, what_helps_at_a_point_is_what_helps_a_machine_like_it) {
  const json swept =
      answer("sweep", {"--network", "e1g", "--bandwidth", "/4,x1,x16", "--latency", "/16,x1,x4", "--classes"});
  for (const json& one : swept["classes"]) {
    const json point = swept["configurations"][one["configuration"].get<std::size_t>()];
    const json classified =
        answer("classify", {"--network", "e1g", "--one-rate", "--anchor-bandwidth", point["bandwidth_factor"].dump(),
                            "--anchor-latency", point["latency_factor"].dump()});
    EXPECT_EQ(classified["networks"][0]["helps"]["what"], one["helps"]);
  }
}

TEST_F(SweepVerb, an_answer_at_a_rate_that_nobody_measured_is_for_a_range_of_rates) {
  const auto interval = [&](const std::vector<std::string>& more) {
    std::vector<std::string> asked{"--network", "e10g", "--one-rate"};
    asked.insert(asked.end(), more.begin(), more.end());
    return answer("classify", asked)["networks"][0]["helps"]["changes"][1]["saving_interval"];
  };
  const auto saving = [&](const char* rate) {
    return answer("classify", {"--network", "e10g", "--one-rate", "--compute-rate",
                               rate})["networks"][0]["helps"]["changes"][1]["saving"];
  };
  const json over = interval({"--compute-rate", "2e9"});
  EXPECT_EQ(over, (json{saving("1e9"), saving("4e9")}));
  EXPECT_EQ(interval({"--compute-rate", "2e9", "--rate-within", "4"}), (json{saving("0.5e9"), saving("8e9")}));
  const json one = interval({"--compute-rate", "2e9", "--rate-within", "1"});
  EXPECT_EQ(one[0], one[1]);
}

TEST_F(SweepVerb, a_run_on_one_node_is_told_of_no_network) {
  const std::vector<std::string> asked{"--network", "e1g,qdr", "--mapping", "block:4"};
  const json classified = answer("classify", asked);
  const json swept = answer("sweep", asked);
  const json reported = answer("report", asked);
  for (std::size_t i = 0; i < 2; ++i) {
    for (const json* one : {&classified["networks"][i], &reported["machines"][i]}) {
      EXPECT_TRUE((*one)["class"].is_null());
      EXPECT_THAT((*one)["reason"], HasSubstr("all ranks are on one node (--mapping one-per-node"));
    }
    for (const json* one : {&classified["networks"][i], &swept["machines"][i], &reported["machines"][i]}) {
      EXPECT_FALSE((*one)["helps"]["network_used"]);
      EXPECT_THAT((*one)["helps"]["sentence"], HasSubstr("No message crosses the network"));
      for (const json& change : (*one)["helps"]["changes"])
        EXPECT_THAT((std::vector<std::string>{"processors", "balance"}), testing::Contains(change["change"]));
    }
  }
  for (const json& one : swept["classes"])
    EXPECT_TRUE(one["class"].is_null());
  EXPECT_EQ(reported["verdict"]["changes"].size(), 2U);
  EXPECT_TRUE(reported["plane"].is_null());
  std::vector<std::string> fails{"classify", path(), "--fail-on", "computation,mixed,imbalance"};
  fails.insert(fails.end(), asked.begin(), asked.end());
  EXPECT_EQ(timeless_command(fails).status, 0);
  for (const char* verb : {"classify", "sweep", "report"}) {
    const Outcome text = timeless_command({verb, path(), "--network", "e1g", "--mapping", "block:4"});
    EXPECT_THAT(in_one_line(text.out), HasSubstr("o message crosses the network")) << verb;
    EXPECT_THAT(text.out, Not(HasSubstr("bandwidth /8 to x8"))) << verb;
    EXPECT_THAT(text.out, Not(HasSubstr("what bounds it"))) << verb;
  }
}

TEST_F(SweepVerb, a_machine_that_is_named_twice_counts_once) {
  for (const char* verb : {"replay", "sweep", "classify", "report"}) {
    const Outcome outcome = timeless_command(
        {verb, path(), "--json", "--network", "e1g,e1g", "--where", "10Gb/s,5us", "--where", "10Gb/s,5us"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("e1g is named twice, and counts once"));
    EXPECT_THAT(outcome.err, HasSubstr("10Gb/s,5us is named twice"));
    const json found = json::parse(outcome.out);
    EXPECT_EQ(found[verb == std::string("classify") ? "networks"
                    : verb == std::string("replay") ? "configurations"
                                                    : "machines"]
                  .size(),
              2U)
        << verb;
  }
}

TEST_F(SweepVerb, a_network_by_its_figures_is_one_of_that_name) {
  const json by_figures = answer("replay", {"--where", "32Gb/s,1.3us"});
  const json by_name = answer("replay", {"--network", "qdr"});
  EXPECT_EQ(by_figures["configurations"][0]["makespan_seconds"], by_name["configurations"][0]["makespan_seconds"]);
  const json swept = answer("sweep", {"--where", "32Gb/s,1.3us", "--bandwidth", "x1"});
  EXPECT_EQ(swept["configurations"][0]["makespan_seconds"], by_name["configurations"][0]["makespan_seconds"]);
  const json reported = answer("report", {"--where", "32Gb/s,1.3us"});
  ASSERT_EQ(reported["machines"].size(), 1U);
  EXPECT_EQ(reported["machines"][0]["makespan_seconds"], by_name["configurations"][0]["makespan_seconds"]);
}

/// The values below a heading of a table, by row.
std::vector<std::string> column_of(const std::string& text, const std::string& heading) {
  std::istringstream lines(text);
  std::vector<std::string> values;
  std::size_t end = std::string::npos;
  for (std::string line; std::getline(lines, line) && (end == std::string::npos || !line.empty());) {
    if (const std::size_t at = line.find(heading); end == std::string::npos && at != std::string::npos)
      end = at + heading.size();
    else if (end != std::string::npos && line.size() > end && line[end] == ' ')
      values.push_back(line.substr(line.rfind(' ', end - 1) + 1, end - line.rfind(' ', end - 1) - 1));
  }
  return values;
}

TEST_F(SweepVerb, compute_percent_is_the_same_in_every_table) {
  const auto column = [&](const std::string& verb, const std::vector<std::string>& more, const std::string& heading) {
    std::vector<std::string> words{verb, path(), "--network", "e10g"};
    words.insert(words.end(), more.begin(), more.end());
    return column_of(timeless_command(words).out, heading).at(0);
  };
  const std::string compute = column("replay", {}, " compute %");
  const std::string copy = column("replay", {}, " copy %");
  EXPECT_NE(copy, "0.0");
  EXPECT_EQ(column("sweep", {"--bandwidth", "x1"}, " compute %"), compute);
  EXPECT_EQ(column("classify", {"--one-rate", "--copies-communicate"}, " compute %"), compute);
  EXPECT_NEAR(std::stod(column("classify", {"--one-rate"}, " compute+copy %")), std::stod(compute) + std::stod(copy),
              0.11);
}

TEST_F(SweepVerb, configurations_that_deadlock_are_said_to) {
  const Outcome outcome =
      timeless_command({"sweep", path(), "--network", "e1g", "--eager-limit", "none,1000", "--csv"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 configurations end in a deadlock"));
}

} // namespace
} // namespace timeless::tools
