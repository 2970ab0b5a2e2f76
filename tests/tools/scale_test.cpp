#include "analysis/scaling/share_law.h"
#include "tests/temporary_directory.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"
#include "tools/render/scaling/scaled_words.h"
#include "tools/render/scaling/scaling.h"
#include "tools/render/scaling/times.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::tools::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

/// Recordings of a solver that shares out 3,600 cells over 4, 9, 36, 100 ranks and has a part on one of them.
class Scale : public testing::Test {
protected:
  struct Made {
    trace::Rank ranks = 4;
    std::uint64_t cells = 3600;
    std::uint64_t serial = 5000; ///< instructions of the part on one rank
    std::string program = "/bin/solver";
    std::string build = "one";
    bool complete = true;
    int broadcasts = 0;     ///< further calls
    std::uint64_t last = 0; ///< where a kernel begins that comes last; 0: there is none
  };

  std::string record(const std::string& name, const Made& made) {
    trace::MemorySource source(made.ranks);
    trace::Run& run = source.description();
    trace::test::name_program(run, made.program, made.build, ++identity_);
    const trace::KernelId shared = source.add_kernel({{0, 100}, {0, 200}});
    const trace::KernelId serial = source.add_kernel({{0, 200}, {0, 300}});
    for (trace::Rank rank = 0; rank < made.ranks; ++rank) {
      source.compute(rank, 1000 * made.cells / static_cast<std::uint64_t>(made.ranks), shared);
      source.add(rank, {.kind = trace::ActionKind::allreduce, .bytes = 8});
      for (int call = 0; call < made.broadcasts; ++call)
        source.add(rank, {.kind = trace::ActionKind::broadcast, .peer = 0, .bytes = 8});
      if (rank == 0) source.compute(rank, made.serial, serial);
      source.add(rank, {.kind = trace::ActionKind::barrier});
      if (made.last == 0) continue;
      source.compute(rank, 20000, source.add_kernel({{0, made.last}, {0, made.last + 1}}));
      source.add(rank, {.kind = trace::ActionKind::barrier});
    }
    source.finalize();
    if (!made.complete) run.ranks.back().ending = trace::Ending::unknown;
    trace::test::write_archive(source, directory_ / name);
    return directory_ / name;
  }

  std::vector<std::string> recorded() {
    return {record("run-4.tia", {}), record("run-9.tia", {.ranks = 9}), record("run-36.tia", {.ranks = 36})};
  }

  static Outcome scale(std::vector<std::string> runs, const std::vector<std::string>& options) {
    runs.insert(runs.begin(), "scale");
    runs.insert(runs.end(), options.begin(), options.end());
    return timeless_command(runs);
  }

  /// Expects that these runs are refused with this status, and with these words.
  static void expect_refused(const std::vector<std::string>& runs, const std::vector<std::string>& options, int status,
                             const std::string& words) {
    const Outcome outcome = scale(runs, options);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(words));
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }

  timeless::test::TemporaryDirectory directory_;
  std::uint64_t identity_ = 0;
};

TEST_F(Scale, ranks_the_kernel_that_does_not_shrink_first) {
  const std::string check = record("run-100.tia", {.ranks = 100});
  const Outcome outcome = scale(recorded(), {"--to", "400,3600", "--check", check});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string text = in_one_line(outcome.out);
  EXPECT_THAT(text, HasSubstr("exact for 100.0 % of the instructions"));
  EXPECT_THAT(text, HasSubstr("run-100.tia of 100 ranks: 100.0 % of its instructions are exactly as the laws say"));
  EXPECT_THAT(text, HasSubstr("on 3600 ranks kernel 2 has the largest part of the computation, 83.3 %, 4.8 % on 36: it "
                              "does not shrink: serial"));
  EXPECT_THAT(text, HasSubstr("3.6e+06/P: exact, met by the check run"));
}

TEST_F(Scale, adds_up_the_kernels_that_end_in_a_function) {
  // Of a program that is not there, a function's name is that of its file.
  const std::vector<std::string> runs = recorded();
  const json answer = json::parse(scale(runs, {"--to", "100", "--json"}).out);
  ASSERT_THAT(answer["functions"], SizeIs(1));
  EXPECT_EQ(answer["functions"][0]["name"], "solver");
  const json& instructions = answer["functions"][0]["metrics"][0];
  EXPECT_EQ(instructions["most"]["values"], json({905000.0, 405000.0, 105000.0}));
  EXPECT_EQ(instructions["most"]["targets"][0]["value"], 41000.0);
  EXPECT_NEAR(instructions["mean"]["targets"][0]["value"].get<double>(), 36050.0, 1e-6);
  const std::string text = scale(runs, {"--to", "100"}).out;
  EXPECT_THAT(text, HasSubstr("\n  function  instructions of a rank  law\n  solver  "));
  EXPECT_THAT(text, HasSubstr("\n      3.6e+06/P + 5000: exact"));
}

