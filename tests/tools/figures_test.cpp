// How many bytes info says that calls send, what dump says of sizes and roots, and figures that are not known.
#include "analysis/trace/regions.h"
#include "analysis/trace/summary.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"
#include "tools/render/figures.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::Rank;

constexpr Rank ranks_of_run = 8;

/// Returns a run in which every rank does what `action` says of it.
template <typename Describe>
MemorySource by_all(Describe&& action) {
  MemorySource run(ranks_of_run);
  for (Rank rank = 0; rank < ranks_of_run; ++rank)
    run.add(rank, action(rank));
  run.finalize();
  return run;
}

template <typename Describe>
std::uint64_t sent(const char* call, Describe&& action) {
  return analysis::summarise(by_all(action)).calls.at(call).bytes;
}

TEST(BytesSent, are_the_same_whichever_call_makes_the_transfer) {
  const std::vector<Bytes> thousands(ranks_of_run, 1000);
  const auto all_the_same = [](const Action& action) { return [action](Rank) { return action; }; };
  EXPECT_EQ(sent("Alltoall", all_the_same({.kind = ActionKind::alltoall, .bytes = 1000, .receive_bytes = 1000})),
            64000U);
  EXPECT_EQ(sent("Alltoallv",
                 all_the_same({.kind = ActionKind::alltoallv, .counts = thousands, .receive_counts = thousands})),
            64000U);
  EXPECT_EQ(sent("Reduce_scatter_block", all_the_same({.kind = ActionKind::reduce_scatter_block, .bytes = 1000})),
            64000U);
  EXPECT_EQ(sent("Reduce_scatter", all_the_same({.kind = ActionKind::reduce_scatter, .counts = thousands})), 64000U);
  EXPECT_EQ(sent("Scatter",
                 [](Rank rank) {
                   return Action{.kind = ActionKind::scatter,
                                 .peer = 2,
                                 .bytes = rank == 2 ? Bytes{1000} : Bytes{0},
                                 .receive_bytes = 1000};
                 }),
            8000U);
  EXPECT_EQ(sent("Scatterv",
                 [&](Rank rank) {
                   Action action{.kind = ActionKind::scatterv, .peer = 2, .receive_bytes = 1000};
                   if (rank == 2) action.counts = thousands;
                   return action;
                 }),
            8000U);
}

TEST(BytesSent, of_neighbourhoods_go_to_each_neighbour) {
  const std::vector<Rank> neighbours{7, 1, 7, 1};
  const std::vector<Bytes> two(2, 1000);
  EXPECT_EQ(sent("Neighbor_alltoall",
                 [&](Rank) {
                   return Action{.kind = ActionKind::neighbor_alltoall,
                                 .tag = 3,
                                 .bytes = 1000,
                                 .receive_bytes = 1000,
                                 .ranks = neighbours};
                 }),
            16000U);
  EXPECT_EQ(sent("Neighbor_alltoallv",
                 [&](Rank) {
                   return Action{.kind = ActionKind::neighbor_alltoallv,
                                 .tag = 3,
                                 .counts = two,
                                 .receive_counts = two,
                                 .ranks = neighbours};
                 }),
            16000U);
}

TEST(BytesSent, of_a_broadcast_are_its_roots_alone_also_between_groups) {
  EXPECT_EQ(sent("Bcast", [](Rank) { return Action{.kind = ActionKind::broadcast, .peer = 3, .bytes = 1000}; }), 1000U);
  MemorySource run(ranks_of_run);
  const auto between = run.add_communicator({0, 1, 2}, {3, 4, 5, 6, 7});
  for (Rank rank = 0; rank < ranks_of_run; ++rank) {
    const Rank root = rank == 1 ? trace::root_of_remote_group : rank < 3 ? trace::no_rank : 1;
    run.add(rank, {.kind = ActionKind::broadcast, .communicator = between, .peer = root, .bytes = 1000});
    run.add(rank, {.kind = ActionKind::gather, .communicator = between, .peer = root, .bytes = rank < 3 ? 0U : 10U});
  }
  run.finalize();
  const analysis::Summary summary = analysis::summarise(run);
  EXPECT_EQ(summary.calls.at("Bcast").bytes, 1000U);
  EXPECT_EQ(summary.calls.at("Gather").bytes, 50U);
}

