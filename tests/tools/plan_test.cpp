// Dividing ranks among hosts: the division itself, and the verb.
#include "base/error.h"
#include "tests/temporary_directory.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"
#include "tools/planning/launch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Mode = AcquisitionMode;

constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

/// Returns two clusters of two hosts with 4 cores and memory for 16 ranks of 1 GiB each.
std::vector<Node> two_clusters() {
  return {{"a1", 4, 16 * gib, "a", 1},
          {"a2", 4, 16 * gib, "a", 2},
          {"b1", 4, 16 * gib, "b", 3},
          {"b2", 4, 16 * gib, "b", 4}};
}

PlanRequest request(std::uint32_t ranks, std::optional<Mode> mode = {}, std::optional<std::uint32_t> folding = {}) {
  return {
      .ranks = ranks, .memory_per_rank = gib, .mode = mode, .folding = folding, .reserve = {.share = 0, .bytes = 0}};
}

std::vector<std::string> shares(const NodePlan& plan) {
  std::vector<std::string> shares;
  for (const PlannedNode& node : plan.nodes)
    shares.push_back(node.node.name + " " + std::to_string(node.ranks));
  return shares;
}

std::string refusal(const std::vector<Node>& nodes, const PlanRequest& wanted) {
  try {
    make_plan(nodes, wanted);
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(Plan, without_a_mode_takes_one_cluster_unfolded_then_several_then_folds) {
  const auto nodes = two_clusters();
  EXPECT_EQ(make_plan(nodes, request(8)).mode, Mode::regular);
  EXPECT_EQ(make_plan(nodes, request(9)).mode, Mode::composite);
  EXPECT_EQ(make_plan(nodes, request(16)).mode, Mode::composite);
  const NodePlan folded = make_plan(nodes, request(17));
  EXPECT_EQ(folded.mode, Mode::composite_folded) << "2 ranks a core on both clusters, 3 on one";
  EXPECT_EQ(folded.folding, 2U);
  const std::vector<Node> one(nodes.begin(), nodes.begin() + 2);
  EXPECT_EQ(make_plan(one, request(17)).mode, Mode::folded);
  EXPECT_EQ(make_plan(one, request(17)).folding, 3U);
}

TEST(Plan, takes_few_hosts_and_divides_among_them_by_cores) {
  const auto nodes = two_clusters();
  EXPECT_THAT(shares(make_plan(nodes, request(4, Mode::regular))), ElementsAre("a1 4"));
  EXPECT_THAT(shares(make_plan(nodes, request(6, Mode::regular))), ElementsAre("a1 3", "a2 3"));
  EXPECT_THAT(shares(make_plan(nodes, request(8, Mode::folded))), ElementsAre("a1 8"));
  EXPECT_THAT(shares(make_plan(nodes, request(8, Mode::composite))), ElementsAre("a1 4", "b1 4"));
  EXPECT_THAT(shares(make_plan(nodes, request(12, Mode::composite))), ElementsAre("a1 4", "a2 4", "b1 4"));
  EXPECT_THAT(shares(make_plan(nodes, request(24, Mode::composite_folded))), ElementsAre("a1 8", "a2 8", "b1 8"));
  EXPECT_THAT(shares(make_plan(nodes, request(24, Mode::composite_folded, 3))), ElementsAre("a1 12", "b1 12"));
  auto uneven = nodes;
  uneven[1].cores = 8;
  EXPECT_THAT(shares(make_plan(uneven, request(12, Mode::regular))), ElementsAre("a1 4", "a2 8"));
}

TEST(Plan, gives_a_host_no_more_than_its_memory_holds_without_the_reserve) {
  auto nodes = two_clusters();
  nodes[0].memory = 3 * gib;
  nodes.resize(2);
  const NodePlan plan = make_plan(nodes, request(10, Mode::folded));
  EXPECT_THAT(shares(plan), ElementsAre("a1 3", "a2 7"));
  EXPECT_THAT(plan.reasons, testing::Contains(HasSubstr("1 host is limited by memory")));
  EXPECT_DOUBLE_EQ(plan.slowdown(), 7 / 4.);
  auto reserved = request(10, Mode::folded);
  reserved.reserve = {.share = 0.5, .bytes = 0};
  EXPECT_THAT(refusal(nodes, reserved), HasSubstr("memory for 9"));
}

TEST(Plan, passes_over_hosts_without_room_for_a_rank_and_says_so) {
  auto nodes = two_clusters();
  nodes[0].memory = gib / 2;
  const NodePlan plan = make_plan(nodes, request(4, Mode::regular));
  EXPECT_THAT(shares(plan), ElementsAre("a2 4"));
  EXPECT_THAT(plan.reasons, testing::Contains(HasSubstr("host a1 has no room for a rank")));
}

TEST(Plan, composite_modes_use_every_cluster_even_when_one_has_hardly_a_core) {
  auto nodes = two_clusters();
  nodes[0].cores = nodes[1].cores = 64;
  nodes[2].cores = nodes[3].cores = 1;
  const NodePlan plan = make_plan(nodes, request(4, Mode::composite));
  EXPECT_THAT(shares(plan), ElementsAre("a1 3", "b1 1"));
}

TEST(Plan, that_does_not_fit_says_what_is_missing) {
  const auto nodes = two_clusters();
  EXPECT_THAT(refusal(nodes, request(70)),
              AllOf(HasSubstr("70 ranks of 1.00 GiB do not fit"), HasSubstr("memory for 64"), HasSubstr("6.00 GiB"),
                    HasSubstr("1 more node like a1")));
  EXPECT_THAT(refusal(nodes, request(50, Mode::folded)),
              AllOf(HasSubstr("cluster a, has memory for 32"), HasSubstr("18.00 GiB"), HasSubstr("2 more nodes"),
                    HasSubstr("mode CF")));
  EXPECT_THAT(
      refusal(nodes, request(9, Mode::regular)),
      AllOf(HasSubstr("holds 8 of 9 ranks"), HasSubstr("1 core more"), HasSubstr("mode F takes 2 ranks a core")));
  EXPECT_THAT(refusal(nodes, request(20, Mode::composite)),
              AllOf(HasSubstr("holds 16 of 20 ranks"), HasSubstr("mode CF takes 2")));
  EXPECT_THAT(refusal(nodes, request(20, Mode::folded, 2)), HasSubstr("mode F takes 3 ranks a core"));
  auto huge = request(2);
  huge.memory_per_rank = 17 * gib;
  EXPECT_THAT(refusal(nodes, huge), HasSubstr("no host has memory for one"));
}

TEST(Plan, refuses_modes_that_contradict_the_hosts_or_the_folding) {
  auto nodes = two_clusters();
  EXPECT_THAT(refusal(nodes, request(8, Mode::regular, 2)), HasSubstr("mode R has one rank a core"));
  EXPECT_THAT(refusal(nodes, request(8, Mode::folded, 1)), HasSubstr("mode F has more than one"));
  EXPECT_THAT(refusal(nodes, request(17, {}, 1)), HasSubstr("mode C with 1 rank a core holds 16 of 17"));
  EXPECT_THAT(refusal(nodes, request(1, Mode::composite)), HasSubstr("leave one without"));
  nodes.resize(2);
  EXPECT_THAT(refusal(nodes, request(8, Mode::composite)), HasSubstr("several clusters"));
}

RC_GTEST_PROP(Plan, holds_what_it_promises_on_any_hosts, ()) {
  const auto hosts = *rc::gen::inRange(1, 9);
  std::vector<Node> nodes;
  for (int i = 0; i < hosts; ++i)
    nodes.push_back({"h" + std::to_string(i), *rc::gen::inRange(1U, 20U), *rc::gen::inRange(std::uint64_t{0}, 40 * gib),
                     *rc::gen::element(std::string(), std::string("a"), std::string("b")),
                     static_cast<std::uint32_t>(i + 1)});
  auto wanted = request(*rc::gen::inRange(1U, 120U));
  wanted.mode = *rc::gen::element(std::optional<Mode>(), std::optional(Mode::regular), std::optional(Mode::folded),
                                  std::optional(Mode::composite), std::optional(Mode::composite_folded));
  NodePlan plan;
  try {
    plan = make_plan(nodes, wanted);
  } catch (const Error& error) {
    // Without a mode, only memory is a reason.
    std::uint64_t room = 0;
    for (const Node& node : nodes)
      room += node.memory / gib;
    RC_ASSERT(wanted.mode || room < wanted.ranks);
    RC_SUCCEED("does not fit");
  }
  std::uint32_t ranks = 0;
  std::set<std::string> clusters;
  for (const PlannedNode& node : plan.nodes) {
    ranks += node.ranks;
    clusters.insert(node.node.cluster);
    RC_ASSERT(node.ranks > 0U);
    RC_ASSERT(node.ranks * gib <= node.node.memory);
    RC_ASSERT(node.ranks <= plan.folding * node.node.cores);
    // No host could be relieved by another that has room.
    for (const PlannedNode& other : plan.nodes)
      if (std::uint64_t{other.ranks} + 1 <=
          std::min<std::uint64_t>(other.node.memory / gib, plan.folding * other.node.cores))
        RC_ASSERT(node.ranks == 1 || (other.ranks + 1) * node.node.cores >= node.ranks * other.node.cores);
  }
  RC_ASSERT(ranks == wanted.ranks);
  RC_ASSERT(is_composite(plan.mode) == (clusters.size() > 1));
  RC_ASSERT(is_folded(plan.mode) == (plan.folding > 1));
  if (wanted.mode) RC_ASSERT(plan.mode == *wanted.mode);
}

/// A list of hosts, and the verb on it.
class PlanVerb : public testing::Test {
protected:
  std::string hosts(const std::string& text) const {
    trace::test::write_bytes(directory_ / "hosts", text);
    return directory_ / "hosts";
  }
  Outcome plan(const std::string& list, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"plan", "--hosts", hosts(list)});
    return timeless_command(arguments);
  }
  timeless::test::TemporaryDirectory directory_;
};

