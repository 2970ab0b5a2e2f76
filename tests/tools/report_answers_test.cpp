// What a report answers, in all its forms, and how sure that is.
#include "tests/tools/report_page.h"
#include "tools/cli/table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::tools::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(ReportPage, answers_what_another_network_saves_by_its_time_over_the_first_ones) {
  const std::string trace = write(ring(4));
  const json answer = json::parse(report({trace, "--network", "e10g,e100g", "--json"}).out);
  const json& change = answer["verdict"]["changes"][0];
  const double before = answer["machines"][0]["makespan_seconds"];
  const double after = answer["machines"][1]["makespan_seconds"];
  EXPECT_EQ(change["change"], "machine");
  EXPECT_THAT(answer["verdict"]["sentence"], HasSubstr("e100g in place of e10g")) << "a name stays as it is";
  EXPECT_DOUBLE_EQ(change["saving"], 1 - after / before);
  EXPECT_LE(change["saving_interval"][0], change["saving"]);
  EXPECT_GE(change["saving_interval"][1], change["saving"]);
}

TEST_F(ReportPage, prices_upgrades_as_a_sweep_does_in_all_its_forms) {
  const std::string trace = write(ring(4));
  const std::string quotes = directory_ / "quotes.csv";
  trace::test::write_bytes(quotes,
                           "name,price,change\nfast,100,\"network x8, cpu x4\"\ndear,200,\"network x8, cpu x4\"\n"
                           "slow,50,cpu /2\n<b>other</b>,1000,network=e100g\n");
  const std::vector<std::string> asked{trace, "--network", "e1g", "--upgrades", quotes};
  std::vector<std::string> words{"sweep"};
  words.insert(words.end(), asked.begin(), asked.end());
  words.emplace_back("--json");
  const json swept = json::parse(timeless_command(words).out);
  const auto in = [&](const char* form) {
    std::vector<std::string> more = asked;
    more.emplace_back(form);
    return report(more).out;
  };
  const json answer = json::parse(in("--json"));
  ASSERT_EQ(answer["upgrades"].size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    json expected = swept["upgrades"][i];
    const json& with = swept["configurations"].at(expected["after"].get<std::size_t>());
    expected["makespan_seconds"] = with["makespan_seconds"];
    expected.erase("before");
    expected.erase("after");
    // A report knows besides that nobody has compared the prediction with launches.
    json found = answer["upgrades"][i];
    expected.erase("reasons");
    found.erase("reasons");
    EXPECT_EQ(found, expected);
  }
  EXPECT_EQ(answer["upgrades"][1]["beaten_by"], "fast");
  const std::string sentence = answer["verdict"]["upgrades"];
  EXPECT_THAT(sentence, HasSubstr("Of 4 upgrades of e1g, fast is worth a look at every rate"));
  const Page page = page_of(trace, {"--network", "e1g", "--upgrades", quotes});
  expect_sound(page);
  EXPECT_EQ(page.document.select_nodes("//table[@id='upgrade-table']/tbody/tr").size(), 4U);
  EXPECT_THAT(page.words(), AllOf(HasSubstr(sentence), HasSubstr("<b>other</b>"),
                                  HasSubstr("no: fast saves as much and costs less"), HasSubstr("no: slower")));
  for (const char* form : {"--ascii", "--markdown"}) {
    const std::string said = in(form);
    EXPECT_THAT(said, AllOf(HasSubstr("no: fast saves as much and costs less"), HasSubstr("Pareto front)")));
  }
  EXPECT_THAT(in("--csv"),
              testing::ContainsRegex("\nupgrade-table,dear,\"network x8, cpu x4\",\"?no: fast saves as much"));
  EXPECT_THAT(page.figures["command"], HasSubstr("--upgrades")) << "the page is made again with them";
}

TEST_F(ReportPage, refuses_a_list_of_upgrades_that_cannot_be_read_and_does_without_one) {
  const std::string trace = write(ring(2));
  const std::string quotes = directory_ / "quotes.csv";
  trace::test::write_bytes(quotes, "name,price,change\nfast,free,cpu x2\n");
  const Outcome outcome = report({trace, "--upgrades", quotes});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("quotes.csv"));
  EXPECT_EQ(report({trace, "--upgrades", directory_ / "none.csv"}).status, 3);
  const json without = json::parse(report({trace, "--json"}).out);
  EXPECT_TRUE(without["upgrades"].empty());
  EXPECT_TRUE(without["verdict"]["upgrades"].is_null());
}

