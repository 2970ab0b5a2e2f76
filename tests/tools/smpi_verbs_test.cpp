// What the command says of replays in SMPI: contention, two results side by side.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;

constexpr trace::Bytes ten_megabytes = 10'000'000;

/// Returns a program in which ranks 0 and 1 each compute in kernel 0 for 1 ms and send 10 MB to ranks 2 and 3, which
/// receive and compute in kernel 1 for 2 ms.
trace::MemorySource two_flows() {
  trace::MemorySource run(4);
  run.description().kernels.resize(2);
  for (const trace::Rank rank : {0, 1}) {
    run.compute(rank, 1'000'000, 0);
    run.add(rank, {.kind = ActionKind::send, .peer = rank + 2, .bytes = ten_megabytes});
    run.add(rank + 2, {.kind = ActionKind::receive, .peer = rank, .bytes = ten_megabytes});
    run.compute(rank + 2, 4'000'000, 1);
  }
  run.finalize();
  return run;
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class InSmpi : public testing::Test {
protected:
  InSmpi() {
    trace::test::write_archive(two_flows(), directory_ / "run.tia");
    std::ofstream(directory_ / "hosts") << "a slots=2\nb slots=2\n";
  }

  /// On two hosts, the first of 1 Gflop/s, with one shared link of 100 MB/s.
  Outcome replay(std::vector<std::string> options) {
    options.insert(options.begin(), {"replay", directory_ / "run.tia", "--platform",
                                     TIMELESS_TEST_PLATFORMS "/shared.xml", "--hostfile", directory_ / "hosts"});
    return timeless_command(options);
  }

  json answer(std::vector<std::string> options) {
    options.emplace_back("--json");
    const Outcome outcome = replay(std::move(options));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }

  std::string kept(const std::string& name, const json& result) {
    const std::string file = directory_ / name;
    std::ofstream(file) << result.dump();
    return file;
  }

  trace::test::TemporaryDirectory directory_;
};

TEST_F(InSmpi, contention_is_the_difference_to_the_model_by_rank_and_by_kernel) {
  const json smpi = answer({"--backend", "smpi"}).at("configurations").at(0);
  const json model = answer({"--by", "kernel"}).at("configurations").at(0);
  const json contention = smpi.at("contention");
  EXPECT_EQ(contention.at("model_seconds"), model.at("makespan_seconds"));
  EXPECT_EQ(contention.at("smpi_seconds"), smpi.at("makespan_seconds"));
  // Two flows of 10 MB over 100 MB/s, each with 5 % of acknowledgements: 0.105 s more than one alone. Ranks 2 and 3
  // share the one core of b: 2 ms.
  EXPECT_NEAR(contention.at("difference_seconds"), 0.107, 1e-6);
  ASSERT_EQ(contention.at("ranks").size(), 4);
  for (const int rank : {2, 3})
    EXPECT_NEAR(contention.at("ranks").at(rank).at("difference_seconds"), 0.107, 1e-6);
  double kernels = 0;
  for (const json& kernel : contention.at("by_kernel"))
    kernels += kernel.at("difference_seconds").get<double>();
  double ranks = 0;
  for (const json& rank : contention.at("ranks"))
    ranks += rank.at("difference_seconds").get<double>();
  EXPECT_NEAR(kernels, ranks / 4, 1e-12);
}

TEST_F(InSmpi, no_contention_is_reported_where_there_is_none) {
  const Outcome outcome = timeless_command({"replay", directory_ / "run.tia", "--platform", "flat", "--mapping",
                                            "one-per-node", "--backend", "smpi", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json contention = json::parse(outcome.out).at("configurations").at(0).at("contention");
  EXPECT_NEAR(contention.at("difference_seconds"), 0, 1e-12);
}

TEST_F(InSmpi, the_link_that_two_messages_share_is_full_while_both_are_on_it) {
  const json smpi = answer({"--backend", "smpi", "--by", "kernel"}).at("configurations").at(0);
  const json links = smpi.at("contention").at("links");
  ASSERT_EQ(links.size(), 1);
  const json& link = links.front();
  EXPECT_EQ(link.at("link"), "both-ways");
  EXPECT_EQ(link.at("messages"), 2);
  EXPECT_EQ(link.at("most_at_once"), 2);
  // The ranks compute for 1 ms, one after the other on the one core that a has for each of two ranks; each message
  // takes 0.105 s longer than alone.
  EXPECT_NEAR(link.at("slowed_seconds"), 0.21, 1e-5);
  EXPECT_NEAR(link.at("full_seconds"), 0.21, 1e-5);
  ASSERT_EQ(link.at("periods").size(), 1);
  EXPECT_NEAR(link.at("periods").front().at("begin_seconds"), 0.001, 1e-4);
  EXPECT_NEAR(link.at("periods").front().at("end_seconds"), 0.211, 1e-4);
  ASSERT_EQ(link.at("by_kernel").size(), 1);
  EXPECT_EQ(link.at("by_kernel").front().at("kernel"), 0);
  EXPECT_EQ(link.at("by_kernel").front().at("messages"), 2);
}

TEST_F(InSmpi, nobody_watches_links_unless_asked_what_time_goes_into) {
  EXPECT_FALSE(answer({"--backend", "smpi"}).at("configurations").at(0).at("contention").contains("links"));
}

TEST_F(InSmpi, platforms_beside_others_say_which_links_were_full_too) {
  const Outcome both = timeless_command({"replay", directory_ / "run.tia", "--platform",
                                         TIMELESS_TEST_PLATFORMS "/shared.xml", "--platform", "graphene", "--mapping",
                                         "one-per-node", "--backend", "smpi", "--by", "kernel", "--json"});
  ASSERT_EQ(both.status, 0) << both.err;
  const json configurations = json::parse(both.out).at("configurations");
  ASSERT_EQ(configurations.size(), 2);
  const Outcome alone =
      timeless_command({"replay", directory_ / "run.tia", "--platform", TIMELESS_TEST_PLATFORMS "/shared.xml",
                        "--mapping", "one-per-node", "--backend", "smpi", "--by", "kernel", "--json"});
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_EQ(configurations.front().at("contention").at("links"),
            json::parse(alone.out).at("configurations").at(0).at("contention").at("links"));
}

TEST_F(InSmpi, a_comparison_names_the_full_links_and_whose_messages_they_slowed_down) {
  const std::string model = kept("model.json", answer({"--by", "kernel"}));
  const std::string smpi = kept("smpi.json", answer({"--by", "kernel", "--backend", "smpi"}));
  const Outcome text = timeless_command({"compare", model, smpi});
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("link that was full in B"), HasSubstr("both-ways"), HasSubstr("program+0x0: 100 %"),
                    HasSubstr("In B, messages took 210.0"), HasSubstr("a rank"), Not(HasSubstr("full in A"))));
  const json compared = json::parse(timeless_command({"compare", model, smpi, "--json"}).out);
  EXPECT_TRUE(compared.at("a_links").is_null());
  ASSERT_EQ(compared.at("b_links").size(), 1);
  EXPECT_NEAR(compared.at("b_links").front().at("by_kernel").front().at("slowed_seconds"), 0.21, 1e-5);
}

TEST_F(InSmpi, time_is_divided_by_kernel_and_by_call) {
  const json kernels = answer({"--backend", "smpi", "--by", "kernel"}).at("configurations").at(0).at("by_kernel");
  double sum = 0;
  for (const json& kernel : kernels)
    sum += kernel.at("seconds").at("all").get<double>();
  const json one = answer({"--backend", "smpi", "--by", "call"}).at("configurations").at(0);
  EXPECT_NEAR(sum, one.at("mean_seconds").at("end"), 1e-12);
  EXPECT_EQ(one.at("by_call").at(0).at("call"), "Recv");
}

TEST_F(InSmpi, several_configurations_are_divided_each) {
  const json all = answer({"--backend", "smpi", "--by", "kernel", "--bandwidth", "x1,x2"}).at("configurations");
  ASSERT_EQ(all.size(), 2);
  for (const json& one : all) {
    double sum = 0;
    for (const json& kernel : one.at("by_kernel"))
      sum += kernel.at("seconds").at("all").get<double>();
    EXPECT_NEAR(sum, one.at("mean_seconds").at("end"), 1e-12);
  }
  EXPECT_GT(all[0].at("contention").at("difference_seconds"),
            1.9 * all[1].at("contention").at("difference_seconds").get<double>());
}

TEST_F(InSmpi, several_platforms_follow_each_other_as_if_each_were_alone) {
  const std::string shared = TIMELESS_TEST_PLATFORMS "/shared.xml";
  const std::string faster = directory_ / "faster.xml";
  std::string text = content(shared);
  for (std::size_t at = 0; (at = text.find("100MBps", at)) != std::string::npos;)
    text.replace(at, 7, "200MBps");
  std::ofstream(faster) << text;
  const std::vector<std::string> asked{"--backend",      "smpi", "--by",        "kernel",
                                       "--compute-rate", "1e9",  "--bandwidth", "x1,x2"};
  std::vector<std::string> both = asked;
  both.insert(both.end(), {"--platform", faster});
  const json together = answer(both).at("configurations");
  ASSERT_EQ(together.size(), 4);
  const json alone = answer(asked).at("configurations");
  for (std::size_t lane = 0; lane < 2; ++lane)
    for (const char* figure : {"name", "makespan_seconds", "ranks", "contention"})
      EXPECT_EQ(together[lane].at(figure), alone[lane].at(figure)) << lane << figure;
  EXPECT_EQ(together[2].at("name"), "faster");
  EXPECT_NEAR(together[2].at("makespan_seconds"), together[1].at("makespan_seconds"), 1e-9) << "twice the bandwidth";
  for (const std::string format : {"csv", "simgrid"}) {
    std::vector<std::string> drawn = both;
    drawn.insert(drawn.end(), {"--timeline", directory_ / "timeline", "--timeline-format", format});
    const Outcome refused = replay(drawn);
    EXPECT_EQ(refused.status, 2) << format;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("a timeline shows one machine"), HasSubstr("name one --platform")));
    EXPECT_FALSE(std::filesystem::exists(directory_ / "timeline"));
  }
}

