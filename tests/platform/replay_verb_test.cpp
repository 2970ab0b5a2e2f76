#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;

/// Two ranks recorded on one host: 4 M instructions on rank 0, then a message of 100,000 bytes.
class Replay : public testing::Test {
protected:
  Replay() { write(sample(), "run.tia"); }

  static trace::MemorySource sample() {
    trace::MemorySource run(2);
    run.description().hosts = {{.name = "vm", .cpu_model = {}}};
    run.description().ranks[1].host = 0;
    run.compute(0, 4'000'000);
    run.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 100'000});
    run.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 100'000});
    run.finalize();
    return run;
  }

  std::string write(const trace::MemorySource& run, const std::string& name) {
    trace::test::write_archive(run, directory_ / name);
    return directory_ / name;
  }

  Outcome replay(std::vector<std::string> options, const std::string& name = "run.tia") {
    options.insert(options.begin(), {"replay", directory_ / name});
    return timeless_command(options);
  }

  json replay_json(std::vector<std::string> options, const std::string& name = "run.tia") {
    options.emplace_back("--json");
    const Outcome outcome = replay(std::move(options), name);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }

  trace::test::TemporaryDirectory directory_;
};

double makespan(const json& answer, std::size_t configuration = 0) {
  return answer.at("configurations").at(configuration).at("makespan_seconds");
}