TEST_F(ReportPage, holds_the_interval_of_a_rate_that_nobody_measured) {
  const std::string trace = write(ring(2));
  const json assumed = json::parse(report({trace, "--json"}).out);
  EXPECT_EQ(assumed["basis"]["rates"]["from"], "assumed");
  const json twice =
      json::parse(timeless_command({"replay", trace, "--network", "e10g", "--cpu", "x2,/2", "--json"}).out);
  EXPECT_EQ(assumed["verdict"]["makespan_interval_seconds"][0], twice["configurations"][0]["makespan_seconds"]);
  EXPECT_EQ(assumed["verdict"]["makespan_interval_seconds"][1], twice["configurations"][1]["makespan_seconds"]);
  const json given = json::parse(report({trace, "--compute-rate", "8e9", "--json"}).out);
  EXPECT_EQ(given["basis"]["rates"]["from"], "given");
  EXPECT_EQ(given["verdict"]["makespan_interval_seconds"], assumed["verdict"]["makespan_interval_seconds"]);
  const json exact = json::parse(report({trace, "--compute-rate", "8e9", "--rate-within", "1", "--json"}).out);
  EXPECT_TRUE(exact["verdict"]["makespan_interval_seconds"].is_null());
}

TEST_F(ReportPage, lists_kernels_by_the_time_they_take_and_says_the_mean_rate_of_the_run) {
  trace::MemorySource run(2);
  run.description().modules = {{.path = "/opt/bin/x"}};
  const trace::KernelId fast = run.add_kernel({.begin = {0, 0x10}, .end = {0, 0x20}});
  const trace::KernelId slow = run.add_kernel({.begin = {0, 0x20}, .end = {0, 0x30}});
  for (const trace::Rank rank : {0, 1}) {
    run.compute(rank, 9'000'000, fast);
    run.add(rank, {.kind = trace::ActionKind::barrier});
    run.compute(rank, 1'000'000, slow);
    run.add(rank, {.kind = trace::ActionKind::barrier});
  }
  run.finalize();
  const std::string kernel = R"(, "own": true, "relative_times": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]})";
  trace::test::write_bytes(
      directory_ / "rates.json",
      R"({"format": "timeless.rates/1", "units_per_second": 1e10, "instances": [{"name": "a", "ranks": 2,
        "ranks_per_node": 1, "launches": 1, "units_per_second": 5e8, "units_per_rank": 1e7, "hosts": ["h"],
        "noise": {"spread": 12.678, "worst": 42.65, "host": "h"}, "kernels": [
        {"kernel": "x+0x10..x+0x20", "units_per_second": 1e10, "units_per_visit": 9e6)" +
          kernel + R"(, {"kernel": "x+0x20..x+0x30", "units_per_second": 1e8, "units_per_visit": 1e6)" + kernel +
          "]}]}");
  const std::string trace = write(run);
  const Page page = page_of(trace, {"--network", "qdr", "--rates", directory_ / "rates.json"});
  const json& kernels = page.figures["kernels"];
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0]["kernel"], slow);
  EXPECT_NEAR(kernels[0]["share"].get<double>(), 0.01 / 0.0109, 1e-3);
  EXPECT_EQ(json::parse(report({trace, "--network", "qdr", "--json"}).out)["kernels"][0]["kernel"], fast)
      << "at one rate the two are the same";
  EXPECT_THAT(page.words(), AllOf(HasSubstr("917.43 M instructions/s, the run as a whole"),
                                  HasSubstr("the rates were measured on a host that was too noisy"),
                                  HasSubstr("h was too noisy to be calibrated")));
  EXPECT_NE(page.figures["verdict"]["changes"][0]["confidence"], "high");
}

TEST_F(ReportPage, of_one_rank_weighs_no_network) {
  const std::string trace = write(ring(1));
  const Page page = page_of(trace);
  expect_sound(page);
  const json& changes = page.figures["verdict"]["changes"];
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0]["change"], "processors");
  EXPECT_EQ(changes[0]["answer"], "pays");
  EXPECT_EQ(changes[1]["change"], "processor_step");
  EXPECT_EQ(changes[2]["change"], "balance");
  EXPECT_THAT(page.words(), HasSubstr("no message crosses the network, since there is one rank"));
  EXPECT_EQ(page.document.select_nodes("//*[@id='plane-figure']").size(), 0U);
}