TEST(BytesSent, are_none_of_what_asks_for_processes) {
  const std::vector<Bytes> processes{2, 5};
  EXPECT_EQ(sent("Comm_spawn_multiple",
                 [&](Rank) { return Action{.kind = ActionKind::comm_spawn_multiple, .peer = 0, .counts = processes}; }),
            0U);
}

TEST(BytesReceived, are_none_of_what_was_cancelled) {
  MemorySource run(2);
  const std::vector<trace::RequestId> request{0};
  for (const bool cancelled : {false, true, false}) { // one request, used three times
    run.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 100, .request = 0});
    run.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 100, .request = 0});
    for (const Rank rank : {0, 1}) {
      if (cancelled) run.add(rank, {.kind = ActionKind::cancelled, .request = 0});
      run.add(rank, {.kind = ActionKind::wait, .requests = request});
    }
  }
  run.finalize();
  const analysis::Summary summary = analysis::summarise(run);
  EXPECT_EQ(summary.calls.at("Irecv").count, 3U);
  EXPECT_EQ(summary.calls.at("Irecv").bytes_received, 200U);
  EXPECT_EQ(summary.calls.at("Isend").bytes, 200U);
  EXPECT_EQ(summary.messages, 2U);
  EXPECT_EQ(summary.message_bytes, 200U);
}

TEST(BytesSent, are_the_same_in_regions) {
  MemorySource run(ranks_of_run);
  run.description().regions = {"exchange"};
  for (Rank rank = 0; rank < ranks_of_run; ++rank) {
    run.add(rank, {.kind = ActionKind::region_begin, .region = 0});
    run.add(rank, {.kind = ActionKind::alltoall, .bytes = 1000, .receive_bytes = 1000});
    run.add(rank, {.kind = ActionKind::region_end, .region = 0});
    run.add(rank, {.kind = ActionKind::alltoall, .bytes = 1, .receive_bytes = 1});
  }
  run.finalize();
  EXPECT_EQ(analysis::region_figures(run).at(0).bytes, 64000U);
}

/// Runs, written as archives.
class Figures : public testing::Test {
protected:
  std::string written(const MemorySource& run, bool with_times = false) {
    const std::string path = directory_ / ("run-" + std::to_string(written_++) + ".tia");
    trace::test::write_archive(run, path, with_times);
    return path;
  }

  trace::test::TemporaryDirectory directory_;
  int written_ = 0;
};

TEST_F(Figures, dump_names_the_roots_of_intercommunicators) {
  MemorySource run(5);
  const auto between = run.add_communicator({0, 1}, {2, 3, 4});
  for (Rank rank = 0; rank < 5; ++rank)
    for (const ActionKind kind : {ActionKind::broadcast, ActionKind::gather}) {
      const Rank root = rank == 1 ? trace::root_of_remote_group : rank == 0 ? trace::no_rank : 1;
      run.add(rank, {.kind = kind,
                     .communicator = between,
                     .peer = root,
                     .bytes = (kind == ActionKind::broadcast) == (rank < 2) && rank != 0 ? 12U : 0U,
                     .receive_bytes = kind == ActionKind::gather && rank == 1 ? 12U : 0U});
    }
  run.finalize();
  const std::string path = written(run);
  const std::string text = timeless_command({"dump", path}).out;
  EXPECT_THAT(text, HasSubstr("0 0 Bcast communicator=1 peer=none\n"));
  EXPECT_THAT(text, HasSubstr("0 1 Gather communicator=1 peer=none\n"));
  EXPECT_THAT(text, HasSubstr("1 0 Bcast communicator=1 peer=root bytes=12\n"));
  EXPECT_THAT(text, HasSubstr("1 1 Gather communicator=1 peer=root receive_bytes=12\n"));
  EXPECT_THAT(text, HasSubstr("2 0 Bcast communicator=1 peer=1 bytes=0\n"));
  EXPECT_THAT(text, HasSubstr("2 1 Gather communicator=1 peer=1 bytes=12\n"));
  EXPECT_THAT(timeless_command({"dump", path, "--json"}).out, HasSubstr(R"("peer":"root")"));
  EXPECT_THAT(timeless_command({"dump", path, "--csv"}).out, HasSubstr("\n0,0,Bcast,,,1,none,"));
}