TEST_F(InSmpi, a_platform_that_ends_in_a_deadlock_leaves_the_others) {
  trace::MemorySource run(2);
  for (const trace::Rank rank : {0, 1}) {
    run.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 2000});
    run.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 2000});
  }
  run.finalize();
  trace::test::write_archive(run, directory_ / "heads.tia");
  const std::string shared = TIMELESS_TEST_PLATFORMS "/shared.xml";
  const std::string waits = directory_ / "waits.xml"; // as the other, but messages of 2000 bytes wait for receives
  std::string text = content(shared);
  text.insert(text.find("</config>"), "<prop id=\"smpi/send-is-detached-thresh\" value=\"1000\"/>");
  std::ofstream(waits) << text;
  const auto on = [&](const std::string& platforms, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"replay",    directory_ / "heads.tia", "--platform", platforms,
                                   "--mapping", "one-per-node",           "--backend",  "smpi"};
    words.insert(words.end(), more.begin(), more.end());
    return timeless_command(words);
  };
  const json alone = json::parse(on(shared, {"--json"}).out).at("configurations").at(0);
  for (const bool first : {true, false}) {
    const std::string both = first ? waits + "," + shared : shared + "," + waits;
    const Outcome shown = on(both);
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.err, HasSubstr("1 of 2 configurations end in a deadlock"));
    EXPECT_THAT(shown.out, AllOf(testing::ContainsRegex("\n +waits +deadlock"),
                                 HasSubstr("waits: 2 of 2 ranks wait and nothing will come (rank 0")));
    const json told = json::parse(on(both, {"--json", "--by", "call"}).out).at("configurations");
    EXPECT_EQ(told.at(first ? 1 : 0).at("makespan_seconds"), alone.at("makespan_seconds"));
    EXPECT_EQ(told.at(first ? 1 : 0).at("mean_seconds"), alone.at("mean_seconds"));
    EXPECT_FALSE(told.at(first ? 1 : 0).at("by_call").empty());
    EXPECT_TRUE(told.at(first ? 0 : 1).at("makespan_seconds").is_null());
  }
  const Outcome none = on(waits);
  EXPECT_EQ(none.status, 3) << none.out;
  EXPECT_THAT(none.err, HasSubstr("2 of 2 ranks wait and nothing will come (rank 0"));
}