TEST_F(ReportPage, begins_its_first_sentence_with_a_capital_but_for_names_of_machines) {
  const auto sentence = [&](trace::Rank ranks, const std::vector<std::string>& machines) {
    const std::string name = std::to_string(ranks) + "-" + machines.back() + ".tia";
    std::vector<std::string> words{write(ring(ranks, 3, 40'000), name), "--json"};
    words.insert(words.end(), machines.begin(), machines.end());
    return json::parse(report(words).out)["verdict"]["sentence"].get<std::string>();
  };
  EXPECT_THAT(sentence(1, {"--network", "e10g,e100g"}),
              testing::StartsWith("No message crosses the network, so that no other one pays; faster processors pay"));
  EXPECT_THAT(sentence(4, {"--platform", "ethernet-1g"}), testing::StartsWith("A network twice as good pays"));
  EXPECT_THAT(sentence(4, {"--network", "e1g,qdr"}), testing::StartsWith("qdr in place of e1g pays"));
}

TEST_F(ReportPage, draws_each_saving_at_its_place_however_much_slower_a_machine_is) {
  const Page page = page_of(write(ring(4)), {"--network", "e10g,qdr,e1g", "--where", "100Mb/s,1ms"});
  const pugi::xpath_node_set dots = page.document.select_nodes("//figure[@id='saving-figure']//circle");
  const json& changes = page.figures["verdict"]["changes"];
  ASSERT_EQ(dots.size(), changes.size());
  std::map<double, double> places; // twice as long is as far from 0 as half the time
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const double saving = changes[i]["saving"];
    places[saving < 0 ? saving / (1 - saving) : saving] = dots[i].node().attribute("cx").as_double();
  }
  const auto [least, left] = *places.begin();
  const auto [most, right] = *places.rbegin();
  EXPECT_LT(least, -0.9) << "a machine that takes more than ten times as long";
  EXPECT_GT(left, 0);
  EXPECT_LT(right, 100);
  for (const auto& [saving, place] : places)
    EXPECT_NEAR(place, left + (right - left) * (saving - least) / (most - least), 0.02) << saving;
}

TEST_F(ReportPage, has_the_same_time_of_a_change_wherever_it_stands) {
  const std::string trace = write(ring(4, 3, 1000));
  for (const std::vector<std::string>& machines : std::vector<std::vector<std::string>>{
           {"--network", "e10g"}, {"--platform", "graphene"}, {"--platform", "graphene", "--platform", "griffon"}}) {
    std::vector<std::string> words{trace, "--json"};
    words.insert(words.end(), machines.begin(), machines.end());
    const json answer = json::parse(report(words).out);
    const std::map<std::string, std::string> curve_of{
        {"bandwidth", "bandwidth"}, {"latency", "latency"}, {"network", "both"}};
    int found = 0;
    for (const json& change : answer["verdict"]["changes"]) {
      const auto curve = curve_of.find(change["change"]);
      if (curve == curve_of.end()) continue;
      for (const json& point : answer["curves"][curve->second]) {
        const bool latency = curve->second != "bandwidth";
        const bool bandwidth = curve->second != "latency";
        if (point["latency_factor"] != (latency ? 0.5 : 1) || point["bandwidth_factor"] != (bandwidth ? 2 : 1))
          continue;
        ++found;
        EXPECT_DOUBLE_EQ(change["makespan_seconds"], point["makespan_seconds"]) << change << machines.size();
      }
    }
    EXPECT_EQ(found, 3);
    EXPECT_DOUBLE_EQ(answer["curves"]["both"][3]["makespan_seconds"], answer["verdict"]["makespan_seconds"]);
  }
}

TEST_F(ReportPage, says_the_same_in_the_terminal_and_in_markdown) {
  const std::string trace = write(ring(4));
  const json verdict = json::parse(report({trace, "--json"}).out)["verdict"];
  const Outcome terminal = report({trace, "--ascii"});
  for (const char c : terminal.out)
    EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 0x7f)) << static_cast<int>(c);
  const std::string markdown = report({trace, "--markdown"}).out;
  const Page page = page_of(trace);
  EXPECT_THAT(page.words(),
              AllOf(HasSubstr(verdict["sentence"].get<std::string>()), HasSubstr(verdict["time"].get<std::string>())));
  EXPECT_THAT(in_one_line(terminal.out), HasSubstr(verdict["time"].get<std::string>()));
  const auto rows = page.document.select_nodes("//table[@id='offer-table' or @id='change-table']/tbody/tr/*[1]");
  EXPECT_EQ(page.document.select_nodes("//table[@id='offer-table']/tbody/tr").size(), 3U);
  ASSERT_EQ(rows.size(), verdict["changes"].size());
  for (std::size_t i = 0; i < verdict["changes"].size(); ++i) {
    const std::string what = verdict["changes"][i]["what"];
    const std::string confidence = verdict["changes"][i]["confidence"];
    EXPECT_THAT(terminal.out, testing::ContainsRegex("  " + what + " +(yes|no|depends|perhaps).* " + confidence));
    EXPECT_THAT(markdown, testing::ContainsRegex("\\| " + what + " \\| (yes|no|depends|perhaps).*" + confidence));
    EXPECT_STREQ(rows[i].node().text().get(), what.c_str());
  }
  EXPECT_THAT(in_one_line(terminal.out), HasSubstr(verdict["sentence"].get<std::string>()));
  EXPECT_LT(markdown.find("\nNext: `timeless "), markdown.find("| machine |"))
      << "what to do next comes before figures";
  EXPECT_THAT(
      terminal.out,
      AllOf(testing::StartsWith("ring on 4 ranks and 4 nodes, on e10g (10 Gb/s, 5 us), or on e100g (100 Gb/s, "),
            testing::ContainsRegex("\n\n  offered +answer +saves +confidence\n"
                                   "  e100g in place of e10g +(yes|no|depends)"),
            testing::ContainsRegex("\n  if parts of it were better\n  processors twice as fast +yes")));
}