TEST_F(Replay, on_a_platform_says_time_shares_mapping_counter_and_rate) {
  const Outcome outcome = replay({"--platform", "flat"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // 4 M instructions at 1 G/s, 10 us, and 100,016 bytes at 1 GB/s.
  EXPECT_THAT(outcome.out, HasSubstr("4.110 ms"));
  EXPECT_THAT(outcome.out, HasSubstr("compute %"));
  EXPECT_THAT(outcome.out, HasSubstr("one rank per host"));
  EXPECT_THAT(outcome.out, HasSubstr("memory: instructions, exact"));
  EXPECT_THAT(outcome.out, HasSubstr("ASSUMED: 1.00 G instructions/s per rank"));
  EXPECT_THAT(outcome.out, HasSubstr("without contention"));
}

TEST_F(Replay, in_SMPI_gives_the_same_time_where_nothing_contends) {
  EXPECT_NEAR(makespan(replay_json({"--platform", "flat", "--backend", "smpi"})),
              makespan(replay_json({"--platform", "flat"})), 1e-12);
  const Outcome outcome = replay({"--platform", "flat", "--backend", "smpi"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("4.110 ms"), HasSubstr("4.000 ms (rank 0)"), HasSubstr("4.110 ms (rank 1)"),
                                 HasSubstr("actions/s")));
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Replay, on_networks_gives_a_configuration_each_in_one_pass) {
  const json answer = replay_json({"--network", "e1g,qdr", "--compute-rate", "2e9", "--memory-copy", "0"});
  ASSERT_EQ(answer.at("configurations").size(), 2U);
  EXPECT_EQ(answer["configurations"][0]["name"], "e1g");
  EXPECT_NEAR(makespan(answer, 0), 2e-3 + 50e-6 + 100'000 * 8e-9, 1e-9);
  EXPECT_NEAR(makespan(answer, 1), 2e-3 + 1.3e-6 + 100'000 / 4e9, 1e-9);
  EXPECT_EQ(answer["compute_assumed"], false);
  EXPECT_THAT(answer["mapping"].get<std::string>(), HasSubstr("--mapping recorded keeps them together"));
}

TEST_F(Replay, with_an_eager_limit_lets_the_sender_wait_for_its_receive) {
  const auto sender = [&](std::vector<std::string> options) {
    options.insert(options.end(), {"--network", "e1g", "--memory-copy", "0", "--compute-rate", "2e9"});
    return replay_json(options)["configurations"][0]["ranks"][0]["seconds"]["end"].get<double>();
  };
  EXPECT_NEAR(sender({}), 2e-3, 1e-12);
  EXPECT_NEAR(sender({"--eager-limit", "100000"}), 2e-3, 1e-12);
  EXPECT_NEAR(sender({"--eager-limit", "99999"}), 2e-3 + 3 * 50e-6 + 100'000 * 8e-9, 1e-12);
  EXPECT_NEAR(sender({"--eager-limit", "99999", "--handshake", "0.5"}), 2e-3 + 75e-6 + 100'000 * 8e-9, 1e-12);
  for (const char* nonsense : {"-1", "64 of them", "None", ""})
    EXPECT_EQ(replay({"--network", "e1g", "--eager-limit", nonsense}).status, *nonsense == '\0' ? 0 : 2) << nonsense;
}

/// Two ranks that send to each other before they receive.
class ReplayHeadToHead : public Replay {
protected:
  ReplayHeadToHead() {
    trace::MemorySource run(2);
    for (const trace::Rank rank : {0, 1}) {
      run.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 100'000});
      run.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 100'000});
    }
    run.finalize();
    write(run, "head.tia");
    std::ofstream(directory_ / "limited.json") << R"({"format": "timeless.network/1", "name": "limited",
      "eager_limit_bytes": 65536, "between_nodes": {"model": "hockney", "latency_seconds": 1e-6,
      "bandwidth_bytes_per_second": 1e9}})";
  }
};

TEST_F(ReplayHeadToHead, names_the_configuration_that_ends_in_a_deadlock_and_predicts_the_other) {
  const std::vector<std::string> both{"--network", "e1g," + (directory_ / "limited.json").string()};
  const json answer = replay_json(both, "head.tia");
  EXPECT_GT(makespan(answer, 0), 0);
  const json& stuck = answer["configurations"][1];
  EXPECT_TRUE(stuck["makespan_seconds"].is_null());
  EXPECT_EQ(stuck["deadlocked"], true);
  const json& blocked = stuck["diagnosis"]["blocked"];
  ASSERT_EQ(blocked.size(), 2U);
  EXPECT_EQ(blocked[1]["rank"], 1);
  EXPECT_EQ(blocked[1]["action"], 0);
  EXPECT_EQ(blocked[1]["waits_for"], "receive");
  EXPECT_EQ(blocked[1]["peer"], 0);
  EXPECT_EQ(blocked[1]["bytes"], 100'000);
  EXPECT_EQ(stuck["diagnosis"]["cycle"].size(), 2U);
  const Outcome outcome = replay(both, "head.tia");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 configurations end in a deadlock"));
  EXPECT_THAT(outcome.out, HasSubstr("Send waits for rank 1 to receive its message of 100000 bytes"));
}

TEST_F(ReplayHeadToHead, gives_the_critical_path_of_the_first_configuration_that_ends) {
  const std::string limited = (directory_ / "limited.json").string();
  const json answer = replay_json({"--network", limited + ",e1g", "--critical-path"}, "head.tia");
  EXPECT_FALSE(answer["configurations"][0].contains("critical_path"));
  EXPECT_EQ(answer["configurations"][1]["critical_path"]["makespan_seconds"].get<double>(), makespan(answer, 1));
  const Outcome outcome = replay({"--network", limited + ",e1g", "--critical-path"}, "head.tia");
  EXPECT_THAT(outcome.out, HasSubstr("critical path of e1g"));
  EXPECT_THAT(tools::test::in_one_line(outcome.out),
              HasSubstr("only looked for in the first configuration, limited, which ends in a deadlock"));
}

TEST_F(ReplayHeadToHead, fails_where_all_configurations_end_in_a_deadlock) {
  const Outcome outcome = replay({"--network", "e1g,qdr", "--eager-limit", "0"}, "head.tia");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("they wait in a circle"));
  EXPECT_EQ(replay({"--network", "e1g,qdr", "--eager-limit", "none"}, "head.tia").status, 0);
}

TEST_F(Replay, json_holds_every_rank_with_its_times) {
  const json answer = replay_json({"--platform", "flat"});
  EXPECT_EQ(answer["schema"], "timeless.replay/1");
  EXPECT_EQ(answer["backend"], "model");
  EXPECT_EQ(answer["ranks"], 2);
  EXPECT_EQ(answer["actions"], 5);
  EXPECT_EQ(answer["complete"], true);
  const json& receiver = answer["configurations"][0]["ranks"][1];
  EXPECT_EQ(receiver["node"], "node-1");
  EXPECT_NEAR(receiver["seconds"]["wait"].get<double>(), 4e-3, 1e-12);
  EXPECT_NEAR(receiver["seconds"]["end"].get<double>(), 4.110016e-3, 1e-12);
}

TEST_F(Replay, scales_the_platform_the_same_way_in_both_backends) {
  const std::vector<std::string> scaled{"--platform",  "graphene", "--latency", "x2",
                                        "--bandwidth", "/2,x1,x4", "--cpu",     "x2"};
  const json model = replay_json(scaled);
  std::vector<std::string> smpi = scaled;
  smpi.insert(smpi.end(), {"--backend", "smpi"});
  const json simulated = replay_json(smpi);
  ASSERT_EQ(model["configurations"].size(), 3U);
  ASSERT_EQ(simulated["configurations"].size(), 3U);
  EXPECT_EQ(model["configurations"][0]["name"], "graphene bandwidth /2 latency x2 cpu x2");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(model["configurations"][i]["name"], simulated["configurations"][i]["name"]);
    EXPECT_NEAR(makespan(model, i) / makespan(simulated, i), 1, 1e-9);
  }
  EXPECT_GT(makespan(model, 0), makespan(model, 2));
}

TEST_F(Replay, takes_the_compute_rate_given_over_the_platforms) {
  EXPECT_NEAR(makespan(replay_json({"--platform", "flat", "--compute-rate", "4e9"})), 1.110016e-3, 1e-9);
  EXPECT_NEAR(makespan(replay_json({"--platform", "flat", "--compute-rate", "4e9", "--backend", "smpi"})), 1.110016e-3,
              1e-9);
}

TEST_F(Replay, follows_a_hostfile) {
  std::ofstream(directory_ / "hosts") << "node-5 slots=2\n";
  const json answer = replay_json({"--platform", "flat", "--hostfile", directory_ / "hosts"});
  EXPECT_EQ(answer["configurations"][0]["ranks"][1]["node"], "node-5");
  EXPECT_NEAR(makespan(answer), 4e-3 + 1e-6 + 100'016e-10, 1e-9);
}

TEST_F(Replay, lists_ranks_when_asked) {
  const Outcome outcome = replay({"--platform", "flat", "--per-rank"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("node-0"), HasSubstr("node-1")));
  EXPECT_THAT(replay({"--platform", "flat"}).out, Not(HasSubstr("node-1")));
}

TEST_F(Replay, of_nanoseconds_needs_no_rate) {
  trace::MemorySource run = sample();
  run.description().counter.unit = trace::VolumeUnit::nanoseconds;
  run.description().counter.exactness = trace::Exactness::inexact;
  write(run, "timed.tia");
  EXPECT_NEAR(makespan(replay_json({"--platform", "graphene"}, "timed.tia")),
              makespan(replay_json({"--platform", "graphene", "--backend", "smpi"}, "timed.tia")), 1e-9);
  EXPECT_THAT(replay({"--network", "qdr"}, "timed.tia").out, HasSubstr("the time it took while recording"));
  EXPECT_EQ(replay({"--platform", "flat", "--compute-rate", "1e9"}, "timed.tia").status, 2);
}

TEST_F(Replay, of_a_trace_cut_short_says_so_and_exits_6) {
  trace::MemorySource run(2);
  run.compute(0, 1000);
  run.add(1, {.kind = ActionKind::finalize});
  run.description().ranks[1].ending = trace::Ending::finalized;
  write(run, "short.tia");
  for (const std::string backend : {"model", "smpi"}) {
    const Outcome outcome = replay({"--platform", "flat", "--backend", backend}, "short.tia");
    EXPECT_EQ(outcome.status, 6) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("incomplete"));
    EXPECT_THAT(outcome.out, HasSubstr("1.000 us"));
  }
}

TEST_F(Replay, of_a_deadlock_names_the_ranks_and_exits_3) {
  trace::MemorySource run(2);
  for (const trace::Rank rank : {0, 1})
    run.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .tag = 5, .bytes = 8});
  run.finalize();
  write(run, "stuck.tia");
  for (const std::string backend : {"model", "smpi"}) {
    const Outcome outcome = replay({"--platform", "flat", "--backend", backend}, "stuck.tia");
    EXPECT_EQ(outcome.status, 3) << backend;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("timeless: "), HasSubstr("rank 0"), HasSubstr("rank 1"))) << backend;
  }
}