constexpr const char* list = "# the machine room\n"
                             "a1 slots=4 memory=16G cluster=a\n"
                             "\n"
                             "a2 slots=4 memory=16384MiB cluster=a # the new one\n"
                             "b1 cores=4 max_slots=2 memory=16.5GB cluster=b\n";

TEST_F(PlanVerb, writes_the_hostfile_and_says_what_to_expect_and_to_type) {
  const std::string output = directory_ / "planned";
  const Outcome outcome =
      plan(list, {"--ranks", "24", "--memory-per-rank", "1G", "--mode", "F", "-o", output, "--", "./a program", "-x"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("F, folded"), HasSubstr("3 times as long"), HasSubstr("12.00 GiB")));
  EXPECT_THAT(outcome.out, HasSubstr("mpirun -np 24 --hostfile " + output +
                                     " --map-by slot --bind-to none --mca mpi_yield_when_idle 1 './a program' -x"));
  EXPECT_THAT(outcome.out, HasSubstr("gather recording -o recording.tia"));
  EXPECT_THAT(trace::test::file_bytes(output),
              testing::EndsWith("\na1 slots=12 max_slots=12\na2 slots=12 max_slots=12\n"));
}

TEST_F(PlanVerb, answers_in_json) {
  const Outcome outcome = plan(list, {"--ranks", "10", "--memory-per-rank", "1G", "--reserve", "2G", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer.at("schema"), "timeless.plan/1");
  EXPECT_EQ(answer.at("mode"), "C");
  EXPECT_EQ(answer.at("folding"), 1);
  EXPECT_EQ(answer.at("clusters"), 2);
  EXPECT_EQ(answer.at("nodes").size(), 3U);
  EXPECT_EQ(answer.at("nodes").at(2).at("host"), "b1");
  EXPECT_EQ(answer.at("nodes").at(2).at("ranks"), 2);
  EXPECT_EQ(answer.at("nodes").at(0).at("room_for_ranks"), 14);
  EXPECT_EQ(answer.at("hostfile"), nullptr);
}

TEST_F(PlanVerb, replaces_a_file_only_when_told_and_never_its_own_list) {
  const std::string output = directory_ / "planned";
  trace::test::write_bytes(output, "precious");
  const std::vector<std::string> arguments = {"--ranks", "4", "--memory-per-rank", "1G", "-o", output};
  EXPECT_EQ(plan(list, arguments).status, 2);
  EXPECT_EQ(trace::test::file_bytes(output), "precious");
  auto forced = arguments;
  forced.emplace_back("--force");
  EXPECT_EQ(plan(list, forced).status, 0);
  EXPECT_THAT(trace::test::file_bytes(output), HasSubstr("a1 slots=4"));
  forced[5] = directory_ / "hosts";
  EXPECT_EQ(plan(list, forced).status, 2);
  EXPECT_EQ(trace::test::file_bytes(directory_ / "hosts"), list);
}

TEST_F(PlanVerb, measures_this_machine_where_its_line_says_nothing) {
  const Outcome outcome = plan("localhost\n", {"--ranks", "1", "--memory-per-rank", "1M", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json node = json::parse(outcome.out).at("nodes").at(0);
  EXPECT_GE(node.at("cores"), 1);
  EXPECT_GE(node.at("memory").get<std::uint64_t>(), std::uint64_t{64} << 20U);
}

TEST_F(PlanVerb, asks_other_machines_with_a_command) {
  const std::string agent = directory_ / "agent";
  trace::test::write_bytes(agent,
                           "#!/bin/sh\n[ \"$1\" = far ] || exit 9\nnproc() { echo 6; }\neval \"$2\" | head -2\n");
  std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
  const Outcome outcome =
      plan("far memory=8G\n", {"--ranks", "6", "--memory-per-rank", "1G", "--ask", "sh " + agent, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out).at("nodes").at(0).at("cores"), 6);
  EXPECT_EQ(json::parse(outcome.out).at("nodes").at(0).at("memory"), 8 * gib);
  const Outcome refused = plan("near\n", {"--ranks", "1", "--memory-per-rank", "1G", "--ask", "sh " + agent});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("host near"), HasSubstr("slots=")));
}

TEST_F(PlanVerb, takes_the_memory_of_an_earlier_trace) {
  trace::MemorySource run(2);
  run.finalize();
  run.description().ranks[1].peak_memory = 3 * gib;
  trace::test::write_archive(run, directory_ / "run.tia");
  const Outcome outcome = plan(list, {"--ranks", "4", "--trace", directory_ / "run.tia", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer.at("memory_per_rank"), 3 * gib);
  EXPECT_THAT(answer.at("memory_notes").at(0).get<std::string>(), HasSubstr("the trace is of 2 ranks"));
  run.description().ranks[1].peak_memory = 0;
  trace::test::write_archive(run, directory_ / "silent.tia");
  EXPECT_EQ(plan(list, {"--ranks", "4", "--trace", directory_ / "silent.tia"}).status, 3);
}

struct HostListMistake {
  const char* name;
  const char* hosts;
  std::vector<std::string> arguments;
  int status;
  const char* says;
};

class PlanMistakes : public PlanVerb, public testing::WithParamInterface<HostListMistake> {};

TEST_P(PlanMistakes, are_named) {
  const Outcome outcome = plan(GetParam().hosts, GetParam().arguments);
  EXPECT_EQ(outcome.status, GetParam().status) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().says));
}