TEST_F(InSmpi, settings_of_SimGrids_pass_through_and_bad_ones_are_named) {
  const json without = answer({"--backend", "smpi"});
  const json with = answer({"--backend", "smpi", "--cfg=network/crosstraffic:0"});
  const auto makespan = [](const json& result) {
    return result.at("configurations").at(0).at("makespan_seconds").get<double>();
  };
  EXPECT_NEAR(makespan(without) - makespan(with), 0.01, 0.001);
  // The model follows what says how much a message costs.
  EXPECT_LT(makespan(answer({"--cfg=network/crosstraffic:0"})), makespan(answer({})));
  for (const auto& [setting, words] :
       {std::pair{"foo/bar:1", "SimGrid does not take the setting 'foo/bar:1'"}, std::pair{"nonsense", "is no setting"},
        std::pair{"smpi/simulate-computation:yes", "a replay sets smpi/simulate-computation:no"}}) {
    const Outcome outcome = replay({"--backend", "smpi", std::string("--cfg=") + setting});
    EXPECT_EQ(outcome.status, 2) << setting;
    EXPECT_THAT(outcome.err, HasSubstr(words));
  }
  const Outcome wrong = replay({"--cfg=smpi/coll-selector:nobody"});
  EXPECT_EQ(wrong.status, 3);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("--cfg=smpi/coll-selector:nobody"), HasSubstr("no algorithm 'nobody'")));
}

