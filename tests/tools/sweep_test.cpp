#include "tests/tools/swept_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using testing::HasSubstr;
using testing::Not;

class SweepVerb : public test::SweptRun {};

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
  EXPECT_THAT(said({"--network", "e1g", "--what-if", "network=10Gb/s"}, 2), HasSubstr("write 10Gb/s,5us"));
  EXPECT_THAT(said({"--network", "5us"}, 2), HasSubstr("write 10Gb/s,5us"));
  EXPECT_THAT(said({"--network", "e1g", "--what-if", "network=qdr, platform=graphene"}, 2), HasSubstr("two machines"));
  EXPECT_THAT(said({"--network", "e1g", "--what-if", "network=qdr, network=e10g"}, 2), HasSubstr("two machines"));
  for (const char* twice : {"cpu x2, cpu x3", "eager-limit=1, eager-limit=2", "latency /2, latency x2"})
    EXPECT_THAT(said({"--network", "e1g", "--what-if", twice}, 2), HasSubstr("changes the same thing twice"));
  for (const char* option : {"--bandwidth", "--latency", "--cpu", "--gain", "--break-even", "--upgrades"})
    EXPECT_THAT(said({"--network", "e1g", option, ""}, 2), HasSubstr(option));
  for (const char* factor : {"x1e300", "x1e10", "/1e300", "x1e-10"})
    EXPECT_THAT(said({"--network", "e1g", "--bandwidth", factor}, 2), HasSubstr("none beyond 1e9"));
  EXPECT_THAT(said({"--network", "e1g", "--what-if", "cpu x1e300"}, 2), HasSubstr("is no change of a machine"));
  EXPECT_THAT(said({"--network", "e1g", "--ranks-per-node", "0"}, 2), HasSubstr("'0' is not a whole number from 1 to"));
  EXPECT_THAT(said({"--network", "e1g", "--top", "-1"}, 2), HasSubstr("'-1' is not a whole number from 0 to"));
  EXPECT_THAT(said({"--network", "e1g", "--worth", "0%"}, 2), HasSubstr("write more than 0%"));
  EXPECT_THAT(said({"--network", "e1g", "--rate-within", "0.5"}, 2), HasSubstr("--rate-within"));
  EXPECT_THAT(said({"--network", "e1g", "--worth", "200%"}, 2), HasSubstr("'200%' is no part of the time"));
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
  EXPECT_THAT(said({"--network", "e1g", "--upgrades", file("comma.csv", "name,price,change\na,1,200,cpu x2\n")}, 3),
              HasSubstr("'1,200' is no price"));
  EXPECT_THAT(
      said({"--network", "e1g", "--upgrades", file("quoted.csv", "name,price,change\na,\"1,200\",cpu x2\n")}, 3),
      HasSubstr("without commas between its digits"));
  EXPECT_THAT(said({"--network", "e1g", "--upgrades", file("quote.csv", "name,price,change\na,1,\"cpu x2\n")}, 3),
              HasSubstr("quotation mark"));
  EXPECT_THAT(said({"--network", "e1g", "--upgrades", file("empty.csv", "")}, 3), HasSubstr("no upgrades"));
  EXPECT_THAT(
      said({"--network", "e1g", "--upgrades", file("same.csv", "name,price,change\na,1,cpu x2\na,2,cpu x4\n")}, 3),
      HasSubstr("line 3): give each a name of its own"));
}

