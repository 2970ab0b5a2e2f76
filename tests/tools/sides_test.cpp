#include "tests/tools/command.h"
#include "tests/trace/samples.h"
#include "trace/codec/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

/// What the verbs say of regions, of measured times and of profiles.
namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;

/// Two ranks with two regions. Rank 0 computes 100 in "outer" and 1000 in "inner" within it, and sends 4000 bytes from
/// there; rank 1 computes 300 in "outer" and receives outside. Every call takes 10 us, every computation 5 us.
class Sides : public testing::Test {
protected:
  Sides() : run_(2) {
    run_.description().regions = {"outer", "inner", "unused"};
    run_.description().counter.name = "papi";
    mark(0, ActionKind::region_begin, 0);
    compute(0, 100);
    for (int visit = 0; visit < 2; ++visit) {
      mark(0, ActionKind::region_begin, 1);
      mark(0, ActionKind::region_begin, 1); // twice at a time
      compute(0, 500);
      call(0, {.kind = ActionKind::send, .peer = 1, .tag = 7, .bytes = 2000});
      mark(0, ActionKind::region_end, 1);
      mark(0, ActionKind::region_end, 1);
    }
    mark(0, ActionKind::region_end, 0);
    mark(1, ActionKind::region_begin, 0);
    compute(1, 300);
    mark(1, ActionKind::region_end, 0);
    for (int visit = 0; visit < 2; ++visit)
      call(1, {.kind = ActionKind::receive, .peer = 0, .tag = 7, .bytes = 2000});
    run_.finalize();
    for (const trace::Rank rank : {0, 1}) {
      run_.times(rank, {now_[rank], now_[rank]});
      run_.description().ranks[static_cast<std::size_t>(rank)].recorded_time = now_[rank] + 1000;
    }
  }

  void mark(trace::Rank rank, ActionKind kind, trace::RegionId region) {
    run_.add(rank, {.kind = kind, .region = region});
    run_.times(rank, {now_[rank], now_[rank]});
  }
  void compute(trace::Rank rank, std::uint64_t volume) {
    run_.compute(rank, volume);
    pass(rank, 5000);
  }
  void call(trace::Rank rank, const trace::Action& action) {
    run_.add(rank, action);
    pass(rank, 10000);
  }
  void pass(trace::Rank rank, std::uint64_t nanoseconds) {
    run_.times(rank, {now_[rank], now_[rank] + nanoseconds});
    now_[rank] += nanoseconds;
  }

  std::string write(bool with_times = true) {
    path_ = directory_ / ("run-" + std::to_string(written_++) + ".tia");
    trace::test::write_archive(run_, path_, with_times);
    return path_;
  }

  trace::MemorySource run_;
  std::uint64_t now_[2] = {};
  std::string path_; ///< of what was written last
  int written_ = 0;
  trace::test::TemporaryDirectory directory_;
};