TEST_F(ReportPage, has_no_line_in_a_terminal_that_is_wider_than_names_make_it) {
  trace::MemorySource run = ring(4);
  run.description().ranks[1].ending = trace::Ending::unknown;
  const std::string trace = write(run);
  for (const char* verb : {"report", "classify", "sweep"}) {
    std::istringstream lines(timeless_command({verb, trace, "--network", "e10g,e1g,e100g,qdr"}).out);
    for (std::string line; std::getline(lines, line);) {
      const bool names = line.find(trace) != line.npos || line.starts_with("  kernel");
      EXPECT_TRUE(columns_of(line) <= 120 || names) << verb << ": " << line;
    }
  }
}

TEST_F(ReportPage, sweeps_and_replays_are_as_wide_as_a_narrow_terminal_but_for_what_is_typed) {
  const std::string trace = write(ring(4));
  for (const std::size_t width : {std::size_t{40}, std::size_t{60}}) {
    ::setenv("COLUMNS", std::to_string(width).c_str(), 1);
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"report", trace},
             {"sweep", trace, "--classes", "--gain", "5%"},
             {"classify", trace},
             {"replay", trace, "--by", "kernel", "--critical-path", "--tolerance", "2%"}}) {
      std::vector<std::string> command = words;
      command.insert(command.end(), {"--network", "e10g,e100g"});
      const test::Outcome outcome = timeless_command(command);
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      std::istringstream lines(outcome.out);
      for (std::string line; std::getline(lines, line);) {
        const bool typed = line.find(" timeless ") != line.npos || line.find(trace) != line.npos;
        EXPECT_TRUE(columns_of(line) <= width || typed) << width << " " << words.front() << ": " << line;
      }
    }
    ::unsetenv("COLUMNS");
  }
}

TEST_F(ReportPage, shows_how_far_predictions_were_off_where_validate_has_written_it) {
  const std::string trace = write(ring(2));
  const std::string file = directory_ / "validation.json";
  trace::test::write_bytes(
      file, R"({"schema": "timeless.validate/1", "command": "mpirun ring <x>", "why": "rates of another input",
    "notes": ["a was too noisy"], "noise": {"spread": 0.3, "worst": 3.0, "host": "a"},
    "predictions": [{"backend": "model", "machine": "e10g", "makespan": {"predicted_seconds": 2.0, "measured_seconds": 1.6,
    "distinguishable": true, "error": 0.25, "predicted_interval_seconds": null, "measured_interval_seconds": [1.5, 1.7]}, "computation": null
}]
})");
  const Page page = page_of(trace, {"--validation", file});
  expect_sound(page);
  EXPECT_THAT(page.words(),
              AllOf(HasSubstr("+25.0"), HasSubstr("mpirun ring <x>"),
                    HasSubstr("launches contradict the prediction: its makespan was +25.0 % off"),
                    HasSubstr("launches took 1.600 s (1.500 s to 1.700 s)"), HasSubstr("a was too noisy.")));
  EXPECT_EQ(page.figures["validation_counts"], true);
  EXPECT_EQ(page.words().find("another program"), std::string::npos);
  EXPECT_THAT(page.words(), HasSubstr("The file does not say where ranks were in what it predicts."));
  trace::test::write_bytes(file, "{}");
  EXPECT_EQ(report({trace, "--validation", file}).status, 3);
}

TEST_F(ReportPage, says_where_the_ranks_of_a_validation_were_and_where_its_own_are) {
  const std::string trace = write(ring(2));
  const std::string file = directory_ / "validation.json";
  const auto validated = [&](const json& mapping) {
    trace::test::write_bytes(
        file,
        fmt::format(R"({{"schema": "timeless.validate/1", "command": "mpirun ring", "predictions": [{{"machine": "e10g",
          "mapping": {}, "makespan": {{"predicted_seconds": 2.0, "measured_seconds": 1.6}}}}]}})",
                    mapping.dump()));
    return page_of(trace, {"--validation", file}).words();
  };
  const std::string own = json::parse(report({trace, "--json"}).out)["basis"]["mapping"];
  EXPECT_THAT(validated("both on one"),
              HasSubstr("Ranks were predicted there as both on one; the rest of this page has "
                        "them as " +
                        own + ", and other times."));
  EXPECT_THAT(validated(own), HasSubstr("Ranks were predicted there as " + own + ", as on the rest of this page."));
  EXPECT_THAT(validated(nullptr), HasSubstr("The file does not say where ranks were in what it predicts."));
}

TEST_F(ReportPage, says_that_a_validation_is_of_another_program) {
  const std::string trace = write(ring(2));
  const std::string file = directory_ / "validation.json";
  trace::test::write_bytes(file, R"({"schema": "timeless.validate/1", "command": "mpirun ./string", "ranks": 2,
    "predictions": [{"backend": "model", "machine": "here", "makespan": {"predicted_seconds": 2.0, "measured_seconds": 1.6,
    "distinguishable": true, "error": 0.25}}]})");
  const Outcome outcome = report({trace, "--validation", file});
  EXPECT_EQ(outcome.status, 0);
  for (const std::string& said : {outcome.err, outcome.out})
    EXPECT_THAT(said, HasSubstr("the validation is of another program (it launched: mpirun ./string)"));
  const Page page = page_of(trace, {"--validation", file});
  EXPECT_THAT(page.words(), HasSubstr("The validation is of another program"));
  EXPECT_EQ(page.figures["validation_counts"], false);
  EXPECT_EQ(page.words().find("contradict the prediction"), std::string::npos);
}