TEST_F(Figures, dump_shows_every_size_a_call_has_also_where_it_is_0) {
  MemorySource run(1);
  const auto own = run.add_communicator({0});
  const auto add = [&](Action action) {
    action.communicator = own;
    run.add(0, action);
  };
  run.add(0, {.kind = ActionKind::win_create, .new_communicator = own});
  for (const ActionKind kind : {ActionKind::put, ActionKind::get, ActionKind::get_accumulate, ActionKind::broadcast,
                                ActionKind::gather, ActionKind::scatter})
    add({.kind = kind, .peer = 0});
  for (const ActionKind kind :
       {ActionKind::allreduce, ActionKind::alltoall, ActionKind::barrier, ActionKind::file_write,
        ActionKind::file_read_all, ActionKind::file_sync, ActionKind::exchange})
    add({.kind = kind});
  run.finalize();
  std::istringstream lines(timeless_command({"dump", written(run)}).out);
  std::vector<std::string> said;
  for (std::string line; std::getline(lines, line);)
    said.push_back(line.substr(line.find(' ', 2) + 1));
  EXPECT_THAT(said, testing::ElementsAre(
                        "Win_create communicator=0 bytes=0 new_communicator=1", "Put communicator=1 peer=0 bytes=0",
                        "Get communicator=1 peer=0 receive_bytes=0",
                        "Get_accumulate communicator=1 peer=0 bytes=0 receive_bytes=0",
                        "Bcast communicator=1 peer=0 bytes=0", "Gather communicator=1 peer=0 bytes=0 receive_bytes=0",
                        "Scatter communicator=1 peer=0 bytes=0 receive_bytes=0", "Allreduce communicator=1 bytes=0",
                        "Alltoall communicator=1 bytes=0 receive_bytes=0", "Barrier communicator=1",
                        "File_write communicator=1 bytes=0", "File_read_all communicator=1 receive_bytes=0",
                        "File_sync communicator=1",
                        "Sendrecv communicator=1 peer=none tag=0 bytes=0 receive_peer=none receive_tag=0 "
                        "receive_bytes=0",
                        "Finalize"));
}

TEST_F(Figures, dump_shows_what_only_a_root_says_at_the_root_alone) {
  MemorySource run(2);
  for (const Rank rank : {0, 1})
    for (const ActionKind kind : {ActionKind::gather, ActionKind::scatter})
      run.add(rank, {.kind = kind, .peer = 1});
  run.finalize();
  const std::string text = timeless_command({"dump", written(run)}).out;
  EXPECT_THAT(text, HasSubstr("0 0 Gather communicator=0 peer=1 bytes=0\n"));
  EXPECT_THAT(text, HasSubstr("0 1 Scatter communicator=0 peer=1 receive_bytes=0\n"));
  EXPECT_THAT(text, HasSubstr("1 0 Gather communicator=0 peer=1 bytes=0 receive_bytes=0\n"));
}