TEST_F(InSmpi, results_of_both_backends_are_put_side_by_side) {
  const std::string model = kept("model.json", answer({"--by", "kernel"}));
  const std::string smpi = kept("smpi.json", answer({"--by", "kernel", "--backend", "smpi"}));
  const Outcome outcome = timeless_command({"compare", model, smpi, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json both = json::parse(outcome.out);
  EXPECT_EQ(both.at("schema"), "timeless.compare/1");
  EXPECT_NEAR(both.at("total").at("difference_seconds"), 0.107, 1e-6);
  ASSERT_EQ(both.at("ranks").size(), 4);
  EXPECT_EQ(both.at("ranks").at(3).at("name"), "rank 3");
  double kernels = 0;
  for (const json& kernel : both.at("by_kernel"))
    kernels += kernel.at("difference_seconds").get<double>();
  double ranks = 0;
  for (const json& rank : both.at("ranks"))
    ranks += rank.at("difference_seconds").get<double>();
  EXPECT_NEAR(kernels, ranks / 4, 1e-12);
  const Outcome text = timeless_command({"compare", model, smpi});
  EXPECT_THAT(text.out, AllOf(HasSubstr("in the model"), HasSubstr("in SMPI"), HasSubstr("rank 2"), HasSubstr("%")));
}

TEST_F(InSmpi, a_result_is_compared_with_itself_without_difference) {
  const std::string file = kept("model.json", answer({"--by", "call", "--bandwidth", "x1,x2"}));
  EXPECT_EQ(timeless_command({"compare", file, file, "--fail-above", "0"}).status, 0);
  const Outcome two = timeless_command({"compare", file + "@0", file + "@1", "--json", "--fail-above", "10"});
  EXPECT_EQ(two.status, 4);
  EXPECT_LT(json::parse(two.out).at("total").at("ratio"), 0.6);
  EXPECT_EQ(timeless_command({"compare", file, file + "@nobody"}).status, 2);
}

TEST_F(InSmpi, what_was_measured_is_put_beside_what_was_predicted) {
  trace::MemorySource run(2);
  run.description().kernels.resize(1);
  // Rank 0 computes 3 ms and sends for 1 ms, 0.5 ms of the recorder's between; rank 1 waits 4 ms for it.
  run.compute(0, 3'000'000, 0);
  run.times(0, {.entry = 0, .exit = 3'000'000});
  run.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8});
  run.times(0, {.entry = 3'500'000, .exit = 4'500'000});
  run.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  run.times(1, {.entry = 500'000, .exit = 4'500'000});
  for (const trace::Rank rank : {0, 1}) {
    run.add(rank, {.kind = ActionKind::finalize});
    run.times(rank, {.entry = 4'500'000, .exit = 5'000'000});
    run.description().ranks[static_cast<std::size_t>(rank)].ending = trace::Ending::finalized;
  }
  trace::test::write_archive(run, directory_ / "measured.tia", true);
  const Outcome replayed = timeless_command({"replay", directory_ / "measured.tia", "--network", "e10g", "--by",
                                             "kernel", "--compute-rate", "1e9", "--json"});
  ASSERT_EQ(replayed.status, 0) << replayed.err;
  const std::string predicted = kept("predicted.json", json::parse(replayed.out));
  const Outcome outcome = timeless_command({"compare", directory_ / "measured.tia", predicted, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json both = json::parse(outcome.out);
  EXPECT_NEAR(both.at("total").at("a_seconds"), 5e-3, 1e-12);
  EXPECT_NEAR(both.at("total").at("b_seconds"), 3e-3, 20e-6);
  double kernel = 0;
  double before = 0;
  for (const json& one : both.at("by_kernel"))
    (one.at("name") == "before the first" ? before : kernel) += one.at("a_seconds").get<double>();
  EXPECT_NEAR(kernel, 2.5e-3, 1e-12); // half of rank 0's 5 ms
  EXPECT_NEAR(before, 2.5e-3, 1e-12);
  const Outcome untimed = timeless_command({"compare", directory_ / "run.tia", predicted});
  EXPECT_EQ(untimed.status, 3);
  EXPECT_THAT(untimed.err, HasSubstr("no times were recorded"));
}

// SimGrid writes 6 decimals; our writers what they write for the model.
TEST_F(InSmpi, timelines_show_what_ranks_do_by_its_name) {
  const std::string text = directory_ / "timeline.txt";
  const Outcome ours = replay({"--backend", "smpi", "--timeline", text, "--timeline-format", "text"});
  ASSERT_EQ(ours.status, 0) << ours.err;
  const std::string lines = content(text);
  EXPECT_EQ(std::ranges::count(lines, '\n'), 12) << lines; // actions
  // Rank 0 computes from 0 to 1 ms; both sends end when they have shared the link for 0.21 s.
  EXPECT_THAT(lines, AllOf(HasSubstr("[0.001000000] 0 compute"), HasSubstr("0 send 10000000 0.210010336"),
                           HasSubstr("2 recv 10000000 0.211010336")));

  const std::string paje = directory_ / "simgrid.paje";
  const Outcome theirs = replay({"--backend", "smpi", "--timeline", paje, "--timeline-format", "simgrid"});
  ASSERT_EQ(theirs.status, 0) << theirs.err;
  const std::string events = content(paje);
  for (const char* state : {"PMPI_Send", "PMPI_Recv", "computing"})
    EXPECT_THAT(events, HasSubstr(state));
  EXPECT_EQ(events.find("%EventDef PajeDefineContainerType"), events.rfind("%EventDef PajeDefineContainerType"));
  EXPECT_FALSE(std::filesystem::exists(paje + ".part"));
  EXPECT_EQ(replay({"--timeline", paje, "--timeline-format", "simgrid"}).status, 2);
}

TEST_F(InSmpi, jobs_that_share_a_link_slow_each_other_down) {
  trace::MemorySource pair(2);
  pair.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = ten_megabytes});
  pair.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = ten_megabytes});
  pair.finalize();
  trace::test::write_archive(pair, directory_ / "pair.tia");
  std::ofstream(directory_ / "ab") << "a\nb\n";
  const std::string job = (directory_ / "pair.tia").string() + "@" + (directory_ / "ab").string();
  const std::vector<std::string> both{
      "replay", "--job", job, "--job", job, "--backend", "smpi", "--platform", TIMELESS_TEST_PLATFORMS "/shared.xml"};
  std::vector<std::string> as_json = both;
  as_json.emplace_back("--json");
  const Outcome outcome = timeless_command(as_json);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer.at("schema"), "timeless.replay-jobs/1");
  ASSERT_EQ(answer.at("jobs").size(), 2);
  for (const json& one : answer.at("jobs")) {
    // 10 MB over 100 MB/s, 5 % for acknowledgements; twice that when another job does the same.
    EXPECT_NEAR(one.at("configurations").at(0).at("makespan_seconds"), 0.21, 0.001);
    EXPECT_NEAR(one.at("configurations").at(1).at("makespan_seconds"), 0.105, 0.001);
    EXPECT_NEAR(one.at("times_as_long"), 2, 0.001);
  }
  const Outcome text = timeless_command(both);
  EXPECT_THAT(text.out, AllOf(HasSubstr("alone"), HasSubstr("together"), HasSubstr("2.000"), HasSubstr("job 2")));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"replay", "--job", job, "--platform", "graphene"},
        {"replay", directory_ / "run.tia", "--job", job, "--backend", "smpi", "--platform", "graphene"},
        {"replay", "--job", job, "--backend", "smpi", "--platform", "graphene", "--bandwidth", "x1,x2"},
        {"replay"}})
    EXPECT_EQ(timeless_command(wrong).status, 2) << wrong.back();
}