/// Returns a platform of two hosts on one link, with these words in their elements.
std::string two_hosts(const std::string& host_b, const std::string& link) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/>"
         "<host id=\"b\" speed=\"1Gf\" " +
         host_b + "/><link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\" " + link +
         "/><route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone></platform>\n";
}

TEST_F(Replay, refuses_a_way_over_WIFI_in_both_backends_with_exit_5) {
  std::ofstream(directory_ / "air.xml") << two_hosts("", "sharing_policy=\"WIFI\"");
  for (const std::string backend : {"model", "smpi"}) {
    const Outcome outcome = replay({"--platform", directory_ / "air.xml", "--backend", backend});
    EXPECT_EQ(outcome.status, 5) << backend;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("crosses the WIFI link l")) << backend;
  }
}

TEST_F(Replay, says_that_the_model_lets_work_on_what_fails) {
  std::ofstream(directory_ / "fails.xml") << two_hosts("state_file=\"b.profile\"", "");
  std::ofstream(directory_ / "b.profile") << "0 1\n0.001 0\n";
  const Outcome model = replay({"--platform", directory_ / "fails.xml"});
  EXPECT_EQ(model.status, 0) << model.err;
  EXPECT_THAT(model.out, HasSubstr("host 'b' has a state profile"));
}

TEST_F(Replay, refuses_in_SMPI_what_it_lacks_with_exit_5) {
  trace::MemorySource run(1);
  run.add(0, {.kind = ActionKind::neighbor_alltoall, .bytes = 8, .receive_bytes = 8});
  run.finalize();
  write(run, "neighbors.tia");
  const Outcome outcome = replay({"--platform", "flat", "--backend", "smpi"}, "neighbors.tia");
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, HasSubstr("Neighbor_alltoall"));
}