json answer(const std::vector<std::string>& arguments) {
  const Outcome outcome = timeless_command(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return json::parse(outcome.out);
}

TEST_F(Sides, info_adds_up_what_happens_in_each_region) {
  const json regions = answer({"info", write(), "--regions", "--json"}).at("regions");
  ASSERT_EQ(regions.size(), 2U) << "a region that nobody enters is not listed";
  EXPECT_EQ(regions[0].at("name"), "outer");
  EXPECT_EQ(regions[0].at("ranks"), 2);
  EXPECT_EQ(regions[0].at("visits"), 2);
  EXPECT_EQ(regions[0].at("volume"), 1400);
  EXPECT_EQ(regions[0].at("volume_per_rank").at("least"), 300);
  EXPECT_EQ(regions[0].at("volume_per_rank").at("most"), 1100);
  EXPECT_EQ(regions[0].at("calls"), 2);
  EXPECT_EQ(regions[0].at("bytes"), 4000);
  EXPECT_EQ(regions[1].at("name"), "inner");
  EXPECT_EQ(regions[1].at("ranks"), 1);
  EXPECT_EQ(regions[1].at("visits"), 4);
  EXPECT_EQ(regions[1].at("volume"), 1000) << "what happens in a region entered twice happens once";
  EXPECT_EQ(regions[1].at("volume_per_rank").at("least"), 0);
}

TEST_F(Sides, info_lists_regions_for_people) {
  const Outcome outcome = timeless_command({"info", write(), "--regions"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("outer"), HasSubstr("inner"), HasSubstr("1.40 k"), Not(HasSubstr("unused"))));
}

TEST_F(Sides, dump_names_regions) {
  const Outcome outcome = timeless_command({"dump", write(), "--rank", "1", "--count", "1"});
  EXPECT_EQ(outcome.out, "1 0 region_begin region=outer\n");
}

TEST_F(Sides, dump_shows_times_when_asked) {
  const Outcome outcome = timeless_command({"dump", write(), "--times", "--rank", "1", "--first", "3", "--count", "1"});
  EXPECT_THAT(outcome.out, HasSubstr(" entry_ns=5000 exit_ns=15000\n"));
  const Outcome lines =
      timeless_command({"dump", write(true), "--times", "--json", "--rank", "1", "--first", "3", "--count", "1"});
  const json line = json::parse(lines.out.substr(lines.out.find('\n')));
  EXPECT_EQ(line.at("entry_ns"), 5000);
  EXPECT_EQ(line.at("exit_ns"), 15000);
}

TEST_F(Sides, dump_says_when_there_are_no_times) {
  const Outcome outcome = timeless_command({"dump", write(false), "--times"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no times were recorded"), HasSubstr("--timestamps")));
}

TEST_F(Sides, times_of_some_ranks_are_shown_where_others_were_killed) {
  trace::MemorySource run(2);
  for (const trace::Rank rank : {0, 1}) {
    run.add(rank, {.kind = ActionKind::barrier});
    trace::RankRecord& record = run.description().ranks[static_cast<std::size_t>(rank)];
    record.ending = trace::Ending::stopped;
    record.ending_reason = rank == 0 ? "killed by SIGTERM (Terminated), in MPI_Barrier" : "MPI_Abort with code 3";
  }
  run.times(1, {5000, 15000});
  const std::string path = directory_ / "aborted.tia";
  trace::test::write_archive(run, path, true);

  const Outcome dumped = timeless_command({"dump", path, "--times"});
  EXPECT_EQ(dumped.status, 6) << dumped.err;
  EXPECT_EQ(dumped.out, "0 0 Barrier communicator=0\n1 0 Barrier communicator=0 entry_ns=5000 exit_ns=15000\n");
  EXPECT_THAT(dumped.err, HasSubstr("rank 0 has no times"));
  const Outcome told = timeless_command({"info", path});
  EXPECT_THAT(told.out, AllOf(HasSubstr("no times of rank 0"), HasSubstr("rank 0: 1 actions; killed"),
                              Not(HasSubstr("MPI calls")), HasSubstr("journals only")));
  const Outcome as_json = timeless_command({"info", path, "--json"});
  const json information = json::parse(as_json.out);
  EXPECT_EQ(information.at("measured").at("ranks_without_times"), json::parse("[0]"));
  EXPECT_DOUBLE_EQ(information.at("measured").at("seconds_per_rank").at("least"), 15e-6);
  const Outcome compared = timeless_command({"compare", path, path});
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("has no times of 1 of 2 ranks"));
}

TEST_F(Sides, info_says_how_long_ranks_and_calls_took) {
  const json measured = answer({"info", write(), "--json"}).at("measured");
  EXPECT_DOUBLE_EQ(measured.at("seconds"), 36e-6);
  EXPECT_DOUBLE_EQ(measured.at("seconds_per_rank").at("least"), 26e-6);
  EXPECT_DOUBLE_EQ(measured.at("computing_seconds"), 20e-6);
  EXPECT_DOUBLE_EQ(measured.at("in_calls_seconds"), 40e-6);
  EXPECT_NEAR(measured.at("elsewhere_seconds"), 2e-6, 1e-12);
  EXPECT_EQ(measured.at("calls").at("Send").at("count"), 2);
  EXPECT_DOUBLE_EQ(measured.at("calls").at("Recv").at("seconds"), 20e-6);
  EXPECT_DOUBLE_EQ(measured.at("calls").at("Recv").at("longest_seconds"), 10e-6);
  EXPECT_FALSE(measured.at("calls").contains("region_begin"));
  const Outcome text = timeless_command({"info", path_});
  EXPECT_THAT(text.out, HasSubstr("measured"));
}

TEST_F(Sides, info_says_nothing_of_times_where_there_are_none) {
  EXPECT_FALSE(answer({"info", write(false), "--json"}).contains("measured"));
}

TEST_F(Sides, info_and_replay_say_the_same_of_how_long_a_run_took) {
  const json replayed = answer({"replay", write(), "--network", "qdr", "--compute-rate", "1e9", "--json"});
  EXPECT_EQ(answer({"info", path_, "--json"}).at("measured").at("seconds"), replayed.at("measured_seconds"));
}

TEST_F(Sides, replay_holds_its_prediction_against_what_was_measured) {
  const json replayed = answer({"replay", write(), "--network", "qdr,e1g", "--compute-rate", "1e9", "--json"});
  EXPECT_DOUBLE_EQ(replayed.at("measured_seconds"), 36e-6);
  for (const json& configuration : replayed.at("configurations"))
    EXPECT_DOUBLE_EQ(configuration.at("predicted_over_measured"),
                     configuration.at("makespan_seconds").get<double>() / 36e-6);
  const Outcome text = timeless_command({"replay", path_, "--network", "qdr", "--compute-rate", "1e9"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("36.000 us while the trace was recorded"), HasSubstr("times the measured")));
}

TEST_F(Sides, replay_compares_nothing_with_a_run_under_valgrind) {
  run_.description().counter.name = "icount";
  const json replayed = answer({"replay", write(), "--network", "qdr", "--compute-rate", "1e9", "--json"});
  EXPECT_THAT(replayed.at("measured_incomparable_because").get<std::string>(), HasSubstr("Valgrind"));
  EXPECT_FALSE(replayed.at("configurations")[0].contains("predicted_over_measured"));
  const Outcome text = timeless_command({"replay", path_, "--network", "qdr", "--compute-rate", "1e9"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("not to be compared"), Not(HasSubstr("times the measured"))));
}

TEST_F(Sides, replay_compares_nothing_with_a_rank_that_did_not_end) {
  run_.description().ranks[1].recorded_time = 0;
  EXPECT_FALSE(
      answer({"replay", write(), "--network", "qdr", "--compute-rate", "1e9", "--json"}).contains("measured_seconds"));
}

TEST_F(Sides, check_names_regions_that_are_marked_wrongly) {
  trace::MemorySource run(1);
  run.description().regions = {"loose"};
  run.add(0, {.kind = ActionKind::region_end, .region = 0});
  run.finalize();
  trace::test::write_archive(run, directory_ / "loose.tia");
  const Outcome outcome = timeless_command({"check", directory_ / "loose.tia"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("ends region 'loose', which it has not begun"));
}

TEST_F(Sides, info_shows_the_profile_summed_up_over_ranks) {
  const trace::KernelId second = run_.add_kernel({{0, 0x10}, {0, 0x20}});
  run_.description().profile_events = {"PAPI_TOT_CYC", "PAPI_L2_TCM"};
  run_.description().ranks[0].profile = {{.kernel = 0, .bursts = 1, .sums = {50, 1}},
                                         {.kernel = second, .bursts = 2, .sums = {4000, 30}}};
  run_.description().ranks[1].profile = {{.kernel = second, .bursts = 3, .sums = {6000, 50}}};
  const json profile = answer({"info", write(), "--profile", "--json"}).at("profile");
  EXPECT_EQ(profile.at("events"), json({"PAPI_TOT_CYC", "PAPI_L2_TCM"}));
  EXPECT_EQ(profile.at("ranks_without"), 0);
  ASSERT_EQ(profile.at("kernels").size(), 2U);
  const json& kernel = profile.at("kernels")[0];
  EXPECT_EQ(kernel.at("kernel"), second);
  EXPECT_EQ(kernel.at("bursts"), 5);
  EXPECT_EQ(kernel.at("events").at("PAPI_TOT_CYC").at("sum"), 10000);
  EXPECT_EQ(kernel.at("events").at("PAPI_L2_TCM").at("per_rank").at("most"), 50);
  const Outcome text = timeless_command({"info", path_, "--profile"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("PAPI_L2_TCM"), HasSubstr("program+0x10"), HasSubstr("10.00 k")));
}

TEST_F(Sides, info_says_when_there_is_no_profile) {
  EXPECT_THAT(timeless_command({"info", write(), "--profile"}).out, HasSubstr("no profile: record with --profile"));
}

} // namespace
} // namespace timeless::tools
