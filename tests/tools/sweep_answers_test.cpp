#include "tests/tools/swept_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
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

class SweepAnswers : public test::SweptRun {};

TEST_F(SweepAnswers, break_even_is_the_tolerance_of_replay) {
  const json swept = answer("sweep", {"--network", "e1g", "--break-even", "1%,5%"});
  const json replayed = answer("replay", {"--network", "e1g", "--tolerance", "1%,5%"});
  for (const char* cost : {"latency", "byte_time", "compute"})
    EXPECT_EQ(swept["break_even"][0][cost], replayed["configurations"][0]["tolerance"][cost]);
}

TEST_F(SweepAnswers, questions_are_answered_at_both_ends_of_the_range_of_rates) {
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
  EXPECT_THAT(text.out, HasSubstr("2 % at 4.00 G instructions/s"));
  EXPECT_THAT(text.out, HasSubstr("5 % at 1.00 G instructions/s"));
}

TEST_F(SweepAnswers, csv_rows_of_answers_at_other_speeds_are_of_the_machine_at_those_speeds) {
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

TEST_F(SweepAnswers, a_gain_that_is_bought_is_gained_and_no_less_buys_it) {
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

TEST_F(SweepAnswers, a_change_is_what_its_words_say) {
  const json swept =
      answer("sweep", {"--network", "e1g", "--what-if", "network x2, cpu x1.5", "--what-if", "network=qdr"});
  const json replayed = answer("replay", {"--network", "e1g", "--bandwidth", "x2", "--latency", "/2", "--cpu", "x1.5"});
  const json& what_if = swept["what_if"];
  ASSERT_EQ(what_if.size(), 2U);
  const auto after = [&](std::size_t i) { return swept["configurations"][what_if[i]["after"].get<std::size_t>()]; };
  EXPECT_EQ(after(0)["makespan_seconds"], replayed["configurations"][0]["makespan_seconds"]);
  EXPECT_EQ(after(1)["machine"], "qdr");
}

TEST_F(SweepAnswers, upgrades_are_priced_and_what_is_beaten_is_said_to_be) {
  const std::string quotes =
      file("upgrades.csv", "# quotes of May\nname,price,change\nfast,100,\"network x8, cpu x4\"\n"
                           "dear,200,\"network x8, cpu x4\"\nnothing,10,ranks-per-node=1\n");
  const json upgrades = answer("sweep", {"--network", "e1g", "--upgrades", quotes})["upgrades"];
  ASSERT_EQ(upgrades.size(), 3U);
  EXPECT_TRUE(upgrades[0]["on_pareto_front"]);
  EXPECT_FALSE(upgrades[1]["on_pareto_front"]);
  EXPECT_TRUE(upgrades[0]["beaten_by"].is_null());
  EXPECT_EQ(upgrades[1]["beaten_by"], "fast");
  EXPECT_EQ(upgrades[1]["answer"], "ruled out");
  EXPECT_EQ(upgrades[1]["saving_is_worth"], "pays");
  for (const json& one : upgrades)
    EXPECT_THAT(timeless_command({"sweep", path(), "--network", "e1g", "--upgrades", quotes}).out,
                HasSubstr(one["worth_a_look"].get<std::string>()));
  EXPECT_THAT(timeless_command({"sweep", path(), "--network", "e1g", "--upgrades", quotes}).out,
              testing::ContainsRegex("dear .* no: fast saves as much and costs less  "));
  EXPECT_NEAR(upgrades[0]["price_per_percent"].get<double>(), 100 / (100 * upgrades[0]["gain"].get<double>()), 1e-9);
  EXPECT_TRUE(upgrades[2]["price_per_percent"].is_null());
}

TEST_F(SweepAnswers, what_is_slower_is_said_to_be_in_the_words_of_a_report) {
  const std::string quotes = file("slow.csv", "name,price,change\nold,1,latency x8\n");
  const json old = answer("sweep", {"--network", "e1g", "--upgrades", quotes})["upgrades"][0];
  const std::string longer = fmt::format("{:.1f} longer", -100 * old["gain"].get<double>());
  const Outcome text =
      timeless_command({"sweep", path(), "--network", "e1g", "--upgrades", quotes, "--what-if", "latency x8"});
  EXPECT_THAT(text.out, testing::ContainsRegex("latency x8 .*" + longer + " \\([0-9.]+ to [0-9.]+\\) +no: slower"));
  EXPECT_THAT(text.out, testing::ContainsRegex("old .* longer .* no: slower"));
}

TEST_F(SweepAnswers, csv_of_gains_says_the_most_that_each_cost_can_gain) {
  const json gains = answer(
      "sweep", {"--network", "e1g", "--gain", "5%,90%", "--compute-rate", "2e9", "--rate-within", "1"})["gain"][0];
  const Outcome csv = timeless_command({"sweep", path(), "--network", "e1g", "--gain", "5%,90%", "--compute-rate",
                                        "2e9", "--rate-within", "1", "--csv"});
  for (const char* cost : {"latency", "bandwidth", "cpu"})
    EXPECT_THAT(csv.out, testing::ContainsRegex(fmt::format(",{},0.9,.*,{},1.0\n", cost, gains[cost]["limit"].dump())));
}

TEST_F(SweepAnswers, upgrades_of_which_the_rate_says_which_is_faster_depend_on_it) {
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
    ASSERT_EQ(one["beaten_at"].size(), 1U);
    // At the speeds between which that begins or ends, each by itself, it is the one and the other.
    const json& beaten = one["beaten_at"][0];
    ASSERT_TRUE(beaten["from"].is_null() != beaten["to"].is_null()) << one;
    const json& turn = beaten["from"].is_null() ? beaten["to"] : beaten["from"];
    EXPECT_LE(turn["most_speed"].get<double>(), 1.01 * turn["least_speed"].get<double>());
    const auto on_front_at = [&](const char* speed) {
      std::vector<std::string> there = asked;
      const double rate =
          turn.at(speed).get<double>() * swept["machines"][0]["compute_rate"]["least_per_second"].get<double>();
      there.insert(there.end(), {"--compute-rate", fmt::format("{:.17g}", rate), "--rate-within", "1"});
      const json at = answer("sweep", there);
      const auto same =
          std::ranges::find_if(at["upgrades"], [&](const json& other) { return other["name"] == one["name"]; });
      return same->at("on_pareto_front").get<bool>();
    };
    EXPECT_EQ(on_front_at("least_speed"), beaten["to"].is_null());
    EXPECT_EQ(on_front_at("most_speed"), beaten["from"].is_null());
    if (one["saving_is_worth"] == "pays") {
      EXPECT_THAT(one["worth_a_look"], testing::ContainsRegex("^depends: no (above|below) about .* instructions/s$"));
    }
  }
}

TEST_F(SweepAnswers, an_upgrade_whose_saving_and_front_depend_on_the_rate_says_at_which_rates_it_is_no_choice) {
  const std::string quotes =
      file("rivals.csv", "name,price,change\nnetwork,100,\"bandwidth x1.5, latency /1.5\"\nprocessors,100,cpu x2\n");
  const auto upgrades_at = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"--network", "e1g", "--upgrades", quotes};
    words.insert(words.end(), more.begin(), more.end());
    return answer("sweep", words)["upgrades"];
  };
  const json saved = upgrades_at({"--rate-within", "4"})[0]["gain_interval"];
  const std::string worth = fmt::format("{:.6f}%", 50 * (saved[0].get<double>() + saved[1].get<double>()));
  const json network = upgrades_at({"--rate-within", "4", "--worth", worth})[0];
  EXPECT_EQ(network["saving_is_worth"], "undecided");
  EXPECT_FALSE(network["on_pareto_front_at_all_rates"]);
  ASSERT_TRUE(network.contains("turns"));
  EXPECT_THAT(network["worth_a_look"], testing::ContainsRegex("^depends: no below about [0-9.]+ [GM] instructions/s$"))
      << "where it saves too little, and where processors save more, are one range";
  EXPECT_EQ(upgrades_at({"--compute-rate", "2e9", "--rate-within", "1", "--worth", worth})[0]["answer"], "ruled out");
  EXPECT_EQ(upgrades_at({"--compute-rate", "32e9", "--rate-within", "1", "--worth", worth})[0]["answer"], "pays");
}