TEST_F(ReportPage, counts_a_validation_of_its_own_machine_and_ranks_alone) {
  const std::string trace = write(ring(2));
  const std::string file = directory_ / "validation.json";
  const auto validated = [&](const std::string& machine, int ranks, double measured) {
    trace::test::write_bytes(
        file, fmt::format(R"({{"schema": "timeless.validate/1", "command": "mpirun ring", "ranks": {}, "predictions":
          [{{"backend": "model", "machine": "{}", "makespan": {{"predicted_seconds": 1.0, "measured_seconds": {},
          "measured_interval_seconds": [{}, {}]}}}}]}})",
                          ranks, machine, measured, measured * 0.9, measured * 1.1));
    return json::parse(report({trace, "--network", "e10g,qdr", "--json", "--validation", file}).out);
  };
  EXPECT_EQ(validated("e10g (10G Ethernet: 5 us, 10 Gb/s)", 2, 1)["validation_counts"], true);
  const json other = validated("qdr", 2, 1);
  EXPECT_EQ(other["validation_counts"], false);
  EXPECT_THAT(other["basis"]["notes"].dump(), HasSubstr("the validation is of qdr, not of e10g"));
  const json ranks = validated("e10g", 4, 1);
  EXPECT_EQ(ranks["validation_counts"], false);
  EXPECT_THAT(ranks["basis"]["notes"].dump(), HasSubstr("of launches on 4 ranks, this run has 2"));
  const json far = validated("e10g", 2, 58)["verdict"];
  EXPECT_THAT(far["sentence"].get<std::string>(),
              testing::StartsWith("Launches took 58.000 s, where 1.000 s is predicted, so that no answer is sure: "));
  for (const json& change : far["changes"])
    EXPECT_EQ(change["confidence"], "low") << change;
}

TEST_F(ReportPage, says_what_to_buy_of_a_network_by_the_savings_it_prints) {
  const json few =
      json::parse(report({write(ring(4, 3, 8), "few.tia"), "--compute-rate", "1e12", "--json"}).out)["verdict"];
  EXPECT_THAT(few["advice"].get<std::string>(), HasSubstr("latency is what to buy"));
  const json bytes = json::parse(
      report({write(ring(4, 3, 50'000'000), "many.tia"), "--compute-rate", "1e12", "--json"}).out)["verdict"];
  EXPECT_THAT(bytes["advice"].get<std::string>(), HasSubstr("bandwidth is what to buy"));
  const json alone = json::parse(report({write(ring(1), "one.tia"), "--json"}).out)["verdict"];
  EXPECT_THAT(alone["advice"].get<std::string>(),
              HasSubstr("No message crosses the network; faster processors are what to buy"));
}

TEST_F(ReportPage, smpi_without_a_platform_is_a_usage_error) {
  EXPECT_EQ(report({write(ring(2)), "--smpi"}).status, 2);
}

TEST_F(ReportPage, says_of_each_claim_of_its_verdict_how_sure_that_is) {
  const std::string trace = write(ring(4, 3, 8));
  const std::vector<std::string> words{trace, "--network", "e10g,e100g"};
  const auto with = [&](const char* option) {
    std::vector<std::string> all = words;
    all.emplace_back(option);
    return in_one_line(report(all).out);
  };
  const json verdict = json::parse(with("--json"))["verdict"];
  ASSERT_EQ(verdict["claims"].size(), 2U);
  EXPECT_NE(verdict["claims"][0]["confidence"], verdict["claims"][1]["confidence"])
      << "of one another they say nothing";
  const Page page = page_of(trace, {"--network", "e10g,e100g"});
  const std::string terminal = in_one_line(report(words).out);
  const std::string markdown = with("--markdown");
  for (const json& claim : verdict["claims"]) {
    const std::string sure = "(confidence: " + claim["confidence"].get<std::string>() + ")";
    EXPECT_THAT(claim["sentence"].get<std::string>(), HasSubstr(sure));
    const std::string rest = claim["sentence"].get<std::string>().substr(1); // without what a sentence begins with
    for (const std::string& said : {verdict["sentence"].get<std::string>(), terminal, markdown, page.words()})
      EXPECT_THAT(said, HasSubstr(rest));
    const auto change =
        std::ranges::find(verdict["changes"], claim["what"], [](const json& one) { return one["what"]; });
    ASSERT_NE(change, verdict["changes"].end());
    EXPECT_EQ((*change)["confidence"], claim["confidence"]);
    EXPECT_EQ((*change)["reasons"], claim["reasons"]);
  }
}