TEST_F(Figures, without_a_counter_the_time_spent_computing_is_not_known) {
  MemorySource run(1);
  run.description().counter.unit = trace::VolumeUnit::none;
  run.add(0, {.kind = ActionKind::barrier});
  run.times(0, {4000, 5000});
  run.finalize();
  run.times(0, {9000, 10000});
  run.description().ranks[0].recorded_time = 10000;
  const std::string path = written(run, true);
  const Outcome text = timeless_command({"info", path});
  EXPECT_THAT(text.out, HasSubstr("in MPI 20.0 %, between calls 80.0 %"));
  EXPECT_THAT(text.out, Not(HasSubstr("computing 0.0 %")));
  const json measured = json::parse(timeless_command({"info", path, "--json"}).out).at("measured");
  EXPECT_TRUE(measured.at("computing_seconds").is_null());
  EXPECT_NEAR(measured.at("elsewhere_seconds").get<double>(), 8e-6, 1e-12);
}

TEST_F(Figures, a_clock_tells_computing_from_tests_that_found_nothing) {
  MemorySource run(1);
  run.description().counter.name = "walltime";
  run.description().counter.unit = trace::VolumeUnit::nanoseconds;
  run.compute(0, 2000);
  run.times(0, {0, 8000}); // the other 6 us are in tests
  run.finalize();
  run.times(0, {8000, 10000});
  run.description().ranks[0].recorded_time = 10000;
  const std::string path = written(run, true);
  EXPECT_THAT(timeless_command({"info", path}).out,
              HasSubstr("computing 20.0 %, in tests that found nothing 60.0 %, in MPI 20.0 %"));
  const json measured = json::parse(timeless_command({"info", path, "--json"}).out).at("measured");
  EXPECT_NEAR(measured.at("computing_seconds").get<double>(), 2e-6, 1e-12);
  EXPECT_NEAR(measured.at("polling_seconds").get<double>(), 6e-6, 1e-12);
}

TEST_F(Figures, an_efficiency_of_nothing_is_none) {
  MemorySource run(2);
  for (const Rank rank : {0, 1})
    run.add(rank, {.kind = ActionKind::barrier});
  run.finalize();
  const std::string path = written(run);
  for (const std::string verb : {"replay", "classify"}) {
    const Outcome text = timeless_command({verb, path, "--network", "qdr"});
    EXPECT_THAT(text.out, testing::ContainsRegex("qdr +0.0 +- +0.0 +- +0.0\n"));
    const json answer = json::parse(timeless_command({verb, path, "--network", "qdr", "--json"}).out);
    const json efficiency = answer.at(verb == "replay" ? "configurations" : "networks").at(0).at("efficiency");
    EXPECT_TRUE(efficiency.at("load_balance").is_null());
    EXPECT_TRUE(efficiency.at("serialisation").is_null());
    EXPECT_EQ(efficiency.at("parallel"), 0);
  }
}

TEST(FigureText, ends_of_enclosures_are_rounded_outwards) {
  EXPECT_EQ(rounded_up_text(1.2341, 4), "1.235");
  EXPECT_EQ(rounded_down_text(1.2349, 4), "1.234");
  EXPECT_EQ(rounded_up_text(9.996, 3), "10");
  EXPECT_EQ(rounded_down_text(9.996, 3), "9.99");
  EXPECT_EQ(rounded_up_text(3.21e-6, 2), "3.3e-06");
  EXPECT_EQ(rounded_up_text(0.5, 9), "0.5");
  EXPECT_EQ(rounded_down_text(0.5, 9), "0.5");
  EXPECT_EQ(rounded_up_text(0, 2), "0");
}

TEST(FigureText, intervals_have_digits_that_tell_their_ends_apart) {
  EXPECT_EQ(seconds_interval_text(analysis::Interval{1.2, 1.4}), "1.200 s to 1.400 s");
  EXPECT_EQ(seconds_interval_text(analysis::Interval{0.25, 0.2500001}), "0.25 s to 0.2500001 s");
  EXPECT_EQ(seconds_interval_text(analysis::Interval{0.25, 0.25}), "250.000 ms to 250.000 ms");
  EXPECT_EQ(seconds_interval_text(std::nullopt, "none"), "none");
}

} // namespace
} // namespace timeless::tools