TEST_F(Scale, knows_no_time_of_a_target_where_one_kernel_takes_longer_than_the_equations_say) {
  const std::vector<std::string> runs{
      record("run-4.tia", {.cells = 36, .serial = 4000000, .broadcasts = 2}), // which follow no law of the ranks
      record("run-9.tia", {.ranks = 9, .cells = 36, .serial = 9000000, .broadcasts = 4}),
      record("run-36.tia", {.ranks = 36, .cells = 36, .serial = 36000000, .broadcasts = 1})};
  const std::string text = in_one_line(scale(runs, {"--to", "10000"}).out);
  EXPECT_THAT(text, HasSubstr("on 10000 ranks is not known: no trace of it is extrapolated, and the equations' "));
  EXPECT_THAT(text, AllOf(HasSubstr("no trace of 10000 ranks is extrapolated: "), testing::Not(HasSubstr("; nor "))));
}

TEST_F(Scale, doubts_the_time_of_a_target_in_its_sentence_as_in_the_table) {
  const std::vector<std::string> runs{record("run-4.tia", {.broadcasts = 20}), // which follow no law of the ranks
                                      record("run-9.tia", {.ranks = 9, .broadcasts = 40}),
                                      record("run-36.tia", {.ranks = 36, .broadcasts = 10})};
  const std::string text = in_one_line(scale(runs, {"--to", "400"}).out);
  const std::string time =
      text.substr(text.find("time of ") + 8, text.find(" on 400 ranks, by the equations") - text.find("time of ") - 8);
  EXPECT_THAT(time, testing::EndsWith("?"));
  EXPECT_THAT(text, HasSubstr("400 by the equations " + time));
}

TEST_F(Scale, is_not_led_by_laws_that_are_not_confirmed_far_beyond_the_runs) {
  const std::vector<std::string> runs{record("run-4.tia", {}), record("run-9.tia", {.ranks = 9, .cells = 3650}),
                                      record("run-36.tia", {.ranks = 36, .cells = 3550})};
  const std::string far = in_one_line(scale(runs, {"--to", "400"}).out);
  EXPECT_THAT(far, AllOf(HasSubstr("which kernel bounds 400 ranks is not known"), HasSubstr("Kernel 1 may have")));
  const std::string close = in_one_line(scale(runs, {"--to", "40"}).out);
  EXPECT_THAT(close,
              AllOf(HasSubstr("on 40 ranks kernel 1 has the largest part"), HasSubstr("its law is approximate")));
}

TEST_F(Scale, tells_programs_all_figures) {
  const json answer = json::parse(scale(recorded(), {"--to", "3600", "--json"}).out);
  EXPECT_EQ(answer.at("schema"), "timeless.scale/1");
  EXPECT_EQ(answer.at("scaling"), "strong");
  ASSERT_THAT(answer.at("kernels"), SizeIs(2));
  const json& shared = answer.at("kernels").at(1);
  const json& most = shared.at("metrics").at(0).at("most");
  EXPECT_EQ(most.at("values"), json({900000, 400000, 100000}));
  EXPECT_EQ(most.at("kind"), "exact");
  EXPECT_DOUBLE_EQ(most.at("targets").at(0).at("value").get<double>(), 1000);
  EXPECT_EQ(most.at("laws").at(0).at("terms").at(0).at("ranks").at("exponent"), json({-1, 1}));
  EXPECT_DOUBLE_EQ(answer.at("efficiencies").at(0).at("instruction_scaling").get<double>(), 1);
}

TEST_F(Scale, says_nothing_of_other_numbers_of_ranks_than_the_one_of_all_runs) {
  const std::vector<std::string> runs{record("a.tia", {}), record("b.tia", {.cells = 14400}),
                                      record("c.tia", {.cells = 32400})};
  const std::string sizes = "a.tia=3600,b.tia=14400,c.tia=32400";
  expect_refused(runs, {"--size-of", sizes, "--to", "64=14400"}, 2,
                 "all runs are of 4 ranks: they do not tell what 64 take");
  EXPECT_EQ(scale(runs, {"--size-of", sizes, "--to", "4=57600"}).status, 0);
}

