// Collectives by the algorithms that a network file says were measured.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include "replay/network/collective_algorithms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

using nlohmann::json;
using replay::CollectiveAlgorithm;
using test::Outcome;
using test::timeless_command;
using testing::HasSubstr;
using trace::ActionKind;

/// One collective of eight ranks on eight nodes, messages between which take 10 us and 1 ns a byte.
class MeasuredCollectives : public testing::Test {
protected:
  static constexpr double a = 1e-5;
  static constexpr double b = 1e-9;

  std::string network(const json& rows) {
    json file{{"format", "timeless.network/1"},
              {"between_nodes", {{"model", "hockney"}, {"latency_seconds", a}, {"bandwidth_bytes_per_second", 1 / b}}}};
    if (!rows.is_null()) file["collectives"] = rows;
    const std::string path = directory_ / "mine.json";
    trace::test::write_bytes(path, file.dump());
    return path;
  }

  Outcome replay(const trace::Action& call, const json& rows, const std::string& collectives = "measured") {
    trace::MemorySource run(8);
    for (trace::Rank rank = 0; rank < 8; ++rank)
      run.add(rank, call);
    run.finalize();
    std::filesystem::remove(directory_ / "run.tia");
    trace::test::write_archive(run, directory_ / "run.tia");
    return timeless_command(
        {"replay", directory_ / "run.tia", "--network", network(rows), "--collectives", collectives, "--json"});
  }

  double seconds(const trace::Action& call, const json& rows) {
    const Outcome outcome = replay(call, rows);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out).at("configurations").at(0).at("makespan_seconds");
  }

  static json row(const char* collective, const char* algorithm) {
    return {{{"collective", collective}, {"algorithm", algorithm}, {"ranks", 8}}};
  }

  trace::test::TemporaryDirectory directory_;
};

TEST_F(MeasuredCollectives, take_what_the_steps_of_the_named_algorithm_take) {
  const trace::Action broadcast{.kind = ActionKind::broadcast, .peer = 0, .bytes = 8000};
  EXPECT_NEAR(seconds(broadcast, row("broadcast", "binomial tree")), 3 * (a + 8000 * b), 1e-12);
  EXPECT_NEAR(seconds(broadcast, row("broadcast", "scatter and ring")), 10 * a + 2 * 7000 * b, 1e-12);
  EXPECT_NEAR(seconds(broadcast, row("broadcast", "scatter and recursive doubling")), 6 * a + 2 * 7000 * b, 1e-12);
  const trace::Action allreduce{.kind = ActionKind::allreduce, .bytes = 8000, .element_bytes = 8};
  EXPECT_NEAR(seconds(allreduce, row("allreduce", "recursive doubling")), 3 * (a + 8000 * b), 1e-12);
  EXPECT_NEAR(seconds(allreduce, row("allreduce", "Rabenseifner")), 6 * a + 2 * 7000 * b, 1e-12);
  EXPECT_NEAR(seconds(allreduce, row("allreduce", "binomial reduce and broadcast")), 6 * (a + 8000 * b), 1e-12);
  const trace::Action gather{.kind = ActionKind::gather, .peer = 0, .bytes = 1000, .receive_bytes = 1000};
  EXPECT_NEAR(seconds(gather, row("gather", "binomial tree")), 3 * a + 7000 * b, 1e-12);
  EXPECT_NEAR(seconds(gather, row("gather", "linear")), a + 1000 * b, 1e-12);
  const trace::Action scatter{.kind = ActionKind::scatter, .peer = 0, .bytes = 1000, .receive_bytes = 1000};
  EXPECT_NEAR(seconds(scatter, row("scatter", "linear")), a + 1000 * b, 1e-12);
  const trace::Action alltoall{.kind = ActionKind::alltoall, .bytes = 4000, .receive_bytes = 4000};
  EXPECT_NEAR(seconds(alltoall, row("alltoall", "Bruck")), 3 * (a + 16000 * b), 1e-12);
  EXPECT_NEAR(seconds(alltoall, row("alltoall", "pairwise")), 7 * (a + 4000 * b), 1e-12);
  const trace::Action block{.kind = ActionKind::reduce_scatter_block, .bytes = 1000, .element_bytes = 8};
  EXPECT_NEAR(seconds(block, row("reduce_scatter_block", "pairwise")), 7 * (a + 1000 * b), 1e-12);
  EXPECT_NEAR(seconds(block, row("reduce_scatter_block", "recursive halving")), 3 * a + 7000 * b, 1e-12);
}