TEST_F(SweepAnswers, an_upgrade_that_saves_enough_only_where_others_are_better_is_no_choice) {
  const std::string quotes =
      file("rivals.csv", "name,price,change\nfaster,100,cpu x1.15\nolder network,90,\"cpu x1.5, latency x3\"\n");
  const auto upgrade_at = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"--network", "e1g", "--upgrades", quotes};
    words.insert(words.end(), more.begin(), more.end());
    return answer("sweep", words)["upgrades"][0];
  };
  const std::vector<std::string> range{"--rate-within", "8"};
  const json first = upgrade_at(range);
  ASSERT_EQ(first["beaten_at"].size(), 1U) << first;
  ASSERT_TRUE(first["beaten_at"][0]["from"].is_null()) << first;
  // What it saves at the rate at which it ceases to be beaten is less than what is asked for.
  const double turn = first["beaten_at"][0]["to"]["least_speed"].get<double>();
  const double rate =
      answer("sweep", {"--network", "e1g", "--upgrades", quotes})["machines"][0]["compute_rate"]["least_per_second"]
          .get<double>();
  const json there = upgrade_at({"--compute-rate", fmt::format("{:.17g}", rate * turn), "--rate-within", "1"});
  const std::string worth = fmt::format("{:.6f}%", 100 * 1.05 * there["gain"].get<double>());
  const json one = upgrade_at({"--rate-within", "8", "--worth", worth});
  EXPECT_EQ(one["saving_is_worth"], "undecided") << one;
  EXPECT_FALSE(one["on_pareto_front_at_all_rates"]);
  EXPECT_TRUE(one["on_pareto_front_at_some_rates"]);
  EXPECT_THAT(one["worth_a_look"], testing::StartsWith("no: others are better wherever it saves"));
  EXPECT_EQ(one["answer"], "ruled out");
}

