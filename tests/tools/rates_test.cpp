// What answers rest on: rates of computation and overheads, the same for all machines of a command or said not to be.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
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

/// Two ranks that compute and send each other small messages in turn.
class Rates : public testing::Test {
protected:
  Rates() { write("run.tia", trace::VolumeUnit::instructions); }

  void write(const std::string& name, trace::VolumeUnit unit) {
    trace::MemorySource run(2);
    run.description().counter.unit = unit;
    for (int step = 0; step < 50; ++step) {
      for (const trace::Rank rank : {0, 1})
        if (unit != trace::VolumeUnit::none) run.compute(rank, 100'000);
      run.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 100});
      run.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 100});
      run.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 100});
      run.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 100});
    }
    run.finalize();
    trace::test::write_archive(run, directory_ / name);
  }

  Outcome command(const std::string& verb, std::vector<std::string> options, const std::string& name = "run.tia") {
    options.insert(options.begin(), {verb, directory_ / name});
    return timeless_command(options);
  }
  json answer(const std::string& verb, std::vector<std::string> options, const std::string& name = "run.tia") {
    options.emplace_back("--json");
    const Outcome outcome = command(verb, options, name);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }
  std::string saved(const std::string& name, const std::vector<std::string>& options) {
    trace::test::write_bytes(directory_ / name, answer("replay", options).dump());
    return directory_ / name;
  }

  trace::test::TemporaryDirectory directory_;
};

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

TEST_F(Rates, and_messages_beyond_what_was_measured_are_remarked) {
  const auto network = [&](const std::string& bytes) {
    trace::test::write_bytes(directory_ / "mine.json",
                             R"({"format": "timeless.network/1", "between_nodes": {"model": "hockney",
                                 "latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9,
                                 "measured_up_to_bytes": )" +
                                 bytes + "}}");
    return directory_ / "mine.json";
  };
  for (const char* verb : {"replay", "classify"}) {
    const std::string told = "mine: 100 % of the messages, with 100 % of the bytes, are larger than any that was "
                             "measured (99 bytes; the largest has 100)";
    EXPECT_THAT(answer(verb, {"--network", network("99")}).at("notes").dump(), HasSubstr(told)) << verb;
    EXPECT_THAT(in_one_line(command(verb, {"--network", network("99")}).out), HasSubstr(told)) << verb;
    EXPECT_THAT(command(verb, {"--network", network("100")}).out, Not(HasSubstr("measured"))) << verb;
  }
}

TEST_F(Rates, and_networks_that_were_measured_badly_say_so_wherever_they_are_used) {
  trace::test::write_bytes(directory_ / "bad.json",
                           R"({"format": "timeless.network/1", "between_nodes": {"model": "hockney",
                               "latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9},
                               "provenance": {"noise": [{"spread": 0.2, "worst": 0.9, "host": "a"}, {"spread": "x"}],
                                              "not_reached": ["no eager limit", 3, "no gap"]}})");
  for (const char* verb : {"replay", "classify", "sweep", "report"}) {
    const Outcome told = command(verb, {"--network", directory_ / "bad.json"});
    EXPECT_THAT(in_one_line(told.out), AllOf(HasSubstr("bad.json: a was too noisy to be calibrated: a loop of 1 ms "
                                                       "varied by 20.0 % (quartiles), and one in 20 took 90 % longer"),
                                             HasSubstr("bad.json: not reached when it was measured: no eager limit; "
                                                       "no gap")))
        << verb << told.err;
  }
}

TEST_F(Rates, and_networks_say_what_was_measured_of_them_and_no_replay_has) {
  const auto notes = [&](const std::string& provenance) {
    trace::test::write_bytes(directory_ / "half.json",
                             R"({"format": "timeless.network/1", "between_nodes": {"model": "hockney",
                               "latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9}, "provenance": )" +
                                 provenance + "}");
    return in_one_line(command("replay", {"--network", directory_ / "half.json"}).out);
  };
  EXPECT_THAT(notes(R"({"both_ways_within_node": {"over_one_way": 1.25}})"),
              HasSubstr("half.json: both directions at once had 1.25 times what one has within a node when it was "
                        "measured, and replays give each what one has: large messages that pass each other take up to "
                        "1.60 times as long as predicted"));
  EXPECT_THAT(notes(R"({"both_ways_between_nodes": {"over_one_way": 1.9}})"), Not(HasSubstr("both directions")));
  EXPECT_THAT(
      notes(R"({"between_nodes": {"eager_limit_of_send_bytes": {"eager": 64, "waits": 65},
                                          "eager_limit_of_isend_bytes": {"eager": 4096, "waits": 4097}}})"),
      HasSubstr("half.json: MPI_Isend waits for its receive above 4096 bytes between nodes, MPI_Send above 64"));
}