TEST_F(InSmpi, a_job_is_compared_with_a_run_and_all_jobs_with_all) {
  for (const auto& [name, bytes] : {std::pair{"short.tia", ten_megabytes}, std::pair{"long.tia", 3 * ten_megabytes}}) {
    trace::MemorySource pair(2);
    pair.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = bytes});
    pair.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
    pair.finalize();
    trace::test::write_archive(pair, directory_ / name);
  }
  std::ofstream(directory_ / "ab") << "a\nb\n";
  const std::string hosts = directory_ / "ab";
  const std::string platform = TIMELESS_TEST_PLATFORMS "/shared.xml";
  const Outcome both = timeless_command({"replay", "--job", (directory_ / "short.tia").string() + "@" + hosts, "--job",
                                         (directory_ / "long.tia").string() + "@" + hosts, "--backend", "smpi",
                                         "--platform", platform, "--json"});
  ASSERT_EQ(both.status, 0) << both.err;
  const std::string jobs = kept("jobs@night.json", json::parse(both.out));
  const Outcome single = timeless_command(
      {"replay", directory_ / "long.tia", "--hostfile", hosts, "--backend", "smpi", "--platform", platform, "--json"});
  ASSERT_EQ(single.status, 0) << single.err;
  const std::string run = kept("long.json", json::parse(single.out));

  const auto total = [&](const std::string& first, const std::string& second) {
    const Outcome outcome = timeless_command({"compare", first, second, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  };
  // 10 and 30 MB over 100 MB/s, 5 % for acknowledgements; together the first 20 MB are shared.
  const json beside = total(run, jobs + "@long.tia");
  EXPECT_NEAR(beside.at("total").at("a_seconds"), 0.315, 0.001);
  EXPECT_NEAR(beside.at("total").at("b_seconds"), 0.42, 0.001);
  EXPECT_EQ(beside.at("ranks").size(), 2);
  EXPECT_THAT(beside.at("b").get<std::string>(), HasSubstr("job 2 (long.tia): together in SMPI"));
  EXPECT_NEAR(total(run, jobs + "@2@alone").at("total").at("difference_seconds"), 0, 1e-9);
  EXPECT_NEAR(total(jobs + "@short.tia", jobs + "@1@alone").at("total").at("difference_seconds"), -0.105, 0.001);
  const json whole = total(jobs, jobs);
  EXPECT_NEAR(whole.at("total").at("a_seconds"), 0.42, 0.001);
  EXPECT_EQ(whole.at("ranks").size(), 4);

  for (const char* wrong : {"@0", "@3", "@nobody.tia", "@2@nobody"}) {
    const Outcome outcome = timeless_command({"compare", jobs + wrong, run});
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("jobs@night.json"), HasSubstr("it has"))) << wrong;
  }
}