TEST_F(SweepVerb, of_too_many_configurations_says_what_classes_add) {
  std::string factors = "x1";
  for (int i = 1; i < 40; ++i)
    factors += fmt::format(",x{}", 1 + 0.01 * i);
  const Outcome outcome = timeless_command(
      {"sweep", path(), "--network", "e1g", "--bandwidth", factors, "--latency", factors, "--classes"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("1600 configurations, and up to 21 around each for its class: more than 20000 "
                                     "(--classes): ask for shorter lists, or leave --classes out"));
}

TEST_F(SweepVerb, a_table_names_the_anchor_and_a_pipe_gets_no_colours) {
  const Outcome outcome = timeless_command({"sweep", path(), "--network", "e1g", "--top", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("speed-up is against e1g"));
  EXPECT_THAT(outcome.out, HasSubstr("and 46 more, of 49"));
  EXPECT_THAT(outcome.out, HasSubstr("e1g: what bounds it"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\033")));
  EXPECT_EQ(outcome.err, "");
  const Outcome line =
      timeless_command({"sweep", path(), "--network", "e1g", "--bandwidth", "x3,x5", "--latency", "x7", "--classes"});
  EXPECT_THAT(line.out, testing::ContainsRegex("e1g, latency x7: what bounds it\n +bandwidth +x3 +x5\n +class +[a-z]"));
}

TEST_F(SweepVerb, pictures_have_figures_where_there_is_room_else_shades_in_blocks_below_each_other) {
  const auto picture = [&](const char* columns) {
    ::setenv("COLUMNS", columns, 1);
    const Outcome outcome = timeless_command({"sweep", path(), "--network", "e1g", "--bandwidth", "/8..x8"});
    ::unsetenv("COLUMNS");
    return outcome.out;
  };
  EXPECT_THAT(picture("80"), testing::ContainsRegex("bandwidth +/8 +/4 +/2 +x1 +x2 +x4 +x8\n +0\\.[0-9]+"));
  EXPECT_THAT(picture("40"), HasSubstr("  bandwidth /8 to x8\n"));
  EXPECT_THAT(picture("16"), testing::ContainsRegex("  bandwidth /8 to x1\n.*\n  bandwidth x2 to x8\n"));
}

TEST_F(SweepVerb, classify_puts_several_traces_and_networks_side_by_side) {
  trace::MemorySource run(2);
  run.compute(0, 1'000'000);
  run.finalize();
  const std::string other = directory_ / "other.tia";
  ::timeless::trace::test::write_archive(run, other);
  const Outcome text = timeless_command({"classify", path(), other, "--one-rate", "--where", "25Gb/s,2us"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, testing::ContainsRegex("bound by +ranks +25Gb/s,2us"));
  EXPECT_THAT(text.out, testing::ContainsRegex("what helps +ranks +25Gb/s,2us"));
  const json several = answer("classify", {other, "--one-rate", "--network", "e1g,qdr", "--platform", "graphene"});
  ASSERT_EQ(several["traces"].size(), 2U);
  const json one = answer("classify", {"--one-rate", "--network", "e1g,qdr", "--platform", "graphene"});
  EXPECT_EQ(several["traces"][0]["networks"], one["networks"]);
  ASSERT_EQ(one["networks"].size(), 3U);
  for (const json& network : one["networks"]) {
    EXPECT_TRUE(network["missed"].contains("conditions"));
    EXPECT_TRUE(network["helps"].contains("sentence"));
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

TEST_F(SweepVerb, where_one_part_becomes_longer_than_another_is_narrowed_to_a_hundredth_however_far_apart_factors_are) {
  const json swept = answer("sweep", {"--network", "e1g", "--bandwidth", "x1,x1000", "--latency", "x1,x1000"});
  ASSERT_FALSE(swept["turns"].empty());
  for (const json& one : swept["turns"])
    EXPECT_LE(one.at("most").get<double>(), 1.02 * one.at("least").get<double>()) << one;
}

TEST_F(SweepVerb, configurations_that_deadlock_are_said_to) {
  const Outcome outcome =
      timeless_command({"sweep", path(), "--network", "e1g", "--eager-limit", "none,1000", "--csv"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 configurations end in a deadlock"));
}

TEST_F(SweepVerb, a_first_machine_that_deadlocks_is_not_what_the_others_are_compared_with) {
  const json swept = answer("sweep", {"--network", "e1g", "--eager-limit", "1000,none"});
  ASSERT_EQ(swept["configurations"].size(), 2U);
  EXPECT_EQ(swept["configurations"][0]["deadlocked"], true);
  EXPECT_EQ(swept["anchor"], 1);
  EXPECT_EQ(swept["configurations"][1]["speedup"], 1);
}

TEST_F(SweepVerb, a_machine_that_deadlocks_with_the_first_eager_limit_is_shown_with_the_first_with_which_it_ends) {
  const std::vector<std::string> asked{"--network", "e1g",   "--eager-limit", "1000,none",    "--bandwidth", "x1,x2",
                                       "--latency", "x1,/2", "--classes",     "--break-even", "2%",          "--gain",
                                       "2%"};
  const json swept = answer("sweep", asked);
  const std::size_t place = swept["machines"][0]["configuration"];
  EXPECT_EQ(swept["configurations"][place]["name"], "e1g, no eager limit");
  EXPECT_THAT(swept["notes"].dump(), HasSubstr("e1g, eager to 1000 B ends in a deadlock: pictures of e1g"));
  // The same answers as where nothing else is asked for.
  const json alone =
      answer("sweep", {"--network", "e1g", "--eager-limit", "none", "--break-even", "2%", "--gain", "2%"});
  for (const char* const question : {"break_even", "gain"})
    EXPECT_EQ(swept.at(question)[0].at("latency"), alone.at(question)[0].at("latency")) << question;

  std::vector<std::string> words{"sweep", path()};
  words.insert(words.end(), asked.begin(), asked.end());
  const std::string text = timeless_command(words).out;
  EXPECT_THAT(text, AllOf(HasSubstr("e1g, no eager limit: speed-up over bandwidth and latency\n"),
                          HasSubstr("e1g, no eager limit: what bounds it\n"), Not(HasSubstr("- without brackets"))));
  EXPECT_THAT(
      timeless_command({"sweep", path(), "--network", "e1g,e10g", "--eager-limit", "1000,none", "--classes"}).out,
      Not(HasSubstr("- without brackets")));
}

TEST_F(SweepVerb, what_changes_a_machine_that_deadlocks_is_weighed_with_the_first_eager_limit_with_which_it_ends) {
  const std::string upgrades = directory_ / "upgrades.csv";
  trace::test::write_bytes(upgrades, "name,price,change\nbetter,10,latency /2\nother,30,network=qdr\n");
  const auto asked = [&](const std::string& limits) {
    return std::vector<std::string>{"--network", "e1g",         "--eager-limit", limits,   "--what-if",   "latency /2",
                                    "--what-if", "network=qdr", "--upgrades",    upgrades, "--bandwidth", "x2,x4"};
  };
  const json swept = answer("sweep", asked("1000,none"));
  const json alone = answer("sweep", asked("none"));
  for (const char* const question : {"what_if", "upgrades"}) {
    ASSERT_EQ(swept.at(question).size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      const json& one = swept.at(question)[i];
      const json& other = alone.at(question)[i];
      EXPECT_TRUE(one.at("gain").is_number()) << one;
      for (const char* const key : {"gain", "gain_interval", "answer", "confidence", "reasons"})
        EXPECT_EQ(one.at(key), other.at(key)) << key;
      const auto configuration = [&](const char* which) {
        return swept.at("configurations").at(one.at(which).get<std::size_t>());
      };
      EXPECT_EQ(configuration("before")["name"], "e1g, no eager limit");
      EXPECT_EQ(configuration("after")["eager_limit_bytes"], "none");
      EXPECT_TRUE(configuration("after")["makespan_interval_seconds"].is_array());
    }
  }
  EXPECT_EQ(swept["upgrades"][0]["on_pareto_front"], alone["upgrades"][0]["on_pareto_front"]);
  EXPECT_EQ(swept["configurations"].at(swept["anchor"].get<std::size_t>())["name"], "e1g, no eager limit");
  EXPECT_THAT(swept["notes"].dump(),
              HasSubstr("what changes of it bring and what it may lose or has to gain are of e1g, "
                        "no eager limit"));

  std::vector<std::string> words{"sweep", path()};
  std::ranges::copy(asked("1000,none"), std::back_inserter(words));
  EXPECT_THAT(timeless_command(words).out, HasSubstr("  latency /2   e1g, no eager limit  "));
  words.emplace_back("--csv");
  std::istringstream lines(timeless_command(words).out);
  std::string row;
  while (std::getline(lines, row) && row.find(",what_if,") == std::string::npos)
    continue;
  EXPECT_THAT(row, AllOf(testing::StartsWith("\"e1g latency /2, no eager limit\","), HasSubstr(",latency /2,")));
}

TEST_F(SweepVerb, what_changes_into_a_machine_that_deadlocks_says_so_and_what_to_ask) {
  const std::string network = directory_ / "small.json";
  trace::test::write_bytes(network, R"({"format": "timeless.network/1", "name": "small", "eager_limit_bytes": 1000,
    "between_nodes": {"model": "hockney", "latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9}})");
  const json swept = answer("sweep", {"--network", "e1g", "--what-if", "network=" + network});
  EXPECT_TRUE(swept["what_if"][0]["gain"].is_null());
  EXPECT_THAT(swept["notes"].dump(),
              testing::ContainsRegex("small ends in a deadlock: messages above its eager limit of 1000 B wait for "
                                     "receives that come later; it ends from [0-9]+ KiB on; what .* cannot be said: "
                                     "give several, as --eager-limit [0-9]+,none"));
  EXPECT_TRUE(answer("sweep", {"--network", "e1g", "--what-if", "network=" + network, "--eager-limit",
                               "1000,none"})["what_if"][0]["gain"]
                  .is_number());
}

TEST_F(SweepVerb, of_a_run_that_ends_nowhere_says_from_which_eager_limit_on_it_would) {
  const Outcome outcome = timeless_command({"sweep", path(), "--network", "e1g,qdr", "--eager-limit", "1000"});
  EXPECT_EQ(outcome.status, 3);
  for (const char* machine : {"e1g", "qdr"})
    EXPECT_THAT(test::in_one_line(outcome.err),
                testing::ContainsRegex("On " + std::string(machine) +
                                       " the program deadlocks: messages above its eager limit of 1000 B wait for "
                                       "receives that come later. With a limit of [0-9]+ KiB or more it ends"));
}

TEST_F(SweepVerb, refuses_too_many_configurations_before_it_reads_anything) {
  const std::string nothing = directory_ / "nothing.tia";
  trace::test::write_bytes(nothing, "this is no trace");
  const auto with = [&](int bandwidths) {
    std::string list = "x1";
    for (int i = 2; i <= bandwidths; ++i)
      list += fmt::format(",x{}", i);
    return timeless_command({"sweep", nothing, "--network", "e1g", "--bandwidth", list, "--latency", list});
  };
  EXPECT_EQ(with(150).status, 2);
  EXPECT_THAT(with(150).err, HasSubstr("22500 configurations or more, of at most 20000"));
  EXPECT_THAT(with(141).err, Not(HasSubstr("configurations"))) << "these are few enough";
}

TEST_F(SweepVerb, pictures_of_lists_without_x1_are_of_the_nearest_factor_and_name_it) {
  const auto text = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep", path(), "--network", "e1g", "--classes"};
    words.insert(words.end(), more.begin(), more.end());
    return timeless_command(words).out;
  };
  EXPECT_THAT(text({"--bandwidth", "x2,x4", "--latency", "x2,x4", "--cpu", "x3,x2"}),
              AllOf(HasSubstr("e1g, cpu x2: speed-up over bandwidth and latency\n"),
                    HasSubstr("e1g, cpu x2: what bounds it\n"), Not(HasSubstr("- without brackets"))));
  EXPECT_THAT(text({"--bandwidth", "x2,x4", "--latency", "/2"}),
              HasSubstr("e1g, latency /2: speed-up over bandwidth\n"));
  EXPECT_THAT(text({"--bandwidth", "x2,x4", "--latency", "/2,/4", "--eager-limit", "1000,none"}),
              AllOf(HasSubstr("e1g, no eager limit: what bounds it\n"), Not(HasSubstr("- without brackets"))));
}

TEST_F(SweepVerb, of_a_machine_that_deadlocks_answers_no_questions_and_says_so) {
  const std::string network = directory_ / "small.json";
  trace::test::write_bytes(network, R"({"format": "timeless.network/1", "name": "small", "eager_limit_bytes": 1000,
    "between_nodes": {"model": "hockney", "latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9}})");
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"--what-if", "latency /2"}, std::vector<std::string>{"--break-even", "2%"},
        std::vector<std::string>{}}) {
    std::vector<std::string> words{"--network", network + ",e1g"};
    words.insert(words.end(), asked.begin(), asked.end());
    const json swept = answer("sweep", words);
    const json& anchor = swept["configurations"].at(swept["anchor"].get<std::size_t>());
    EXPECT_EQ(anchor["name"], "e1g");
    EXPECT_EQ(anchor["speedup"], 1);
    EXPECT_THAT(swept["notes"].dump(), AllOf(HasSubstr("small ends in a deadlock: "),
                                             HasSubstr("what changes of it would bring cannot be said: give several")));
    for (const json& one : swept["configurations"])
      EXPECT_TRUE(one.value("deadlocked", false) || one.at("speedup").is_number()) << one;
  }
}

TEST_F(SweepVerb, names_a_configuration_alike_in_every_form) {
  const std::vector<std::string> asked{"--network", "e1g", "--cpu", "x1,x1.5", "--ranks-per-node", "2", "--top", "0"};
  std::vector<std::string> words{"sweep", path()};
  words.insert(words.end(), asked.begin(), asked.end());
  const std::string text = timeless_command(words).out;
  words.emplace_back("--csv");
  const std::string csv = timeless_command(words).out;
  const json swept = answer("sweep", asked);
  for (const json& one : swept["configurations"]) {
    const std::string name = one["name"];
    EXPECT_THAT(name, HasSubstr(", 2 to a node"));
    EXPECT_THAT(text, HasSubstr("\n  " + name + "  "));
    EXPECT_THAT(csv, HasSubstr("\"" + name + "\","));
  }
}

} // namespace
} // namespace timeless::tools