TEST_F(Rates, that_are_another_file_are_called_what_they_are_with_the_option_that_takes_it) {
  const auto refused = [&](const char* option, const std::string& name, const std::string& text) {
    trace::test::write_bytes(directory_ / name, text);
    std::vector<std::string> words{option, directory_ / name};
    if (words.front() == "--machine") words.insert(words.end(), {"--network", "e10g"});
    const Outcome outcome = command("replay", words);
    EXPECT_EQ(outcome.status, 3) << name;
    return in_one_line(outcome.err);
  };
  EXPECT_THAT(refused("--rates", "n.json", R"({"format": "timeless.network/1"})"),
              AllOf(HasSubstr("this is a network (timeless.network/1)"), HasSubstr("give it with --network")));
  EXPECT_THAT(refused("--network", "m.json", R"({"format": "timeless.machine/1"})"), HasSubstr("with --machine"));
  EXPECT_THAT(refused("--machine", "r.json", R"({"format": "timeless.rates/1"})"), HasSubstr("with --rates"));
  EXPECT_THAT(refused("--rates", "v.json", R"({"format": "timeless.rates/2"})"), HasSubstr("another version"));
  EXPECT_THAT(refused("--rates", "a.json", R"({"schema": "timeless.replay/1"})"), HasSubstr("an answer of Timeless"));
  EXPECT_THAT(refused("--rates", "o.json", "{}"), HasSubstr("'format' is missing"));
  EXPECT_THAT(refused("--network", "p.json", "<?xml version='1.0'?>"), HasSubstr("give a platform with --platform"));
  EXPECT_THAT(refused("--network", "c.csv", "# format: timeless.ping/1\n"), HasSubstr("calibrate network --from"));
  EXPECT_THAT(refused("--platform", "n.xml", R"({"format": "timeless.network/1"})"), HasSubstr("with --network"));
}

TEST_F(Rates, by_another_number_of_ranks_on_a_node_are_remarked) {
  trace::test::write_bytes(directory_ / "rates.json", R"({"format": "timeless.rates/1", "units_per_second": 1e9,
    "instances": [{"name": "a", "ranks": 2, "ranks_per_node": 2, "launches": 1, "units_per_second": 1e9,
                   "units_per_rank": 5e6, "explained": 0.5, "hosts": ["h"], "kernels": [{"kernel": "x+1..x+2", "units_per_second": 1e9, "own": true,
                   "units_per_visit": 7, "relative_times": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}]}]})");
  for (const char* verb : {"replay", "classify"}) {
    const std::vector<std::string> rates{"--network", "e1g", "--rates", directory_ / "rates.json"};
    std::vector<std::string> together = rates;
    together.insert(together.end(), {"--mapping", "block:2"});
    EXPECT_THAT(command(verb, rates).out, HasSubstr("e1g: 1 rank on a node, and the rates are by 2")) << verb;
    EXPECT_THAT(command(verb, together).out, Not(HasSubstr("and the rates are by"))) << verb;
    EXPECT_THAT(command(verb, together).out, HasSubstr("only 50.0 % of the time measured")) << verb;
  }
  const std::vector<std::string> drawn{"--network", "e1g", "--rates", directory_ / "rates.json", "--noise", "1"};
  EXPECT_THAT(command("replay", drawn).out, HasSubstr("take 1.00 times what the rates give"));
  const Outcome shown = timeless_command({"calibrate", "show", directory_ / "rates.json"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("x+1..x+2"), HasSubstr("1.00 G"), HasSubstr("explain 50.0 %")));
  trace::test::write_bytes(directory_ / "hand.json", R"({"format": "timeless.rates/1", "units_per_second": 1e9})");
  EXPECT_EQ(timeless_command({"calibrate", "show", directory_ / "hand.json"}).status, 3);
}