TEST_F(InSmpi, ways_without_links_cost_their_latency_alone_in_both_backends) {
  std::ofstream(directory_ / "vivaldi.xml")
      << "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      << "<platform version=\"4.1\"><zone id=\"world\" routing=\"Vivaldi\">"
      << "<host id=\"a\" coordinates=\"0 0 1\" speed=\"1Gf\"/><host id=\"b\" coordinates=\"30 40 2\" speed=\"1Gf\"/>"
      << "</zone></platform>\n";
  std::ofstream(directory_ / "ab") << "a\nb\n";
  trace::MemorySource pair(2);
  for (const trace::Bytes bytes : {trace::Bytes{1000}, ten_megabytes}) {
    pair.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = bytes});
    pair.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
  }
  pair.finalize();
  trace::test::write_archive(pair, directory_ / "pair.tia");
  const Outcome outcome = timeless_command({"replay", directory_ / "pair.tia", "--platform", directory_ / "vivaldi.xml",
                                            "--hostfile", directory_ / "ab", "--backend", "smpi", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json contention = json::parse(outcome.out).at("configurations").at(0).at("contention");
  EXPECT_GT(contention.at("model_seconds"), 0.053) << "53 ms, and SMPI's factors of latencies";
  EXPECT_NEAR(contention.at("difference_seconds"), 0, 1e-6);
}

TEST_F(InSmpi, configurations_without_a_time_are_called_a_deadlock_only_where_they_are) {
  std::ofstream(directory_ / "null.json")
      << R"({"schema": "timeless.replay/1", "backend": "model", "trace": "a.tia", "configurations": [)"
      << R"({"name": "stuck", "makespan_seconds": null, "deadlocked": true}, {"name": "far", "makespan_seconds": null}]})";
  const std::string file = directory_ / "null.json";
  const Outcome stuck = timeless_command({"compare", file + "@stuck", file});
  EXPECT_EQ(stuck.status, 2);
  EXPECT_THAT(stuck.err, HasSubstr("deadlock"));
  const Outcome far = timeless_command({"compare", file + "@far", file});
  EXPECT_EQ(far.status, 2);
  EXPECT_THAT(far.err, AllOf(HasSubstr("configuration far has no simulated time"), Not(HasSubstr("deadlock"))));
}

TEST_F(InSmpi, what_is_no_result_is_refused) {
  std::ofstream(directory_ / "list.json") << "{\"schema\": \"timeless.info/1\"}";
  std::ofstream(directory_ / "broken.json") << "{\"schema\": ";
  std::ofstream(directory_ / "odd.json")
      << R"({"schema": "timeless.replay/1", "configurations": [{"name": 3}], "backend": "model"})";
  for (const char* name : {"list.json", "broken.json", "odd.json", "missing.json"}) {
    const Outcome outcome = timeless_command({"compare", directory_ / name, directory_ / name});
    EXPECT_EQ(outcome.status, 3) << name << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(name));
  }
}

} // namespace
} // namespace timeless::tools