const std::vector<std::string> four_ranks = {"--ranks", "4", "--memory-per-rank", "1G"};
std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), four_ranks.begin(), four_ranks.end());
  return more;
}

INSTANTIATE_TEST_SUITE_P(
    Each, PlanMistakes,
    testing::Values(
        HostListMistake{"mode", list, with({"--mode", "X"}), 2, "'X'"},
        HostListMistake{"no_memory", list, {"--ranks", "4"}, 2, "--memory-per-rank"},
        HostListMistake{"two_memories", list, with({"--measure", "--", "prog"}), 2, "more than once"},
        HostListMistake{"no_program", list, {"--ranks", "4", "--measure"}, 2, "no program"},
        HostListMistake{"memory", list, {"--ranks", "4", "--memory-per-rank", "much"}, 2, "'much'"},
        HostListMistake{"reserve", list, with({"--reserve", "100%"}), 2, "'100%'"},
        HostListMistake{"no_ranks", list, {"--ranks", "0", "--memory-per-rank", "1G"}, 2, "--ranks"},
        HostListMistake{"does_not_fit", list, {"--ranks", "400", "--memory-per-rank", "1G"}, 5, "more nodes like a1"},
        HostListMistake{"empty_list", "# nothing\n", four_ranks, 3, "no host"},
        HostListMistake{"unknown_word", "a slots=4 memory=1G\nb speed=9\n", four_ranks, 3, "line 2"},
        HostListMistake{"no_value", "a slots 4\n", four_ranks, 3, "line 1"},
        HostListMistake{"no_cores", "a slots=0 memory=1G\n", four_ranks, 3, "'slots=0'"},
        HostListMistake{"odd_cores", "a slots=4x memory=1G\n", four_ranks, 3, "'slots=4x'"},
        HostListMistake{"odd_memory", "a slots=4 memory=-1G\n", four_ranks, 3, "'memory=-1G'"},
        HostListMistake{"no_name", "slots=4 memory=1G\n", four_ranks, 3, "begins with a host's name"},
        HostListMistake{"two_clusters", "a slots=4 cluster=x\na slots=4 cluster=y\n", four_ranks, 3, "line 2"},
        HostListMistake{"memory_unknown", "a slots=4\n", four_ranks, 2, "memory=SIZE"},
        HostListMistake{"cores_unknown", "a memory=4G\n", four_ranks, 2, "slots=N"}),
    [](const auto& parameter) { return parameter.param.name; });

} // namespace
} // namespace timeless::tools