TEST_F(Rates, that_are_one_for_everything_are_shown) {
  trace::test::write_bytes(directory_ / "whole.json", R"({"format": "timeless.rates/1",
    "source": "timeless calibrate compute --whole: cg, 5 launches, spread 2.1 %", "units_per_second": 9.72e9})");
  const Outcome shown = timeless_command({"calibrate", "show", directory_ / "whole.json"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("spread 2.1 %"), HasSubstr("9.72 G units/s, for all kernels alike")));
  const Outcome answer = timeless_command({"calibrate", "show", directory_ / "whole.json", "--json"});
  EXPECT_EQ(json::parse(answer.out)["content"]["units_per_second"], 9.72e9);
}

TEST_F(Rates, that_no_processor_has_and_measurements_of_nothing_are_refused) {
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& words) {
    std::string text = R"({"format": "timeless.rates/1", "units_per_second": 1e9,
      "instances": [{"name": "another", "ranks": 2, "ranks_per_node": 1, "launches": 3, "units_per_second": 1e9,
                     "units_per_rank": 5e6, "interval": [9e8, 1e9],
                     "kernels": [{"kernel": "x+1..x+2", "units_per_second": 1e9, "own": true, "visits": 4,
                                  "units_per_visit": 7, "relative_times": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}]}]})";
    ASSERT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), to);
    trace::test::write_bytes(directory_ / "wrong.json", text);
    const Outcome outcome = command("replay", {"--network", "qdr", "--rates", directory_ / "wrong.json"});
    EXPECT_EQ(outcome.status, from == to ? 0 : 3) << to << '\n' << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(words));
  };
  refused("3", "3", "");
  refused("1e9,", "1e-300,", "no rate that a processor has");
  refused("\"units_per_second\": 1e9, \"own\"", "\"units_per_second\": 1e300, \"own\"", "no rate that a processor has");
  refused("\"visits\": 4", "\"visits\": 0", "visits): write 1 or more");
  refused("\"ranks_per_node\": 1", "\"ranks_per_node\": 0", "ranks_per_node): write 1 or more");
  refused("[9e8, 1e9]", "[1e9, 9e8]", "no interval");
}

TEST_F(Rates, of_another_program_are_as_far_off_as_programs_differ) {
  trace::test::write_bytes(directory_ / "rates.json", R"({"format": "timeless.rates/1", "units_per_second": 1e9,
    "instances": [{"name": "another", "ranks": 2, "ranks_per_node": 1, "launches": 3, "units_per_second": 1e9,
                   "units_per_rank": 5e6, "explained": 1, "hosts": ["h"], "kernels": [{"kernel": "x+1..x+2", "units_per_second": 1e9, "own": true,
                   "units_per_visit": 7, "relative_times": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}]}]})");
  const std::vector<std::string> borrowed{"--network", "qdr", "--rates", directory_ / "rates.json"};
  const json times =
      answer("replay", {"--network", "qdr", "--compute-rate", "1e9", "--cpu", "x2,/2"})["configurations"];
  const json ends{times[0]["makespan_seconds"], times[1]["makespan_seconds"]};
  EXPECT_EQ(answer("replay", borrowed)["configurations"][0]["makespan_interval_seconds"], ends);
  EXPECT_THAT(command("replay", borrowed).out,
              HasSubstr("from 0.5 to 2 times the rates, which are of another program"));
  std::vector<std::string> narrower = borrowed;
  narrower.insert(narrower.end(), {"--rate-within", "1.5", "--one-rate"});
  EXPECT_EQ(answer("classify", narrower)["rates"]["from"], "borrowed");
  EXPECT_NEAR(answer("classify", narrower)["rates"]["slowest"].get<double>(), 1.5, 1e-12);
  const json reported = answer("report", borrowed);
  EXPECT_EQ(reported["verdict"]["makespan_interval_seconds"], ends);
  const json& claims = reported["verdict"]["claims"];
  EXPECT_THAT(claims[0]["reasons"][0], HasSubstr("is assumed: the rates are of another program or build"));
  EXPECT_THAT(reported["verdict"]["next"]["reason"].get<std::string>(),
              HasSubstr("in place of rates of other kernels"));
  EXPECT_EQ(claims[0]["confidence"], "low") << "half the saving would turn the answer";
  EXPECT_EQ(claims[1]["confidence"], "medium") << "at half and twice these rates, the answer is the same";
}