TEST_F(ReportPage, simulates_the_fastest_other_platform_too_and_weighs_what_that_saves) {
  const std::string trace = write(ring(4, 3, 1000));
  const std::vector<std::string> platforms{"--platform", "graphene,griffon,cielito"};
  const Page page = page_of(trace, {platforms[0], platforms[1], "--smpi"});
  const json replayed =
      json::parse(timeless_command({"replay", trace, platforms[0], platforms[1], "--backend", "smpi", "--json"}).out);
  const auto makespan = [&](const std::string& platform) {
    const auto found =
        std::ranges::find_if(replayed["configurations"], [&](const json& one) { return one["name"] == platform; });
    return found->at("makespan_seconds");
  };
  const json& other = page.figures["smpi_other"];
  ASSERT_EQ(other["machine"], "cielito");
  EXPECT_EQ(other["smpi_seconds"], makespan("cielito"));
  EXPECT_EQ(page.figures["smpi"]["smpi_seconds"], makespan("graphene"));
  EXPECT_EQ(page.document.select_nodes("//table[@id='smpi-other-rank-table']/tbody/tr").size(), 4U);
  const auto says_of = [&](const std::string& name, const std::string& words) {
    for (const json& answer : page.figures["verdict"]["changes"])
      if (answer["what"].get<std::string>().starts_with(name))
        return std::ranges::any_of(answer["reasons"], [&](const json& reason) {
          return reason.get<std::string>().find(words) != std::string::npos;
        });
    ADD_FAILURE() << "no answer on " << name;
    return false;
  };
  EXPECT_FALSE(says_of("cielito in place", "was simulated on graphene alone"));
  EXPECT_TRUE(says_of("griffon in place", "was simulated on graphene alone"));
}

/// Four hosts; `policy` says whether messages share the link between all of them.
std::string platform_of(const std::string& bandwidth, const std::string& policy) {
  std::string text = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
                     "version=\"4.1\">\n<zone id=\"world\" routing=\"Full\">\n";
  const std::string hosts = "abcd";
  for (const char host : hosts)
    text += fmt::format("<host id=\"{}\" speed=\"1Gf\"/>\n", host);
  text +=
      fmt::format("<link id=\"link\" bandwidth=\"{}\" latency=\"10us\" sharing_policy=\"{}\"/>\n", bandwidth, policy);
  for (std::size_t i = 0; i < hosts.size(); ++i)
    for (std::size_t j = i + 1; j < hosts.size(); ++j)
      text += fmt::format("<route src=\"{}\" dst=\"{}\"><link_ctn id=\"link\"/></route>\n", hosts[i], hosts[j]);
  return text + "</zone>\n</platform>\n";
}