TEST_F(MeasuredCollectives, of_sizes_that_no_row_holds_are_those_of_the_library) {
  const trace::Action broadcast{.kind = ActionKind::broadcast, .peer = 0, .bytes = 8000};
  json rows = row("broadcast", "scatter and ring");
  rows[0]["above_bytes"] = 8000;
  EXPECT_NEAR(seconds(broadcast, rows), 3 * (a + 8000 * b), 1e-12);
  rows[0]["above_bytes"] = 7999;
  rows[0]["up_to_bytes"] = 8000;
  EXPECT_NEAR(seconds(broadcast, rows), 10 * a + 2 * 7000 * b, 1e-12);
}

TEST_F(MeasuredCollectives, are_named_beside_the_answer_and_asked_for_only_where_they_were_measured) {
  const trace::Action broadcast{.kind = ActionKind::broadcast, .peer = 0, .bytes = 8000};
  EXPECT_THAT(replay(broadcast, row("broadcast", "scatter and ring")).out,
              HasSubstr("algorithms as measured with 8 ranks for broadcast"));
  const Outcome without = replay(broadcast, {});
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.err, HasSubstr("--collectives schedule"));
  EXPECT_EQ(replay(broadcast, {}, "schedule").status, 0);
  EXPECT_EQ(timeless_command({"replay", directory_ / "run.tia", "--platform", "graphene", "--collectives", "measured"})
                .status,
            2);
}

TEST_F(MeasuredCollectives, take_as_long_in_a_sweep_and_as_what_if) {
  const trace::Action gather{.kind = ActionKind::gather, .peer = 0, .bytes = 1000, .receive_bytes = 1000};
  const json rows = row("gather", "linear");
  const double measured = seconds(gather, rows);
  const auto swept = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep", directory_ / "run.tia", "--network", network(rows), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out);
  };
  const json grid = swept({"--collectives", "mpich,measured", "--bandwidth", "x1,x2"});
  std::vector<double> found;
  for (const json& one : grid["configurations"])
    if (one["collectives"] == "measured" && one["bandwidth_factor"] == 1.0) found.push_back(one["makespan_seconds"]);
  EXPECT_EQ(found, std::vector{measured});
  EXPECT_THAT(grid["notes"].dump(), HasSubstr("algorithms as measured with 8 ranks for gather"));
  const json changed = swept({"--what-if", "collectives=measured"});
  EXPECT_EQ(changed["configurations"][changed["what_if"][0]["after"].get<std::size_t>()]["makespan_seconds"], measured);
  EXPECT_EQ(
      timeless_command({"sweep", directory_ / "run.tia", "--network", "e10g", "--collectives", "measured"}).status, 2);
}

TEST_F(MeasuredCollectives, that_no_replay_knows_are_refused_with_what_may_be_written) {
  const trace::Action broadcast{.kind = ActionKind::broadcast, .peer = 0, .bytes = 8000};
  EXPECT_THAT(replay(broadcast, row("broadcast", "Bruck")).err, HasSubstr("broadcast has no algorithm 'Bruck'"));
  EXPECT_THAT(replay(broadcast, row("shout", "Bruck")).err, HasSubstr("no collective with algorithms"));
}

TEST(MeasuredAlgorithm, is_that_of_the_nearest_number_of_members) {
  const std::vector<replay::MeasuredAlgorithm> measured{
      {.collective = ActionKind::allgather, .algorithm = CollectiveAlgorithm::bruck, .members = 4},
      {.collective = ActionKind::allgather, .algorithm = CollectiveAlgorithm::recursive_doubling, .members = 64}};
  const auto of = [&](std::uint32_t members) {
    return replay::measured_algorithm(measured, ActionKind::allgather, members, 100);
  };
  EXPECT_EQ(of(2), CollectiveAlgorithm::bruck);
  EXPECT_EQ(of(16), CollectiveAlgorithm::bruck) << "as near to both";
  EXPECT_EQ(of(32), CollectiveAlgorithm::recursive_doubling);
  EXPECT_EQ(of(65), CollectiveAlgorithm::of_the_library) << "doubling is among powers of two";
  EXPECT_EQ(replay::measured_algorithm(measured, ActionKind::broadcast, 4, 100), CollectiveAlgorithm::of_the_library);
}

} // namespace
} // namespace timeless::tools
