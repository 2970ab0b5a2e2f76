#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;

/// What `timeless replay` says beyond times, of a line of four ranks on four nodes: each computes 10,000 instructions
/// in its own kernel when it has the 1000 bytes of the rank before. On e10g, at 1 G instructions/s and with copies
/// free, that is 40 us of computation, three latencies of 5 us and three times 0.8 us of bytes.
class Answers : public testing::Test {
protected:
  Answers() {
    trace::MemorySource run(4);
    run.description().kernels.resize(2);
    for (trace::Rank rank = 0; rank < 4; ++rank) {
      if (rank > 0) run.add(rank, {.kind = ActionKind::receive, .peer = rank - 1, .bytes = 1000});
      run.compute(rank, 10'000, rank == 0 ? 0 : 1);
      if (rank < 3) run.add(rank, {.kind = ActionKind::send, .peer = rank + 1, .bytes = 1000});
    }
    run.finalize();
    trace::test::write_archive(run, directory_ / "line.tia");
  }

  Outcome replay(std::vector<std::string> options) {
    options.insert(options.begin(), {"replay", directory_ / "line.tia", "--network", "e10g", "--compute-rate", "1e9",
                                     "--memory-copy", "0"});
    return timeless_command(options);
  }

  json configuration(std::vector<std::string> options = {}) {
    options.emplace_back("--json");
    const Outcome outcome = replay(std::move(options));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out).at("configurations").at(0);
  }

  static constexpr double makespan = 57.4e-6;

  trace::test::TemporaryDirectory directory_;
};

TEST_F(Answers, efficiencies_come_with_every_replay) {
  const json efficiency = configuration().at("efficiency");
  EXPECT_NEAR(efficiency.at("ideal_makespan_seconds"), 40e-6, 1e-12);
  EXPECT_NEAR(efficiency.at("load_balance"), 1, 1e-9);
  EXPECT_NEAR(efficiency.at("serialisation"), 0.25, 1e-9);
  EXPECT_NEAR(efficiency.at("transfer"), 40e-6 / makespan, 1e-9);
  EXPECT_NEAR(efficiency.at("communication"), 10e-6 / makespan, 1e-9);
  EXPECT_NEAR(efficiency.at("parallel"), 10e-6 / makespan, 1e-9);
  EXPECT_THAT(replay({}).out, AllOf(HasSubstr("serialisation"), HasSubstr("25.0"), HasSubstr("17.4")));
}

TEST_F(Answers, sensitivities_come_with_every_replay) {
  const json seconds = configuration().at("critical_path_seconds");
  EXPECT_NEAR(seconds.at("latency_seconds"), 15e-6, 1e-12);
  EXPECT_NEAR(seconds.at("bandwidth_seconds"), 2.4e-6, 1e-12);
  EXPECT_NEAR(seconds.at("compute_seconds"), 40e-6, 1e-12);
  // 15 of 57.4 us are latency: 1 % less of it saves 0.261 %.
  EXPECT_THAT(replay({}).out, AllOf(HasSubstr("1 % less"), HasSubstr("0.261"), HasSubstr("0.042"), HasSubstr("0.697")));
}