TEST_F(Replay, with_options_that_make_no_sense_is_a_usage_error) {
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {},
           {"--platform", "flat", "--network", "qdr"},
           {"--network", "nonsense"},
           {"--network", "qdr", "--backend", "smpi"},
           {"--platform", "flat", "--backend", "smpi", "--memory-copy", "1e9"},
           {"--platform", "flat", "--backend", "smpi", "--collectives", "simple"},
           {"--platform", "flat", "--backend", "guess"},
           {"--platform", "flat", "--latency", "twice"},
           {"--platform", "flat", "--latency", "x0"},
           {"--platform", "flat", "--bandwidth", "x1,"},
           {"--platform", "flat", "--mapping", "somehow"},
           {"--platform", "flat", "--compute-rate", "-1"},
       }) {
    const Outcome outcome = replay(options);
    EXPECT_EQ(outcome.status, 2) << testing::PrintToString(options) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("timeless: "));
  }
}

TEST_F(Replay, on_a_platform_that_does_not_exist_lists_those_that_do) {
  const Outcome outcome = replay({"--platform", "nonsense"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("flat, graphene, griffon"), HasSubstr("qdr-fat-tree")));
  std::ofstream(directory_ / "broken.xml") << "<platform version=\"4.1\"><zone";
  const Outcome broken = replay({"--platform", directory_ / "broken.xml"});
  EXPECT_EQ(broken.status, 3);
  EXPECT_THAT(broken.err, HasSubstr("broken.xml"));
}