TEST_F(Rates, of_one_launch_have_no_interval_though_a_few_kernels_have_the_rate_of_others) {
  trace::MemorySource run(1);
  run.description().counter.unit = trace::VolumeUnit::instructions;
  run.description().modules = {{.path = "/opt/bin/x"}};
  const trace::KernelId own = run.add_kernel({.begin = {0, 0x10}, .end = {0, 0x20}});
  const trace::KernelId other = run.add_kernel({.begin = {0, 0x20}, .end = {0, 0x30}});
  run.compute(0, 990'000, own);
  run.add(0, {.kind = ActionKind::barrier});
  run.compute(0, 10'000, other);
  run.finalize();
  trace::test::write_archive(run, directory_ / "two.tia");
  const auto replayed = [&](const std::string& launches) {
    trace::test::write_bytes(directory_ / "rates.json", R"({"format": "timeless.rates/1", "units_per_second": 1e9,
      "instances": [{"name": "two", "ranks": 1, "ranks_per_node": 1, "launches": 1, "units_per_second": 1e9,
      "units_per_rank": 1e6, "kernels": [{"kernel": "x+0x10..x+0x20", "units_per_second": 1e9, "own": true,
      "units_per_visit": 990000, "launches": )" + launches + R"(,
      "relative_times": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}]}]})");
    return answer("replay", {"--network", "qdr", "--rates", directory_ / "rates.json"}, "two.tia")["configurations"][0];
  };
  EXPECT_FALSE(replayed("[1e9]").contains("makespan_interval_seconds"));
  EXPECT_TRUE(replayed("[1e9, 9e8]").contains("makespan_interval_seconds"));
}

TEST_F(Rates, that_no_machine_has_end_in_an_error_that_names_the_configuration) {
  const Outcome outcome =
      timeless_command({"replay", directory_ / "run.tia", "--network", "e1g,qdr", "--compute-rate", "1e-300"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no prediction: rank 0 would take"), HasSubstr("('e1g')")));
}

TEST_F(Rates, classes_hold_just_where_classify_says) {
  const json all = answer("classify", {"--network", "e1g,e10g,qdr,e100g"});
  bool any_end = false;
  for (const json& network : all.at("networks")) {
    const std::string name = network.at("network");
    const json& holds = network.at("class_holds");
    const auto class_at = [&](const json& point) {
      const std::string rate = point.at("per_second").dump();
      return answer("classify", {"--network", name, "--compute-rate", rate, "--one-rate"})
          .at("networks")
          .at(0)
          .at("class");
    };
    EXPECT_EQ(class_at(holds.at("lowest")), network.at("class")) << name;
    EXPECT_EQ(class_at(holds.at("highest")), network.at("class")) << name;
    for (const char* end : {"below", "above"}) {
      const json& other = holds.at(end);
      if (other.is_null()) continue;
      any_end = true;
      EXPECT_NE(other.at("class"), network.at("class")) << name;
      EXPECT_EQ(class_at(other), other.at("class")) << name;
      const char* own = std::string(end) == "below" ? "lowest" : "highest";
      const double step = holds.at(own).at("speed").get<double>() / other.at("speed").get<double>();
      EXPECT_LT(std::max(step, 1 / step), 1.061) << name; // a twelfth of an octave
    }
  }
  EXPECT_TRUE(any_end);
}

TEST_F(Rates, the_range_of_a_class_does_not_depend_on_the_rate_that_was_given_within_it) {
  const json at_8 = answer("classify", {"--network", "e1g"}).at("networks").at(0);
  const double within = at_8.at("class_holds").at("lowest").at("per_second").get<double>() * 1.5;
  const json at_other =
      answer("classify", {"--network", "e1g", "--compute-rate", std::to_string(within)}).at("networks").at(0);
  EXPECT_EQ(at_other.at("class"), at_8.at("class"));
  EXPECT_NEAR(at_other.at("class_holds").at("lowest").at("per_second").get<double>(),
              at_8.at("class_holds").at("lowest").at("per_second").get<double>(), 1e8);
  EXPECT_THAT(command("classify", {"--network", "e1g"}).out, HasSubstr("for any rate from "));
}

TEST_F(Rates, of_a_trace_in_nanoseconds_are_speeds_relative_to_it_and_of_none_there_are_none) {
  write("timed.tia", trace::VolumeUnit::nanoseconds);
  const json timed = answer("classify", {"--network", "e1g"}, "timed.tia").at("networks").at(0);
  EXPECT_TRUE(timed.at("class_holds").at("lowest").at("per_second").is_null());
  EXPECT_EQ(timed.at("compute_rate").at("from"), "recorded times");
  EXPECT_THAT(command("classify", {"--network", "e1g"}, "timed.tia").out, HasSubstr("times the speed"));
  write("silent.tia", trace::VolumeUnit::none);
  EXPECT_FALSE(answer("classify", {"--network", "e1g"}, "silent.tia").at("networks").at(0).contains("class_holds"));
  EXPECT_FALSE(answer("classify", {"--network", "e1g", "--one-rate"}).at("networks").at(0).contains("class_holds"));
}

TEST_F(Rates, are_the_same_on_presets_and_on_platforms_that_know_no_processor) {
  const auto computed = [&](const std::vector<std::string>& machine) {
    return answer("replay", machine).at("configurations").at(0).at("mean_seconds").at("compute").get<double>();
  };
  EXPECT_DOUBLE_EQ(computed({"--network", "e1g"}), 50 * 100'000 / 8e9);
  EXPECT_DOUBLE_EQ(computed({"--platform", "ethernet-1g"}), 50 * 100'000 / 8e9);
  EXPECT_DOUBLE_EQ(computed({"--platform", "graphene"}), 50 * 100'000 / 3.68e9);
}

TEST_F(Rates, of_several_platforms_are_one_assumption_said_once) {
  const std::vector<std::string> both{"--platform", "graphene", "--platform", "ethernet-10g"};
  const json together = answer("replay", both);
  ASSERT_EQ(together.at("configurations").size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const json& one = together.at("configurations").at(i);
    EXPECT_EQ(one.at("name"), both[2 * i + 1]);
    EXPECT_EQ(one.at("compute_rate").at("from"), "assumption");
    const json alone = answer("replay", {"--platform", both[2 * i + 1], "--compute-rate", "8e9"});
    EXPECT_EQ(one.at("makespan_seconds"), alone.at("configurations").at(0).at("makespan_seconds"));
    EXPECT_EQ(one.at("ranks"), alone.at("configurations").at(0).at("ranks"));
  }
  const Outcome text = command("replay", both);
  EXPECT_EQ(count(text.out, "ASSUMED"), 1U) << text.out;
  EXPECT_THAT(test::in_one_line(text.out),
              AllOf(HasSubstr("own speeds are left aside (graphene.xml 3.68 G, ethernet-10g.xml 8.00 G)"),
                    HasSubstr("different bases"), HasSubstr("assumed (ethernet-10g); measured (graphene)")));
  const Outcome family = command("replay", {"--platform", "ethernet-1g", "--platform", "ethernet-10g"});
  EXPECT_THAT(family.out, AllOf(Not(HasSubstr("left aside")), Not(HasSubstr("different bases"))));
  EXPECT_EQ(count(command("classify", {}).out, "ASSUMED"), 1U);
}

TEST_F(Rates, of_several_platforms_go_with_every_question_of_the_model) {
  const json asked = answer("replay", {"--platform", "griffon", "--platform", "ethernet-10g", "--by", "call",
                                       "--tolerance", "5%", "--critical-path", "--latency", "x1,x2", "--per-rank"});
  ASSERT_EQ(asked.at("configurations").size(), 4U);
  for (const json& one : asked.at("configurations")) {
    EXPECT_TRUE(one.contains("tolerance"));
    double parts = 0;
    for (const json& call : one.at("by_call"))
      parts += call.at("seconds").at("all").get<double>();
    EXPECT_NEAR(parts, one.at("mean_seconds").at("end").get<double>(), 1e-12);
  }
  EXPECT_TRUE(asked.at("configurations").at(0).contains("critical_path"));
  const json simulated = answer("replay", {"--platform", "griffon", "--platform", "flat", "--backend", "smpi"});
  EXPECT_EQ(simulated.at("configurations").size(), 2U);
  EXPECT_EQ(command("replay", {"--platform", "griffon", "--platform", "flat", "--timeline", directory_ / "t"}).status,
            2);
}

TEST_F(Rates, classify_takes_platforms_in_place_of_networks) {
  const json all = answer("classify", {"--platform", "graphene", "--platform", "ethernet-10g"});
  ASSERT_EQ(all.at("networks").size(), 2U);
  EXPECT_EQ(all.at("networks").at(0).at("network"), "graphene");
  EXPECT_EQ(all.at("networks").at(0).at("overheads"), "measured");
  EXPECT_EQ(all.at("networks").at(0).at("compute_rate"), all.at("networks").at(1).at("compute_rate"));
  EXPECT_EQ(all.at("networks").at(1).at("configurations").size(), 21U);
  const json alone = answer("classify", {"--platform", "graphene"}).at("networks").at(0);
  EXPECT_EQ(alone.at("compute_rate").at("from"), "platform");
  EXPECT_EQ(alone.at("compute_rate").at("least_per_second"), 3.68e9);
  EXPECT_EQ(command("classify", {"--platform", "graphene", "--network", "e1g"}).status, 0);
}

TEST_F(Rates, of_one_for_everything_have_the_interval_of_its_launches) {
  const auto replayed = [&](const std::string& launches) {
    trace::test::write_bytes(directory_ / "whole.json",
                             R"({"format": "timeless.rates/1", "units_per_second": 1e9)" + launches + "}");
    return command("replay", {"--network", "qdr", "--rates", directory_ / "whole.json", "--json"});
  };
  const json one = json::parse(replayed(R"(, "launches": [8e8, 1e9, 1.25e9])").out).at("configurations").at(0);
  const double makespan = one.at("makespan_seconds");
  const double low = one.at("makespan_interval_seconds").at(0);
  const double high = one.at("makespan_interval_seconds").at(1);
  // 50 computations of 0.1 ms on each rank: from 0.8 to 1.25 times as long.
  EXPECT_NEAR(makespan - low, 0.2 * 5e-3, 1e-5);
  EXPECT_NEAR(high - makespan, 0.25 * 5e-3, 1e-5);
  const Outcome text = command("replay", {"--network", "qdr", "--rates", directory_ / "whole.json"});
  EXPECT_THAT(in_one_line(text.out), AllOf(HasSubstr("by the launches that the rates are from"),
                                           HasSubstr("by how much kernels' own rates differ from it is not in it")));
  for (const char* const none : {"", R"(, "launches": [1e9])"})
    EXPECT_FALSE(json::parse(replayed(none).out).at("configurations").at(0).contains("makespan_interval_seconds"));
  EXPECT_THAT(replayed(R"(, "launches": [1e9, 0])").err, HasSubstr("0 is no rate that a processor has"));
  EXPECT_THAT(replayed(R"(, "launches": [1e9], "hosts": {"a": 1e9})").err, HasSubstr("one rate for everything"));
}

TEST_F(Rates, that_differ_between_two_results_are_said_when_these_are_compared) {
  const std::string preset = saved("preset.json", {"--network", "e1g"});
  const std::string platform = saved("platform.json", {"--platform", "ethernet-1g"});
  const std::string graphene = saved("graphene.json", {"--platform", "graphene"});
  const std::string loggp = saved("loggp.json", {"--network", "lam-mpi-c"});
  const auto compared = [](const std::string& a, const std::string& b) {
    return test::in_one_line(timeless_command({"compare", a, b}).out);
  };
  EXPECT_THAT(compared(preset, graphene),
              AllOf(HasSubstr("computation rests on different rates: A 8.00 G/s (assumption), B 3.68 G/s (platform)"),
                    HasSubstr("different bases: A none, B measured")));
  EXPECT_THAT(compared(preset, platform), Not(HasSubstr("different rates")));
  EXPECT_THAT(compared(preset, loggp), AllOf(Not(HasSubstr("different rates")), HasSubstr("A none, B its own")));
  EXPECT_THAT(compared(graphene, graphene),
              AllOf(Not(HasSubstr("different rates")), Not(HasSubstr("different bases"))));
  const std::string several = saved("several.json", {"--network", "e1g,qdr"});
  EXPECT_THAT(compared(several, preset),
              AllOf(HasSubstr("several.json: e1g in the model"),
                    HasSubstr("several.json holds 2 configurations (e1g, qdr), and this is "
                              "the first: FILE@NAME or FILE@NUMBER, from 0, names another")));
  EXPECT_THAT(compared(several + "@1", preset),
              AllOf(HasSubstr("several.json: qdr in the model"), Not(HasSubstr("configurations"))));
  EXPECT_THAT(compared(preset, preset), Not(HasSubstr("configurations")));
  const json both = json::parse(timeless_command({"compare", preset, graphene, "--json"}).out);
  EXPECT_EQ(both.at("a_compute_rate").at("from"), "assumption");
  EXPECT_EQ(both.at("b_compute_rate").at("least_per_second"), 3.68e9);
}

} // namespace
} // namespace timeless::tools