TEST_F(Answers, classify_says_the_efficiencies_of_each_network) {
  const Outcome outcome = timeless_command({"classify", directory_ / "line.tia", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  ASSERT_FALSE(answer.at("networks").empty());
  for (const json& network : answer.at("networks"))
    EXPECT_NEAR(network.at("efficiency").at("serialisation"), 0.25, 1e-9);
  EXPECT_THAT(timeless_command({"classify", directory_ / "line.tia"}).out, HasSubstr("load balance"));
}

TEST_F(Answers, by_call_divides_the_whole_time) {
  const json division = configuration({"--by", "call"}).at("by_call");
  ASSERT_EQ(division.size(), 3U);
  double all = 0;
  for (const json& part : division)
    all += part.at("seconds").at("all").get<double>();
  EXPECT_NEAR(all, configuration().at("mean_seconds").at("end"), 1e-15);
  EXPECT_EQ(division[0].at("call"), "Recv");
  EXPECT_EQ(division[0].at("count"), 3);
  EXPECT_EQ(division[1].at("call"), "computation");
  EXPECT_NEAR(division[1].at("seconds").at("compute"), 10e-6, 1e-15);
  EXPECT_THAT(replay({"--by", "call"}).out, AllOf(HasSubstr("Recv"), HasSubstr("computation"), HasSubstr("wait %")));
  EXPECT_THAT(replay({"--by", "call", "--top", "1"}).out, AllOf(HasSubstr("and 2 more"), Not(HasSubstr("Send "))));
}

TEST_F(Answers, by_kernel_gives_each_rank_its_division_where_ranks_are_asked_for) {
  const json asked = configuration({"--by", "kernel", "--per-rank"});
  EXPECT_EQ(asked.at("by_kernel").size(), 3U);
  const json rank = asked.at("ranks").at(3).at("by_kernel");
  ASSERT_EQ(rank.size(), 2U);
  // Waiting before its first computation, then kernel 1.
  EXPECT_TRUE(rank[0].at("kernel").is_null());
  EXPECT_NEAR(rank[0].at("seconds").at("wait"), makespan - 10e-6 - 5.8e-6, 1e-12);
  EXPECT_EQ(rank[1].at("kernel"), 1);
  EXPECT_NEAR(rank[1].at("seconds").at("compute"), 10e-6, 1e-12);
  EXPECT_THAT(replay({"--by", "kernel", "--per-rank"}).out, AllOf(HasSubstr("rank 3"), HasSubstr("before the first")));
}

TEST_F(Answers, tolerance_is_where_the_equations_put_it) {
  const json tolerance = configuration({"--tolerance", "1%,5%"}).at("tolerance");
  // The path goes through all messages whatever they cost: growth * 57.4 us of 15, 2.4 and 40 us.
  const std::pair<const char*, double> costs[] = {{"latency", 15e-6}, {"byte_time", 2.4e-6}, {"compute", 40e-6}};
  for (const auto& [cost, seconds] : costs) {
    const json& answer = tolerance.at(cost);
    EXPECT_TRUE(answer.at("certified").get<bool>());
    ASSERT_EQ(answer.at("factors").size(), 2U);
    for (const json& factor : answer.at("factors")) {
      const double expected = 1 + factor.at("growth").get<double>() * makespan / seconds;
      EXPECT_LE(factor.at("least").get<double>(), expected * (1 + 1e-9));
      EXPECT_GE(factor.at("most").get<double>(), expected * (1 - 1e-9));
      EXPECT_LT(factor.at("most").get<double>() - factor.at("least").get<double>(), 1e-3 * (expected - 1) + 1e-9);
    }
  }
  EXPECT_THAT(replay({"--tolerance", "1%,5%"}).out, AllOf(HasSubstr("takes longer by"), HasSubstr("x1.03827")));
}

TEST_F(Answers, the_critical_path_is_listed_with_its_kernels) {
  const json path = configuration({"--critical-path"}).at("critical_path");
  EXPECT_NEAR(path.at("makespan_seconds"), makespan, 1e-12);
  ASSERT_EQ(path.at("segments").size(), 7U);
  EXPECT_EQ(path.at("messages").at("count"), 3);
  EXPECT_NEAR(path.at("seconds").at("compute"), 40e-6, 1e-12);
  const json& message = path.at("segments").at(1);
  EXPECT_EQ(message.at("kind"), "message");
  EXPECT_EQ(message.at("from_rank"), 0);
  EXPECT_EQ(message.at("from_action"), 1);
  EXPECT_EQ(message.at("rank"), 1);
  EXPECT_NEAR(message.at("latency"), 5e-6, 1e-12);
  const json& last = path.at("segments").at(6);
  EXPECT_EQ(last.at("rank"), 3);
  EXPECT_EQ(last.at("kernels").at(0).at("kernel"), 1);
  ASSERT_EQ(path.at("by_kernel").size(), 2U);
  EXPECT_NEAR(path.at("by_kernel").at(1).at("seconds"), 30e-6, 1e-12);
  EXPECT_THAT(replay({"--critical-path"}).out,
              AllOf(HasSubstr("critical path of e10g"), HasSubstr("message from rank 0, action 1, to rank 1, action 0"),
                    HasSubstr("kernel 1")));
}

TEST_F(Answers, calls_have_no_kernels_places) {
  // Calls and kernels are numbered alike, and the path has names for the kernels.
  const json answer = configuration({"--by", "call", "--critical-path"});
  ASSERT_TRUE(answer.at("critical_path").at("by_kernel").at(0).contains("from"));
  for (const json& call : answer.at("by_call"))
    EXPECT_FALSE(call.contains("from")) << call;
}

TEST_F(Answers, growths_that_make_no_sense_are_refused) {
  for (const char* growths : {"x", "0", "-1%", "1%,,2%", "inf", "1e-9", "5", "0.05", "1%,5"}) {
    const Outcome outcome = replay({"--tolerance", growths});
    EXPECT_EQ(outcome.status, 2) << growths;
  }
  EXPECT_THAT(replay({"--tolerance", "5"}).err, HasSubstr("write 5% if it is per cent"));
}

TEST_F(Answers, SMPI_is_not_asked_for_what_it_cannot_say) {
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{"--tolerance", "1%"}, {"--critical-path"}}) {
    std::vector<std::string> arguments{"replay", directory_ / "line.tia", "--platform", "graphene", "--backend",
                                       "smpi"};
    arguments.insert(arguments.end(), question.begin(), question.end());
    const Outcome outcome = timeless_command(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--backend model"));
  }
}

} // namespace
} // namespace timeless::tools