TEST_F(Scale, takes_sizes_and_ranks_as_two_parameters) {
  const std::vector<std::string> runs{record("a.tia", {}), record("b.tia", {.ranks = 9}),
                                      record("c.tia", {.cells = 14400}), record("d.tia", {.ranks = 36, .cells = 14400}),
                                      record("e.tia", {.ranks = 9, .cells = 32400})};
  const Outcome outcome = scale(
      runs, {"--size-of", "a.tia=3600,b.tia=3600,c.tia=14400,d.tia=14400,e.tia=32400", "--to", "100=1e6", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  for (const json& kernel : answer.at("kernels"))
    if (kernel.at("kernel") == 1) {
      const json& most = kernel.at("metrics").at(0).at("most");
      EXPECT_EQ(most.at("laws").at(0).at("formula"), "1000 n/P");
      EXPECT_NEAR(most.at("targets").at(0).at("value").get<double>(), 1e7, 1);
    }
  expect_refused(runs, {"--size-of", "a.tia=3600", "--to", "100"}, 2, "other runs have a size, this one has none");
  expect_refused(runs, {"--size-of", "a.tia=3600,b.tia=3600,c.tia=14400,d.tia=14400,e.tia=32400", "--to", "100"}, 2,
                 "do not say which size");
}

TEST_F(Scale, writes_what_extra_p_reads) {
  const std::string path = directory_ / "lines.jsonl";
  ASSERT_EQ(scale(recorded(), {"--to", "64", "--extrap", path}).status, 0);
  std::ifstream file(path);
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const json one = json::parse(line);
    EXPECT_TRUE(one.at("params").at("p").is_number() && one.at("value").is_number() && one.at("metric").is_string() &&
                one.at("callpath").is_string());
    const auto place = one.at("callpath").get<std::string>();
    EXPECT_TRUE(!place.starts_with("calls->") || place.find("MPI_") == place.rfind("MPI_")) << place;
  }
  // Kernels have instructions and visits, calls have calls and bytes, the function instructions; mean and most, of
  // three runs. There are four places of calls: also Finalize, and Barrier without a place, where nothing was computed
  // before.
  EXPECT_EQ(lines, (2U * 2 + 4U * 2 + 1) * 2 * 3);
}

TEST_F(Scale, keeps_arrows_in_names_from_making_levels_of_extra_p) {
  analysis::ScaledMetric visits{.name = "visits"};
  visits.mean.values = visits.most.values = {3};
  ScalingAnswer answer;
  answer.scaling.runs = {{.name = "run", .place = {.ranks = 4}}};
  answer.scaling.regions = {{.name = "Mesh::operator->", .metrics = {visits}}};
  const std::string lines = to_extra_p(answer);
  EXPECT_EQ(json::parse(lines.substr(0, lines.find('\n'))).at("callpath"), "regions->Mesh::operator- >");
}

TEST_F(Scale, says_of_what_is_by_positions_and_nothing_in_the_last_run_that_it_follows_their_laws) {
  analysis::Scaling scaling;
  scaling.runs = {{.name = "2", .place = {.ranks = 2}}, {.name = "4", .place = {.ranks = 4}}};
  scaling.targets = {{.ranks = 16}};
  analysis::ScaledMetric metric{.name = "instructions"};
  metric.most.values = {3, 0};
  EXPECT_EQ(growth_in_words(metric, scaling), "follows no law of P");
  metric.most.there = {analysis::ScalePrediction{.value = 2}};
  metric.by_ranks = {{.place = {.ranks = 16}}};
  EXPECT_EQ(growth_in_words(metric, scaling), "follows laws of ranks' positions");
}

TEST_F(Scale, says_beside_the_verdict_what_the_time_of_the_target_goes_into) {
  const std::vector<std::string> runs{record("run-4.tia", {}), record("run-9.tia", {.ranks = 9}),
                                      record("run-16.tia", {.ranks = 16}), record("run-36.tia", {.ranks = 36})};
  const std::string slow = in_one_line(scale(runs, {"--to", "100", "--compute-rate", "1e3"}).out);
  EXPECT_THAT(slow, HasSubstr("on 100 ranks, as extrapolated: computation "));
  const std::string fast = in_one_line(scale(runs, {"--to", "100", "--compute-rate", "1e15"}).out);
  EXPECT_THAT(fast, HasSubstr("on 100 ranks, as extrapolated: collective calls "));
}

TEST_F(Scale, writes_a_row_for_each_metric_and_target) {
  const std::vector<std::string> runs = recorded();
  const std::string text = scale(runs, {"--to", "64,100", "--csv"}).out;
  EXPECT_THAT(text, HasSubstr("3.6e+06/P"));
  const json answer = json::parse(scale(runs, {"--to", "64,100", "--json"}).out);
  std::ptrdiff_t metrics = 1; // of all kernels
  for (const char* list : {"kernels", "calls", "regions", "functions"})
    for (const json& one : answer[list])
      metrics += static_cast<std::ptrdiff_t>(one["metrics"].size());
  EXPECT_GT(metrics, 3);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1 + 2 * metrics);
  EXPECT_THAT(text, HasSubstr("\n64,,call,,"));
  EXPECT_THAT(text, HasSubstr(",bytes,"));
}