std::string write_text(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

TEST_F(Replay, on_a_network_file_takes_the_time_it_describes_beside_presets_and_by_factors) {
  const std::string file = write_text(directory_ / "mine.json", R"({"format": "timeless.network/1", "between_nodes":
    {"model": "loggp", "latency_seconds": 1e-3, "segments": [{"overhead_seconds": 2e-3, "seconds_per_byte": 1e-7}]}})");
  const json answer = replay_json({"--network", "e1g," + file, "--latency", "x1,x2"});
  ASSERT_EQ(answer.at("configurations").size(), 4U);
  EXPECT_EQ(answer.at("configurations").at(3).at("name"), "mine latency x2");
  // 4 M instructions at 8 G/s, overhead, latency, 10 ms of bytes, overhead.
  EXPECT_NEAR(makespan(answer, 2), 15.5e-3, 1e-12);
  EXPECT_NEAR(makespan(answer, 3), 16.5e-3, 1e-12);
  EXPECT_NEAR(makespan(answer, 0), makespan(replay_json({"--network", "e1g"})), 0) << "lanes beside change nothing";
}

TEST_F(Replay, on_a_network_that_comes_with_timeless_takes_its_name) {
  // 100,000 bytes after LAM/MPI's envelope: o_s + L + o_s + o_s + L + o_l + n G + L + o_l.
  const double seconds = (3 * 39.03 + 2 * 163.43 + 3 * 60 + 100'000 * 0.216644) * 1e-6;
  EXPECT_NEAR(makespan(replay_json({"--network", "lam-mpi-c"})), 0.5e-3 + seconds, 1e-9);
  EXPECT_NEAR(makespan(replay_json({"--network", "lam-mpi-c", "--handshake", "2"})), 0.5e-3 + seconds, 1e-9)
      << "the two latencies that it has anyway";
}

TEST_F(Replay, lists_the_networks_it_knows_without_a_trace) {
  const Outcome outcome = timeless_command({"replay", "--list-networks"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("e1g"), HasSubstr("lam-mpi-fortran"), HasSubstr("Brim")));
}

TEST_F(Replay, refuses_networks_it_does_not_know_and_files_that_are_none) {
  Outcome outcome = replay({"--network", "e2g"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("e2g"), HasSubstr("e10g"), HasSubstr("lam-mpi-c")));
  const std::string file = write_text(directory_ / "bad.json", R"({"format": "timeless.network/1", "latency": 1})");
  outcome = replay({"--network", file});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("bad.json: latency"), HasSubstr("between_nodes")));
}

TEST_F(Replay, rates_of_hosts_and_kernels_count_on_networks_platforms_and_in_SMPI) {
  const std::string file = write_text(directory_ / "rates.json", R"({"format": "timeless.rates/1",
    "units_per_second": 2e9, "kernels": {"0": 4e9}})");
  const auto computed = [](const json& answer) {
    return answer.at("configurations").at(0).at("mean_seconds").at("compute").get<double>() * 2;
  };
  EXPECT_DOUBLE_EQ(computed(replay_json({"--network", "e1g", "--rates", file})), 1e-3);
  EXPECT_DOUBLE_EQ(computed(replay_json({"--platform", "flat", "--rates", file})), 1e-3);
  EXPECT_NEAR(makespan(replay_json({"--platform", "flat", "--backend", "smpi", "--rates", file})),
              makespan(replay_json({"--platform", "flat", "--rates", file})), 1e-12);
  const std::string slow = write_text(directory_ / "slow.json", R"({"format": "timeless.rates/1",
    "hosts": {"node-0": 5e8}})");
  EXPECT_DOUBLE_EQ(computed(replay_json({"--platform", "flat", "--rates", slow})), 8e-3);
  const Outcome outcome = replay({"--network", "e1g", "--rates", slow});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("slow.json: hosts"), HasSubstr("no rate for host 'node-1'")));
  EXPECT_EQ(replay({"--network", "e1g", "--rates", file, "--compute-rate", "1e9"}).status, 2);
}

TEST_F(Replay, global_clock_is_refused_without_recorded_times) {
  const Outcome outcome = replay({"--network", "e1g", "--clock", "global"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("the trace holds none"), HasSubstr("--timestamps")));
}

} // namespace
} // namespace timeless::tools