TEST_F(SweepAnswers, an_upgrade_is_worth_a_look_only_where_it_gains_what_is_worth_having) {
  const std::string quotes = file("little.csv", "name,price,change\nlittle,1,latency /1.001\n");
  const auto look = [&](const std::string& worth) {
    const Outcome outcome =
        timeless_command({"sweep", path(), "--network", "e1g", "--upgrades", quotes, "--worth", worth});
    EXPECT_THAT(outcome.out, HasSubstr("worth a look: it saves " + worth.substr(0, worth.size() - 1) + " % or more"));
    return outcome.out;
  };
  EXPECT_THAT(look("5%"), testing::ContainsRegex("little .* no: less than 5 %  "));
  EXPECT_THAT(look("0.0001%"), testing::ContainsRegex("little .* yes  "));
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

TEST_F(SweepAnswers, csv_has_the_answers_to_questions) {
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
  EXPECT_EQ(std::stod(rows["what_if"][0]["gain_least"]), swept["what_if"][0]["gain_interval"][0]);
  EXPECT_EQ(std::stod(rows["what_if"][0]["gain_most"]), swept["what_if"][0]["gain_interval"][1]);
  EXPECT_LE(std::stod(rows["what_if"][0]["makespan_least_seconds"]), std::stod(rows["what_if"][0]["makespan_seconds"]));
  ASSERT_EQ(rows["upgrade"].size(), 1U);
  EXPECT_EQ(rows["upgrade"][0]["upgrade"], "fast");
  EXPECT_EQ(rows["upgrade"][0]["price"], "100.0");
  ASSERT_EQ(rows["break_even"].size(), 9U); // three costs at three rates
  EXPECT_EQ(std::stod(rows["break_even"][0]["least"]), swept["break_even"][0]["latency"]["factors"][0]["least"]);
  EXPECT_EQ(rows["break_even"][0]["cost"], "latency");
  EXPECT_EQ(rows["break_even"][3]["speed"], "2.0");
  EXPECT_EQ(rows["gain"].size(), 18U);
}

TEST_F(SweepAnswers, what_helps_names_the_configuration_that_it_is_said_of) {
  const Outcome outcome = timeless_command({"sweep", path(), "--network", "e10g", "--eager-limit", "100000,none"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\ne10g, eager to 100000 B: "));
}

TEST_F(SweepAnswers, what_helps_is_the_same_in_classify_and_report) {
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
    EXPECT_THAT(reported["verdict"]["advice"].get<std::string>(), HasSubstr("qdr in place of e1g saves more than "));
    EXPECT_EQ(swept["rates"], classified["rates"]);
    EXPECT_EQ(reported["basis"]["rates"], classified["rates"]);
  }
}

TEST_F(SweepAnswers, what_helps_at_a_point_is_what_helps_a_machine_like_it) {
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

TEST_F(SweepAnswers, an_answer_at_a_rate_that_nobody_measured_is_for_a_range_of_rates) {
  const auto interval = [&](const std::vector<std::string>& more) {
    std::vector<std::string> asked{"--network", "e10g", "--one-rate"};
    asked.insert(asked.end(), more.begin(), more.end());
    return answer("classify", asked)["networks"][0]["helps"]["changes"][2]["saving_interval"];
  };
  const auto saving = [&](const char* rate) {
    return answer("classify", {"--network", "e10g", "--one-rate", "--compute-rate",
                               rate})["networks"][0]["helps"]["changes"][2]["saving"];
  };
  const json over = interval({"--compute-rate", "2e9"});
  EXPECT_EQ(over, (json{saving("1e9"), saving("4e9")}));
  EXPECT_EQ(interval({"--compute-rate", "2e9", "--rate-within", "4"}), (json{saving("0.5e9"), saving("8e9")}));
  const json one = interval({"--compute-rate", "2e9", "--rate-within", "1"});
  EXPECT_EQ(one[0], one[1]);
}

TEST_F(SweepAnswers, a_run_on_one_node_is_told_of_no_network) {
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
        EXPECT_THAT((std::vector<std::string>{"processors", "processor_step", "balance"}),
                    testing::Contains(change["change"]));
    }
  }
  for (const json& one : swept["classes"])
    EXPECT_TRUE(one["class"].is_null());
  EXPECT_EQ(reported["verdict"]["changes"].size(), 3U);
  EXPECT_TRUE(reported["plane"].is_null());
  std::vector<std::string> fails{"classify", path(), "--fail-on", "computation,mixed,imbalance"};
  fails.insert(fails.end(), asked.begin(), asked.end());
  EXPECT_EQ(timeless_command(fails).status, 0);
  for (const char* verb : {"classify", "sweep", "report"}) {
    const Outcome text = timeless_command({verb, path(), "--network", "e1g", "--mapping", "block:4"});
    EXPECT_THAT(in_one_line(text.out), HasSubstr("o message crosses the network")) << verb;
    EXPECT_THAT(text.out, Not(HasSubstr("bandwidth /8 to x8"))) << verb;
    EXPECT_THAT(text.out, Not(HasSubstr("what bounds it"))) << verb;
    if (std::string(verb) == "sweep") {
      EXPECT_THAT(text.out, HasSubstr("machine   e1g: no message crosses the network"));
    }
  }
}

TEST_F(SweepAnswers, a_turn_is_told_alike_by_all_verbs_and_its_sides_answer_differently) {
  const json range = answer("sweep", {"--network", "e1g", "--what-if", "latency /2", "--what-if", "network=qdr"});
  const auto middle = [&](std::size_t number) {
    const json& ends = range["what_if"][number]["gain_interval"];
    return json((ends[0].get<double>() + ends[1].get<double>()) / 2).dump();
  };
  const auto asked = [&](const char* verb, const std::string& network, std::size_t number) {
    std::vector<std::string> words{"--network", network, "--worth", middle(number)};
    if (verb == std::string("sweep")) words.insert(words.end(), {"--what-if", range["what_if"][number]["change"]});
    if (verb == std::string("classify")) words.emplace_back("--one-rate");
    return answer(verb, words);
  };
  const json latency = asked("sweep", "e1g", 0);
  const json& turns = latency["what_if"][0]["turns"];
  EXPECT_LE(turns["most_speed"].get<double>() / turns["least_speed"].get<double>(), 1.01);
  EXPECT_EQ(latency["machines"][0]["helps"]["changes"][3]["turns"], turns);
  EXPECT_EQ(asked("classify", "e1g", 0)["networks"][0]["helps"]["changes"][3]["turns"], turns);
  EXPECT_EQ(asked("report", "e1g", 0)["machines"][0]["helps"]["changes"][3]["turns"], turns);
  const json network = asked("sweep", "e1g", 1)["what_if"][0]["turns"];
  EXPECT_EQ(asked("report", "e1g,qdr", 1)["verdict"]["changes"][0]["turns"], network);
  for (const char* side : {"least_speed", "most_speed"}) {
    const double rate = 8e9 * network[side].get<double>(); // 8 G/s are assumed
    const double gain = answer("sweep", {"--network", "e1g", "--what-if", "network=qdr", "--compute-rate",
                                         json(rate).dump(), "--rate-within", "1"})["what_if"][0]["gain"];
    EXPECT_EQ(gain >= std::stod(middle(1)), (side == std::string("most_speed")) == network["pays_above"].get<bool>());
  }
}

TEST_F(SweepAnswers, a_turn_is_printed_in_as_few_digits_as_lie_between_its_sides) {
  const std::vector<std::string> asked{"--network", "e1g", "--what-if", "network=qdr", "--worth", "65%"};
  const json turns = answer("sweep", asked)["what_if"][0]["turns"];
  std::vector<std::string> words{"sweep", path()};
  words.insert(words.end(), asked.begin(), asked.end());
  const std::string text = in_one_line(timeless_command(words).out);
  const std::string before = "depends: yes above about ";
  const std::size_t at = text.find(before);
  ASSERT_NE(at, std::string::npos) << text;
  const std::string told = text.substr(at + before.size());
  EXPECT_THAT(told.substr(told.find(' ')), testing::StartsWith(" G instructions/s "));
  EXPECT_LE(told.find(' '), 4U) << told;
  EXPECT_GE(std::stod(told), 8 * turns["least_speed"].get<double>());
  EXPECT_LE(std::stod(told), 8 * turns["most_speed"].get<double>());
}

TEST_F(SweepAnswers, say_how_sure_they_are_and_why_no_surer) {
  const std::string quotes = file("quotes.csv", "name,price,change\nnetwork,111400,network=qdr\n");
  const std::vector<std::string> asked{"--network", "e1g", "--what-if", "cpu x2", "--upgrades", quotes};
  const json swept = answer("sweep", asked);
  EXPECT_EQ(swept["what_if"][0]["confidence"], "medium");
  EXPECT_THAT(swept["what_if"][0]["reasons"][0], HasSubstr("how fast the processors compute is assumed"));
  EXPECT_THAT(swept["upgrades"][0]["reasons"].dump(), HasSubstr("the figures of e1g and qdr are published"));
  EXPECT_FALSE(swept["machines"][0]["reasons"].empty());
  std::vector<std::string> words{"sweep", path()};
  words.insert(words.end(), asked.begin(), asked.end());
  const std::string text = timeless_command(words).out;
  EXPECT_THAT(text, HasSubstr("confidence in what helps"));
  EXPECT_THAT(text, testing::ContainsRegex("cpu x2 +e1g .* yes +medium: [0-9]"));
  EXPECT_THAT(text, testing::ContainsRegex("\n  [0-9]  how fast the processors compute is assumed"));
  EXPECT_THAT(text, Not(testing::ContainsRegex("[0-9]e[+][0-9]"))) << "a price is written out";
}

/// Writes an archive of two ranks, and returns its name: the second stopped after so many rounds of ten.
std::string cut_after(const std::string& file, int rounds) {
  trace::MemorySource run(2);
  for (trace::Rank rank = 0; rank < 2; ++rank)
    for (int round = 0; round < (rank == 0 ? 10 : rounds); ++round) {
      run.compute(rank, 1'000'000);
      run.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .tag = 7, .bytes = 5'000});
    }
  run.finalize();
  run.description().ranks[1].ending = trace::Ending::unknown;
  trace::test::write_archive(run, file);
  return file;
}

TEST_F(SweepAnswers, of_a_part_of_a_run_say_so_in_every_form) {
  const std::string part = cut_after(directory_ / "part.tia", 8);
  const std::string quotes = file("part.csv", "name,price,change\nfast,100,cpu x2\n");
  const std::vector<std::string> asked{"sweep", part, "--network", "e1g", "--what-if", "cpu x2", "--upgrades", quotes};
  const auto with = [&](const char* form) {
    std::vector<std::string> words = asked;
    words.emplace_back(form);
    return timeless_command(words);
  };
  const Outcome text = timeless_command(asked);
  EXPECT_EQ(text.status, 6) << text.err;
  EXPECT_THAT(text.out, testing::ContainsRegex("cpu x2 +e1g .* yes [(]recorded part[)] +low: 1"));
  EXPECT_THAT(text.out, testing::ContainsRegex("fast .* yes [(]recorded part[)] +low: 1"));
  EXPECT_THAT(text.out, HasSubstr("\nrecorded  a part: rank 1 "));
  const json answered = json::parse(with("--json").out);
  for (const char* question : {"what_if", "upgrades"}) {
    EXPECT_TRUE(answered[question][0]["recorded_part"]);
    EXPECT_EQ(answered[question][0]["confidence"], "low");
  }
  std::size_t rows = 0;
  for (auto row : table_of(with("--csv").out))
    if (row["row"] == "what_if" || row["row"] == "upgrade") {
      ++rows;
      EXPECT_EQ(row["recorded_part"], "true");
      EXPECT_EQ(row["confidence"], "low");
    }
  EXPECT_EQ(rows, 2U);
}

TEST_F(SweepAnswers, are_refused_where_next_to_nothing_was_recorded_of_a_rank) {
  const std::string part = cut_after(directory_ / "start.tia", 0);
  const std::vector<std::string> asked{"sweep",     part,          "--network", "e1g",          "--what-if", "cpu x2",
                                       "--classes", "--bandwidth", "x1,x2",     "--break-even", "2%"};
  const Outcome text = timeless_command(asked);
  EXPECT_EQ(text.status, 6) << text.err;
  EXPECT_THAT(text.out, HasSubstr("Not enough was recorded to advise: rank 1 stopped after 1 of about 21 actions"));
  EXPECT_THAT(text.out, Not(HasSubstr("what to buy")));
  std::vector<std::string> words = asked;
  words.emplace_back("--json");
  const json answered = json::parse(timeless_command(words).out);
  EXPECT_THAT(answered["refusal"], HasSubstr("not enough was recorded"));
  EXPECT_TRUE(answered["machines"][0]["helps"].is_null());
  EXPECT_EQ(answered["classes"].size(), 2U);
  for (const json& one : answered["classes"])
    EXPECT_TRUE(one["class"].is_null());
  EXPECT_FALSE(answered.contains("break_even"));
  EXPECT_TRUE(answered["what_if"][0]["gain"].is_null());
  EXPECT_TRUE(answered["what_if"][0]["confidence"].is_null());
}

TEST_F(SweepAnswers, a_network_may_be_changed_for_one_by_its_figures) {
  const json swept = answer("sweep", {"--network", "e1g", "--what-if", "network=32Gb/s,1.3us", "--what-if",
                                      "network=32Gb/s, 1.3us, cpu x2", "--what-if", "network=qdr"});
  const json& all = swept["what_if"];
  EXPECT_EQ(all[0]["gain"], all[2]["gain"]);
  EXPECT_GT(all[1]["gain"], all[0]["gain"]);
  EXPECT_EQ(swept["configurations"][all[0]["after"].get<std::size_t>()]["machine"], "32Gb/s,1.3us");
  EXPECT_THAT(all[0]["reasons"].dump(), HasSubstr("those of 32Gb/s,1.3us given"));
}

} // namespace
} // namespace timeless::tools