TEST_F(Scale, names_runs_that_do_not_belong_together) {
  std::vector<std::string> runs = recorded();
  const std::vector<std::string> to{"--to", "64"};
  expect_refused({runs[0], runs[1]}, to, 2, "2 runs are too few");
  expect_refused({runs[0], runs[1], record("again.tia", {})}, to, 2, "only 2 different numbers of ranks");
  runs.push_back(record("other.tia", {.ranks = 16, .program = "/bin/other"}));
  expect_refused(runs, to, 3, "different programs: solver and other");
  runs.back() = record("build.tia", {.ranks = 16, .build = "two"});
  expect_refused(runs, to, 3, "different builds of solver");
  runs.back() = record("part.tia", {.ranks = 16, .complete = false});
  expect_refused(runs, to, 3, "not complete");
  runs.back() = directory_ / "missing.tia";
  expect_refused(runs, to, 3, "missing.tia");
}

TEST_F(Scale, refuses_targets_and_sizes_that_are_none) {
  const std::vector<std::string> runs = recorded();
  for (const char* target : {"0", "-4", "1.5", "many", "nan", "1e99", "64=", "64=-1"})
    expect_refused(runs, {"--to", target}, 2, "--to");
  expect_refused(runs, {"--to", "64=1000"}, 2, "a target has a size, but no run");
  expect_refused(runs, {"--to", "64", "--size-of", "nothing"}, 2, "no size is given");
  expect_refused(runs, {"--to", "64", "--size-of", "x.tia=3"}, 2, "no run is named x.tia");
}