TEST_F(ReportPage, another_machine_that_saves_in_the_model_alone_depends_on_contention_in_all_forms) {
  const std::string trace = write(ring(4, 3, 60'000));
  trace::test::write_bytes(directory_ / "unshared.xml", platform_of("100MBps", "FATPIPE"));
  trace::test::write_bytes(directory_ / "shared.xml", platform_of("200MBps", "SHARED"));
  const std::vector<std::string> asked{
      "--platform", (directory_ / "unshared.xml").string() + "," + (directory_ / "shared.xml").string(), "--smpi"};
  const auto in = [&](const char* form) { return report({trace, asked[0], asked[1], asked[2], form}).out; };
  const Page page = page_of(trace, asked);
  expect_sound(page);
  const json& verdict = page.figures["verdict"];
  const json& change = verdict["changes"][0];
  ASSERT_EQ(change["what"], "shared in place of unshared");
  EXPECT_GT(change["saving_interval"][0], 0.05) << "by the model alone it pays";
  EXPECT_LT(change["saving_in_smpi"], 0);
  EXPECT_EQ(change["answer"], "undecided");
  EXPECT_EQ(change["confidence"], "low");
  EXPECT_THAT(change["reasons"].dump(), Not(HasSubstr("the answer depends on the rate")));
  EXPECT_THAT(
      verdict["claims"][0]["sentence"].get<std::string>(),
      testing::MatchesRegex("whether shared in place of unshared pays depends on contention .*: in the model it "
                            "saves .* %.*, in SMPI it takes .* % longer"));
  EXPECT_THAT(verdict["time"].get<std::string>(), Not(HasSubstr("saves more than")));
  const auto cells = page.document.select_nodes("//table[@id='offer-table']/tbody/tr/td[1]");
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_STREQ(cells[0].node().text().get(), "depends on contention");
  EXPECT_THAT(in("--csv"), HasSubstr("offer-table,shared in place of unshared,depends on contention,no,"));
  EXPECT_THAT(in("--ascii"), testing::ContainsRegex("shared in place of unshared +depends on contention "));
  EXPECT_THAT(in("--markdown"), HasSubstr("| shared in place of unshared | depends on contention |"));
  const std::string further = write(ring(2, 3, 60'000), "further.tia");
  EXPECT_THAT(in_one_line(report({trace, further, asked[0], asked[1], asked[2], "--markdown"}).out),
              HasSubstr("With contention, in SMPI, only the run on 4 ranks was simulated."));
}

TEST_F(ReportPage, sorts_what_depends_between_yes_and_no) {
  const Page page = page_of(write(ring(4, 3, 8)), {"--network", "e10g", "--worth", "10%"});
  std::map<std::string, double> ranks;
  for (const pugi::xpath_node& cell : page.document.select_nodes("//table[@id='change-table']/tbody/tr/td[1]"))
    ranks[std::string(cell.node().text().get()).substr(0, 3)] = cell.node().attribute("data-v").as_double(-1);
  ASSERT_TRUE(ranks.contains("no") && ranks.contains("dep") && ranks.contains("yes")) << page.words();
  EXPECT_LT(ranks["no"], ranks["dep"]);
  EXPECT_LT(ranks["dep"], ranks["yes"]);
}

TEST_F(ReportPage, has_the_kernels_that_the_page_does_not_show_in_the_data) {
  trace::MemorySource run(2);
  run.description().modules = {{.path = "/opt/bin/x"}};
  constexpr std::uint64_t kernels = 60;
  for (std::uint64_t i = 0; i < kernels; ++i) {
    const trace::KernelId kernel = run.add_kernel({.begin = {0, 16 * i}, .end = {0, 16 * i + 16}});
    for (const trace::Rank rank : {0, 1}) {
      run.compute(rank, 1'000'000 + i, kernel);
      run.add(rank, {.kind = trace::ActionKind::barrier});
    }
  }
  run.finalize();
  const std::string trace = write(run);
  const Page page = page_of(trace, {"--network", "e10g"});
  expect_sound(page);
  EXPECT_EQ(page.figures["kernels"].size(), kernels);
  EXPECT_EQ(page.document.select_nodes("//table[@id='kernel-table']/tbody/tr").size(), 40U);
  EXPECT_THAT(page.words(), AllOf(HasSubstr("The 40 kernels that compute longest, of 60"),
                                  HasSubstr("20 more rows stand in the data: --csv has them")));
  std::istringstream lines(report({trace, "--network", "e10g", "--csv"}).out);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);)
    rows += line.starts_with("kernel-table,") ? 1 : 0;
  EXPECT_EQ(rows, 1 + kernels);
}

TEST_F(ReportPage, says_one_rate_where_the_fastest_and_the_slowest_are_written_alike) {
  const std::string trace = write(ring(2));
  const auto time = [&](const char* within) {
    const std::vector<std::string> rate{"--compute-rate", "5.39e9", "--rate-within", within, "--json"};
    return json::parse(report({trace, rate[0], rate[1], rate[2], rate[3], rate[4]}).out)["verdict"]["time"]
        .get<std::string>();
  };
  EXPECT_THAT(time("1.0001"), HasSubstr(" at about 5.39 G instructions/s)"));
  EXPECT_THAT(time("1.1"), HasSubstr(" at 5.93 G to 4.90 G instructions/s)"));
}

TEST_F(ReportPage, answers_for_the_platforms_on_which_the_program_ends) {
  const std::string trace = write(ring(4));
  for (const std::string platforms : {"graphene,cielito", "cielito,graphene"}) {
    const Page page = page_of(trace, {"--platform", platforms});
    EXPECT_THAT(page.words(),
                AllOf(HasSubstr("On cielito the program deadlocks: messages above its eager limit of 8191 B"),
                      testing::ContainsRegex("On graphene the run takes [0-9.]+ ms"),
                      Not(HasSubstr("On graphene the program deadlocks"))));
  }
}

TEST_F(ReportPage, puts_smpi_beside_the_model_by_rank) {
  const std::string trace = write(ring(4));
  const Page page = page_of(trace, {"--platform", "graphene", "--smpi"});
  expect_sound(page);
  const json replayed =
      json::parse(timeless_command({"replay", trace, "--platform", "graphene", "--backend", "smpi", "--json"}).out);
  EXPECT_EQ(page.figures["smpi"]["smpi_seconds"], replayed["configurations"][0]["makespan_seconds"]);
  EXPECT_EQ(page.figures["smpi"]["ranks"], replayed["configurations"][0]["contention"]["ranks"]);
  EXPECT_EQ(page.document.select_nodes("//table[@id='smpi-rank-table']/tbody/tr").size(), 4U);
  EXPECT_THAT(page.words(), AllOf(testing::ContainsRegex("On graphene the run takes .*; with contention, in SMPI, "),
                                  HasSubstr("1 Gb/s Ethernet, 2010 to 2018; these figures are measured"),
                                  Not(HasSubstr("on the map of classes"))));
}

TEST_F(ReportPage, says_first_what_the_machines_are_and_what_their_figures_rest_on) {
  const std::string trace = write(ring(4, 3, 8));
  const json verdict = json::parse(report({trace, "--network", "e10g,e100g", "--json"}).out)["verdict"];
  const std::string both =
      "the figures of e10g are published, those of e100g assumed; half or twice the saving would turn the answer";
  for (const json& change : verdict["changes"]) {
    const bool machine = change["change"] == "machine";
    EXPECT_EQ(std::ranges::count(change["reasons"], json(both)), machine ? 1 : 0) << change;
    const bool alone = change["change"] == "latency" || change["change"] == "bandwidth";
    EXPECT_GE(std::ranges::count(change["reasons"], json("the figures of e10g are published")), alone ? 1 : 0);
  }
  EXPECT_THAT(verdict["claims"][0]["reasons"], testing::Contains(json(both)));
  const Page page = page_of(trace, {"--network", "e10g,e100g"});
  const std::string machines = "on e10g (10 Gb/s, 5 us), or on e100g (100 Gb/s, 2 us)";
  for (const std::string& said : {report({trace, "--network", "e10g,e100g"}).out,
                                  report({trace, "--network", "e10g,e100g", "--markdown"}).out, page.words()})
    EXPECT_THAT(in_one_line(said), AllOf(HasSubstr(machines), HasSubstr(both)));
  EXPECT_THAT(report({trace, "--platform", "ethernet-10g"}).out,
              testing::ContainsRegex("ethernet-10g \\(10 Gb/s, [0-9.]+ us\\)"));
}

TEST_F(ReportPage, words_in_a_network_file_are_no_publication) {
  const auto network = [&](const std::string& name, const std::string& keys) {
    const std::string file = directory_ / (name + ".json");
    trace::test::write_bytes(file, R"({"format": "timeless.network/1", )" + keys + R"(, "between_nodes":
      {"model": "hockney", "latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9}})");
    return file;
  };
  const std::string trace = write(ring(2));
  const auto trust_of = [&](const std::string& file) -> std::string {
    return json::parse(report({trace, "--network", file, "--json"}).out)["machines"][0]["trust"];
  };
  EXPECT_EQ(trust_of(network("rumour", R"("source": "someone said so; we assume nothing")")),
            "described by its file: 'someone said so; we assume nothing'");
  EXPECT_EQ(trust_of(network("vendor", R"("source": "a data sheet", "trust": "vendor")")), "vendor");
  EXPECT_EQ(trust_of(network("silent", R"("name": "silent")")), "not said");
  EXPECT_EQ(trust_of("e100g"), "assumed");
  EXPECT_EQ(trust_of("hopper"), "published");
  EXPECT_EQ(json::parse(report({trace, "--where", "10Gb/s,5us", "--json"}).out)["machines"][0]["trust"], "given");
}

TEST_F(ReportPage, is_printed_in_another_form_before_it_is_served) {
  const std::string said = directory_ / "said";
  const std::string told = directory_ / "told";
  const std::string command = fmt::format("{} report {} --serve --markdown >{} 2>{} & serving=$!; "
                                          "for i in $(seq 600); do grep -q 'open http' {} && break; sleep 0.1; done; "
                                          "kill -KILL $serving; grep -q '^### ' {}",
                                          TIMELESS_COMMAND, write(ring(2)), said, told, told, said);
  EXPECT_EQ(std::system(command.c_str()), 0) << "nothing was printed while the page was served";
}

TEST_F(ReportPage, refuses_a_port_that_is_taken_before_it_computes) {
  const int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(taken, generic, size) | listen(taken, 1) | getsockname(taken, generic, &size), 0);
  trace::MemorySource run(2); // ends on no machine, which its replay finds out
  for (const trace::Rank rank : {0, 1})
    run.add(rank, {.kind = trace::ActionKind::receive, .peer = 1 - rank, .bytes = 8});
  run.finalize();
  const std::string trace = write(run);
  EXPECT_THAT(report({trace}).err, HasSubstr("wait"));
  const Outcome outcome = report({trace, "--serve", "--port", std::to_string(ntohs(address.sin_port))});
  close(taken);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("no port to serve the page at: Address already in use (127.0.0.1): choose another "
                                     "--port, or write the page with -o"));
}

TEST_F(ReportPage, escapes_in_markdown_what_is_markup_and_nothing_else) {
  const auto heading = [&](const char* program) {
    trace::MemorySource run = ring(2);
    run.description().provenance.program = program;
    const std::string trace = write(run, fmt::format("{}.tia", std::string(program).size()));
    const std::string markdown = report({trace, "--markdown", "--network", "e10g"}).out;
    return markdown.substr(0, markdown.find(" on 2 ranks"));
  };
  EXPECT_EQ(heading("a_solver-2.0 (new)"), "### a_solver-2.0 (new)");
  EXPECT_EQ(heading("*[x](y)*`|<b>_z_ #1 @me"), "### \\*\\[x\\](y)\\*\\`\\|&lt;b&gt;\\_z\\_ \\#1 \\@me");
  EXPECT_EQ(heading("www.evil"), "### www\\.evil");
  const std::string markdown = report({write(ring(4)), "--markdown"}).out;
  EXPECT_EQ(markdown.find('\\'), std::string::npos) << markdown;
}

} // namespace
} // namespace timeless::tools::test