TEST_F(Scale, tells_what_runs_and_targets_take_on_a_machine) {
  const Outcome outcome = scale(recorded(), {"--to", "100", "--network", "qdr", "--compute-rate", "1e9", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json time = json::parse(outcome.out).at("time");
  EXPECT_THAT(time.at("machine").get<std::string>(), HasSubstr("qdr"));
  ASSERT_THAT(time.at("runs"), SizeIs(3));
  for (const json& run : time.at("runs")) {
    const json& parts = run.at("parts");
    const double sum = parts.at("computation_seconds").get<double>() + parts.at("collective_seconds").get<double>() +
                       parts.at("point_to_point_seconds").get<double>() + parts.at("other_seconds").get<double>();
    EXPECT_NEAR(sum, run.at("seconds").get<double>(), 1e-9);
  }
  const json& said = time.at("equations").at("places").at(0);
  EXPECT_EQ(said.at("ranks"), 100);
  const json& made = time.at("extrapolated").at(0);
  EXPECT_TRUE(made.at("seconds").is_null() != made.at("refused").is_null()) << "a time, or why there is none";
}

TEST_F(Scale, says_that_nobody_measured_how_fast_the_ranks_compute) {
  const std::vector<std::string> runs = recorded();
  EXPECT_THAT(scale(runs, {"--to", "100"}).out, HasSubstr("ASSUMED: "));
  EXPECT_THAT(scale(runs, {"--to", "100", "--compute-rate", "1e9"}).out, testing::Not(HasSubstr("ASSUMED")));
}

TEST_F(Scale, says_where_no_faster_growth_is_assumed) {
  // Three values lie near any power: a law with P^2 meets these, but that part is 0.05 % of the value.
  const std::vector<std::string> noisy{record("run-4.tia", {.serial = 700'000}),
                                       record("run-6.tia", {.ranks = 6, .serial = 700'100}),
                                       record("run-12.tia", {.ranks = 12, .serial = 700'450})};
  const std::string text = in_one_line(scale(noisy, {"--to", "24"}).out);
  EXPECT_THAT(text, HasSubstr(", no faster growth ASSUMED"));
  EXPECT_THAT(text, HasSubstr("no faster growth ASSUMED: a law with a part that grows faster than P fits as well"));
  const json answer = json::parse(scale(noisy, {"--to", "24", "--json"}).out);
  const auto assumes = [](const json& kernel) {
    return kernel.at("metrics").at(0).at("most").at("assumes_no_growth").get<bool>();
  };
  EXPECT_EQ(std::ranges::count_if(answer.at("kernels"), assumes), 1) << "the shared part's law is exact";
  EXPECT_THAT(
      scale({record("even-4.tia", {}), record("even-9.tia", {.ranks = 9}), record("even-36.tia", {.ranks = 36})},
            {"--to", "100"})
          .out,
      testing::Not(HasSubstr("no faster growth")));
}

TEST_F(Scale, says_why_more_ranks_lose_time) {
  const std::vector<std::string> runs = recorded();
  const Outcome outcome = scale(runs, {"--to", "100", "--compute-rate", "1e9", "--why"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string text = in_one_line(outcome.out);
  EXPECT_THAT(text, AllOf(HasSubstr("36 ranks would take"), HasSubstr("are lost"), HasSubstr("path - mean")));
  const json growth = json::parse(scale(runs, {"--to", "100", "--why", "--between", "4,9", "--json"}).out).at("growth");
  EXPECT_EQ(growth.at("to"), "9 ranks");
  double after = 0;
  for (const json& part : growth.at("parts"))
    after += part.at("after_seconds").get<double>();
  EXPECT_NEAR(after, growth.at("after_seconds").get<double>(), 1e-12) << "the parts add up";
}

/// What --why says of 121 us that ranks wait, of which a kernel explains so much.
std::string waiting_text(double explained) {
  const analysis::KernelKey key{{{"solver", 100}}, {{"solver", 200}}};
  ScalingAnswer answer;
  answer.scaling.runs = {{"run-9.tia", {.ranks = 9}, {}}};
  answer.scaling.kernels = {{.key = key, .kernel = 12}};
  answer.kernel_ends = {{"MPI_Waitall in main", "MPI_Allreduce in main"}};
  answer.kernel_numbers = {{key, 0}};
  answer.times.growth = analysis::Growth{
      .factor = 1,
      .before = 1e-3,
      .expected = 1e-3,
      .after = 2e-3,
      .waits = {{.behind = key, .after = 121e-6, .cause = key, .known = true, .explained = explained}}};
  answer.times.growth_run.emplace();
  answer.times.growth_run->kernels[key] = {.mean = 1.25e-6, .most = 11.25e-6, .rank = 0};
  return in_one_line(growth_text(answer));
}

TEST(GrowthText, says_how_much_of_a_wait_its_kernel_explains) {
  EXPECT_THAT(
      waiting_text(10e-6),
      AllOf(HasSubstr("ranks wait 121.000 us on average"),
            HasSubstr("at most 10.000 us of it for ranks that take longer in kernel 12, from MPI_Waitall in main to "
                      "MPI_Allreduce in main; rank 0 has 9 times the mean; the rest for messages")));
  EXPECT_THAT(waiting_text(100e-6), AllOf(HasSubstr(": for ranks that take longer in kernel 12"),
                                          testing::Not(HasSubstr("the rest for messages"))));
}

TEST_F(Scale, tells_kernels_of_several_runs_that_have_the_same_number_apart) {
  const std::vector<std::string> runs{record("run-4.tia", {.last = 900}),
                                      record("run-9.tia", {.ranks = 9, .last = 900}),
                                      record("run-36.tia", {.ranks = 36, .last = 910})};
  const json answer = json::parse(scale(runs, {"--to", "100", "--why", "--json"}).out);
  std::multiset<std::string> numbers;
  std::set<std::string> named;
  for (const json& part : answer.at("growth").at("parts")) {
    if (part.at("of") != "work") continue;
    numbers.insert(part.at("kernel").dump());
    named.insert(part.at("kernel").dump() + part.at("of_run").dump());
  }
  EXPECT_EQ(numbers.count("3"), 2U);
  EXPECT_THAT(named,
              AllOf(SizeIs(4), testing::Contains("3\"" + runs[1] + "\""), testing::Contains("3\"" + runs[2] + "\"")));
  const std::string text =
      in_one_line(scale(runs, {"--to", "100", "--compute-rate", "1e6", "--why", "--top", "0"}).out);
  EXPECT_THAT(text, HasSubstr("work of kernel 3 of " + runs[1] + ", from "));
  EXPECT_THAT(text, HasSubstr("work of kernel 3, from "));
}

TEST_F(Scale, names_no_time_shorter_than_a_kernel_by_a_law_that_does_not_reach) {
  const std::vector<std::string> runs{
      record("run-4.tia", {.cells = 36, .serial = 4'000'000, .broadcasts = 2}),
      record("run-9.tia", {.ranks = 9, .cells = 36, .serial = 9'010'000, .broadcasts = 4}),
      record("run-36.tia", {.ranks = 36, .cells = 36, .serial = 36'000'000, .broadcasts = 1})};
  const json place =
      json::parse(scale(runs, {"--to", "10000", "--json"}).out).at("time").at("equations").at("places").at(0);
  EXPECT_GT(place.at("longest_kernel_seconds").get<double>(), 0.6);
  EXPECT_THAT(in_one_line(scale(runs, {"--to", "10000"}).out), HasSubstr("on 10000 ranks is not known"));
}

TEST_F(Scale, prints_losses_and_gains_that_add_up_to_what_is_lost) {
  const std::vector<std::string> runs = recorded();
  const std::string text = scale(runs, {"--to", "100", "--compute-rate", "1e9", "--why", "--top", "1"}).out;
  EXPECT_THAT(in_one_line(text), AllOf(HasSubstr("more that lose"), HasSubstr("below 0 what it gains")));
  const std::string back = scale(runs, {"--to", "100", "--why", "--between", "36,4"}).out;
  EXPECT_THAT(in_one_line(back), AllOf(HasSubstr("nothing is lost"), HasSubstr("% of the time")));
}

TEST_F(Scale, scales_by_sizes_of_the_whole_problem_or_of_a_ranks_part_as_the_runs_compute) {
  const std::vector<std::string> runs{
      record("a.tia", {.ranks = 4, .cells = 4000}), record("b.tia", {.ranks = 8, .cells = 16000}),
      record("c.tia", {.ranks = 16, .cells = 16000}), record("d.tia", {.ranks = 16, .cells = 64000})};
  const auto sized = [&](std::initializer_list<int> sizes) {
    std::string of;
    for (std::size_t run = 0; const int size : sizes)
      of += (of.empty() ? "" : ",") + runs[run++] + "=" + std::to_string(size);
    const Outcome outcome = scale(runs, {"--size-of", of, "--to", "64=64000", "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out);
  };
  const json whole = sized({4000, 16000, 16000, 64000});
  EXPECT_FALSE(whole["size_of_rank"]);
  EXPECT_NEAR(whole["efficiencies"][2]["instruction_scaling"].get<double>(), 1, 0.01);
  const json of_rank = sized({1000, 2000, 1000, 4000});
  EXPECT_TRUE(of_rank["size_of_rank"]);
  EXPECT_NEAR(of_rank["efficiencies"][2]["instruction_scaling"].get<double>(), 1, 0.01);
}

TEST_F(Scale, doubts_a_run_of_another_input_file) {
  const std::vector<std::string> runs{record("run-4.tia", {}), record("run-9.tia", {.ranks = 9}),
                                      record("run-36.tia", {.ranks = 36, .cells = 5400}),
                                      record("run-100.tia", {.ranks = 100})};
  const Outcome outcome = scale(runs, {"--to", "144"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(in_one_line(outcome.out), HasSubstr("run-36.tia computes 1.5 times what the other runs let expect"));
  const Outcome without = scale({runs[0], runs[1], record("other-36.tia", {.ranks = 36}), runs[3]}, {"--to", "144"});
  EXPECT_THAT(without.out, testing::Not(HasSubstr("doubt")));
}

TEST_F(Scale, checks_what_is_extrapolated_from_the_other_runs) {
  const std::string check = record("run-100.tia", {.ranks = 100});
  std::vector<std::string> runs = recorded();
  runs.push_back(record("run-16.tia", {.ranks = 16}));
  const Outcome outcome = scale(runs, {"--to", "100,400", "--check", check, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json time = json::parse(outcome.out).at("time");
  const json& made = time.at("extrapolated_check");
  EXPECT_EQ(made.at("ranks"), 100);
  EXPECT_EQ(made, time.at("extrapolated").at(0)) << "the same place, said once";
  const std::string text = scale(runs, {"--to", "100,400", "--check", check}).out;
  std::size_t lines = 0;
  for (std::size_t at = text.find("\n  100  "); at != std::string::npos; at = text.find("\n  100  ", at + 1))
    ++lines;
  EXPECT_THAT(in_one_line(text), HasSubstr("on 100 ranks the equations'"));
  EXPECT_THAT(in_one_line(text), HasSubstr("mapping 4, 9, 16, 36, 100"));
  EXPECT_EQ(lines, 2 + 3 + 2U) << "work; replayed, by the equations, as extrapolated; POP's efficiencies";
}

/// Ranks of a recorded grid that share out 66 x 20 points: of 36 ranks, 9 x 4 have less than 6 x 6 have. `more`: what
/// each computes beyond its share.
void record_grid_program(const std::string& path, trace::Rank ranks, std::uint64_t more = 0) {
  const analysis::RankGrid grid = analysis::GridRule{.dimensions = 2}.grid(ranks);
  trace::MemorySource source(ranks);
  trace::Run& run = source.description();
  trace::test::name_program(run, "/bin/solver", "one", static_cast<std::uint64_t>(ranks));
  const trace::KernelId kernel = source.add_kernel({{0, 100}, {0, 200}});
  const trace::CommunicatorId all = source.add_communicator(grid.line(0, 3));
  run.communicators[all].grid = grid.sides;
  for (trace::Rank rank = 0; rank < ranks; ++rank) {
    const analysis::Shares of = analysis::shares(grid, rank, {66, 20, 0});
    const auto high = static_cast<std::uint64_t>(of[0]);
    const auto wide = static_cast<std::uint64_t>(of[1]);
    source.add(rank, {.kind = trace::ActionKind::gather, .peer = 0, .bytes = 8 * high, .receive_bytes = 8});
    source.compute(rank, 100'000'000 * high * wide + more, kernel);
    source.add(rank, {.kind = trace::ActionKind::gather, .peer = 0, .bytes = 8 * wide, .receive_bytes = 8});
  }
  source.finalize();
  trace::test::write_archive(source, path);
}

TEST_F(Scale, says_what_another_decomposition_would_gain) {
  std::vector<std::string> runs;
  for (const trace::Rank ranks : {9, 12, 16, 20, 25}) {
    runs.push_back(directory_ / ("grid-" + std::to_string(ranks) + ".tia"));
    record_grid_program(runs.back(), ranks);
  }
  const Outcome told = scale(runs, {"--to", "36", "--grids"});
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(in_one_line(told.out), HasSubstr("36 ranks as 9 x 4 take 9.1 % less than as 6 x 6")) << "40 of 44 points";
  const json answer = json::parse(scale(runs, {"--to", "36", "--grids", "--json"}).out);
  const json& others = answer.at("time").at("other_grids");
  ASSERT_FALSE(others.empty());
  EXPECT_EQ(others.at(0).at("extents"), json({9, 4}));
  EXPECT_NEAR(others.at(0).at("seconds").get<double>() /
                  answer.at("time").at("extrapolated").at(0).at("seconds").get<double>(),
              40.0 / 44, 1e-4);
  EXPECT_TRUE(json::parse(scale(runs, {"--to", "36", "--json"}).out).at("time").at("other_grids").empty());
}

TEST_F(Scale, says_how_far_off_the_work_may_be_on_other_grids) {
  std::vector<std::string> runs;
  for (const trace::Rank ranks : {9, 12, 16, 20, 25}) {
    runs.push_back(directory_ / ("off-" + std::to_string(ranks) + ".tia"));
    record_grid_program(runs.back(), ranks, static_cast<std::uint64_t>(100'000 * (ranks % 7)));
  }
  const Outcome told = scale(runs, {"--to", "36", "--grids", "--tolerance", "20%"});
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(in_one_line(told.out), HasSubstr("% off on these grids"));
}

TEST_F(Scale, replays_targets_whose_work_follows_no_law_exactly_with_a_tolerance) {
  const std::vector<std::string> runs{record("run-4.tia", {}), record("run-9.tia", {.ranks = 9, .cells = 3650}),
                                      record("run-36.tia", {.ranks = 36, .cells = 3550})};
  const json refused = json::parse(scale(runs, {"--to", "100", "--json"}).out).at("time");
  EXPECT_EQ(refused.at("work_tolerance"), 0.01);
  EXPECT_TRUE(refused.at("extrapolated").at(0).at("seconds").is_null());
  EXPECT_THAT(refused.at("extrapolated").at(0).at("refused").get<std::string>(),
              HasSubstr("more than the 1 % of --tolerance"));
  const Outcome taken = scale(runs, {"--to", "100", "--tolerance", "40%"});
  ASSERT_EQ(taken.status, 0) << taken.err;
  EXPECT_THAT(in_one_line(taken.out), AllOf(HasSubstr("replayed as extrapolated"),
                                            HasSubstr("on 100 ranks a rank's work may be"), HasSubstr("% off (grid")));
  expect_refused(runs, {"--to", "100", "--tolerance", "40"}, 2, "--tolerance");
}

TEST_F(Scale, names_the_tolerance_with_which_a_target_could_be_compared) {
  const std::vector<std::string> runs{record("run-4.tia", {}), record("run-9.tia", {.ranks = 9, .cells = 3650}),
                                      record("run-36.tia", {.ranks = 36, .cells = 3550})};
  const Outcome refused = scale(runs, {"--to", "100", "--why", "--between", "4,100"});
  EXPECT_NE(refused.status, 0);
  const std::string before = "accept that much with --tolerance ";
  const std::size_t at = refused.err.find(before);
  ASSERT_NE(at, std::string::npos) << refused.err;
  const std::string rest = refused.err.substr(at + before.size());
  const std::string tolerance = rest.substr(0, rest.find('%') + 1);
  const Outcome taken = scale(runs, {"--to", "100", "--why", "--between", "4,100", "--tolerance", tolerance});
  EXPECT_EQ(taken.status, 0) << taken.err;
  EXPECT_THAT(in_one_line(scale(runs, {"--to", "100"}).out), HasSubstr(before + tolerance));
}

TEST_F(Scale, leaves_out_sizes_that_are_the_same_for_all_runs) {
  const std::vector<std::string> runs = recorded();
  const std::string sizes = runs[0] + "=1," + runs[1] + "=1," + runs[2] + "=1";
  const Outcome outcome = scale(runs, {"--size-of", sizes, "--to", "100"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string text = in_one_line(outcome.out);
  EXPECT_THAT(text, AllOf(HasSubstr("--size-of gives all runs the same size, which tells nothing: it is left out"),
                          HasSubstr("strong scaling"), HasSubstr("replayed as extrapolated")));
  EXPECT_THAT(text, testing::Not(HasSubstr("n is taken for the size")));
  expect_refused(runs, {"--size-of", sizes, "--to", "100=2"}, 2, "all runs have the size 1");
}

TEST_F(Scale, doubts_two_runs_of_as_many_ranks_that_compute_different_amounts) {
  const std::string one = record("run-4.tia", {});
  const std::string two = record("run-9.tia", {.ranks = 9});
  const std::string four = record("run-36.tia", {.ranks = 36});
  const std::string again_one = record("again-4.tia", {.cells = 5400});
  const std::string again_two = record("again-9.tia", {.ranks = 9, .cells = 5400});
  for (const auto& [again, runs] : {std::pair(again_one, std::vector{one, again_one, two, four}),
                                    std::pair(again_two, std::vector{one, two, again_two, four})}) {
    const Outcome outcome = scale(runs, {"--to", "100"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(in_one_line(outcome.out), HasSubstr(std::filesystem::path(again).filename().string() +
                                                    " are of as many ranks, and the latter "
                                                    "computes 1.5 times what the former does"));
  }
}

TEST_F(Scale, says_what_is_lacking_to_know_how_far_rates_hold) {
  const std::vector<std::string> runs = recorded();
  EXPECT_THAT(in_one_line(scale(runs, {"--to", "100"}).out),
              HasSubstr("whether rates hold as a rank's part changes is not known: record with --profile memory, and "
                        "give the machine's caches with --machine"));
  EXPECT_THAT(scale(runs, {}).out, testing::Not(HasSubstr("whether rates hold")));
}

TEST_F(Scale, tells_programs_by_what_values_at_targets_are_taken) {
  const json answer = json::parse(scale(recorded(), {"--to", "100", "--json"}).out);
  const json& volume = answer["kernels"][0]["metrics"][0];
  EXPECT_EQ(volume["most"]["targets"][0]["by"], "law");
  EXPECT_EQ(volume["kind"], "exact");
  EXPECT_TRUE(volume["most"]["targets"][0]["ended"].is_boolean());
}

TEST_F(Scale, counts_a_target_once_that_is_named_twice) {
  const Outcome outcome = scale(recorded(), {"--to", "64,64", "--json"});
  EXPECT_THAT(json::parse(outcome.out).at("targets"), SizeIs(1));
  EXPECT_THAT(outcome.err, HasSubstr("--to names 64 ranks more than once"));
}

TEST_F(Scale, says_of_which_targets_no_trace_is_made_and_does_not_replay_billions_of_actions) {
  const Outcome outcome = scale(recorded(), {"--to", "2000000000"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(in_one_line(outcome.out),
              AllOf(HasSubstr("no trace of 2000000000 ranks is extrapolated: 2000000000 ranks are more than the"),
                    HasSubstr("timeless extrapolate")));
}

TEST_F(Scale, names_a_directory_of_archives) {
  recorded();
  expect_refused({directory_.path().string()}, {"--to", "64"}, 2, "a directory with 3 gathered archives");
}

TEST_F(Scale, keeps_laws_within_the_columns_of_the_terminal) {
  setenv("COLUMNS", "60", 1);
  const std::string text = scale(recorded(), {"--to", "3600"}).out;
  unsetenv("COLUMNS");
  std::istringstream lines(text.substr(0, text.find("MPI_Allreduce  ")));
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(!line.starts_with("      ") || line.size() <= 60) << line;
}

TEST_F(Scale, refuses_several_machines_and_comparisons_of_what_is_not_there) {
  const std::vector<std::string> runs = recorded();
  expect_refused(runs, {"--to", "100", "--network", "qdr,e10g"}, 2, "2 machines are given");
  expect_refused(runs, {"--to", "100", "--why", "--between", "4,5"}, 2, "there is no run of 5 ranks");
  expect_refused(runs, {"--to", "100", "--why", "--between", "4"}, 2, "two numbers of ranks");
  expect_refused(runs, {"--to", "100", "--why", "--between", "4,some"}, 2, "'some' is no number of ranks");
  expect_refused(runs, {"--to", "100", "--why", "--between", "9,9"}, 2, "9 ranks are compared with themselves");
}

} // namespace
} // namespace timeless::tools::test
