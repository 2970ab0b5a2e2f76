// One-sided communication and files, worked by hand.
#include "machines.h"

#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace timeless::replay::test::windows_and_files_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::Action;
using trace::ActionKind;
using trace::CommunicatorId;
using trace::MemorySource;
using trace::RequestId;

constexpr FlatCosts unit{.latency = 10, .byte_time = 1};
constexpr FileSystem slow_disk{.latency = 7, .byte_time = 2, .aggregate_byte_time = 1, .assumed = false};
constexpr RequestId zero[] = {0};
constexpr Rank rank_0[] = {0};
constexpr Rank rank_1[] = {1};

/// A program on two ranks with a window or a file of both, which is communicator `shared`.
class TwoRanks : public MemorySource {
public:
  TwoRanks() : MemorySource(2), shared(add_communicator({0, 1})) {}

  void both(const Action& action) {
    for (const Rank rank : {0, 1})
      on(rank, action);
  }
  void on(Rank rank, Action action) {
    action.communicator = shared;
    add(rank, action);
  }
  void wait(Rank rank) { add(rank, {.kind = ActionKind::wait, .requests = zero}); }

  const CommunicatorId shared;
};

Result run(MemorySource& program, ReplayOptions options = {}) {
  program.finalize();
  options.file_system = slow_disk;
  const Network machine = flat_machine(program.run().size, {unit});
  return replay(program, machine, options);
}

RankTimes times(const Result& result, std::size_t rank) {
  return result.lanes.at(0).ranks.at(rank);
}

Action put(Rank target, Bytes bytes = 5) {
  return {.kind = ActionKind::put, .peer = target, .bytes = bytes};
}

TEST(Windows, a_fence_waits_for_the_ranks_own_transfers_and_then_for_all_members) {
  TwoRanks program;
  program.both({.kind = ActionKind::win_fence});
  program.on(0, put(1));
  program.both({.kind = ActionKind::win_fence});
  const Result result = run(program);
  // A barrier of two takes 10. The put is there at 10 + 10 + 5.
  EXPECT_EQ(times(result, 0).end, 35);
  EXPECT_EQ(times(result, 0).latency, 30);
  EXPECT_EQ(times(result, 0).bandwidth, 5);
  EXPECT_EQ(times(result, 1).end, 35);
  EXPECT_EQ(times(result, 1).wait, 15);
  EXPECT_EQ(times(result, 1).latency, 20);
  EXPECT_THAT(result.not_modelled, IsEmpty());
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST(Windows, a_fence_that_nothing_precedes_completes_nothing) {
  TwoRanks program;
  program.on(0, put(1));
  program.both({.kind = ActionKind::win_fence, .flags = trace::flag_no_precede});
  EXPECT_EQ(times(run(program), 0).end, 10);
}

TEST(Windows, bytes_of_a_ranks_transfers_follow_one_another_and_latencies_overlap) {
  TwoRanks program;
  program.on(0, put(1, 5));
  program.on(0, put(1, 7));
  program.on(0, {.kind = ActionKind::win_flush, .peer = 1});
  const RankTimes origin = times(run(program), 0);
  EXPECT_EQ(origin.end, 22);
  EXPECT_EQ(origin.latency, 10);
  EXPECT_EQ(origin.bandwidth, 12);
}

TEST(Windows, computation_hides_a_transfer_as_it_hides_a_message) {
  TwoRanks program;
  program.on(0, put(1));
  program.compute(0, 12);
  program.on(0, {.kind = ActionKind::win_flush_all});
  const RankTimes origin = times(run(program), 0);
  EXPECT_EQ(origin.end, 15);
  EXPECT_EQ(origin.latency, 0);
  EXPECT_EQ(origin.bandwidth, 3);
}

TEST(Windows, a_get_asks_first_and_an_atomic_goes_both_ways) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::get, .peer = 1, .receive_bytes = 5});
  program.on(0, {.kind = ActionKind::win_flush, .peer = 1});
  program.on(1, {.kind = ActionKind::compare_and_swap, .peer = 0, .bytes = 8, .receive_bytes = 4});
  program.on(1, {.kind = ActionKind::win_flush_local, .peer = 0});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 25);
  EXPECT_EQ(times(result, 1).end, 32);
}

TEST(Windows, a_lock_is_asked_for_and_given_unless_unchecked_and_exclusive_ones_do_not_queue) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::win_lock, .flags = trace::flag_exclusive, .peer = 1});
  program.on(0, put(1));
  program.on(0, {.kind = ActionKind::win_unlock, .peer = 1});
  program.on(1, {.kind = ActionKind::win_lock, .flags = trace::flag_exclusive | trace::flag_no_check, .peer = 1});
  program.on(1, put(1));
  program.on(1, {.kind = ActionKind::win_unlock, .peer = 1});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 20 + 15);
  EXPECT_EQ(times(result, 1).end, 15);
  ASSERT_EQ(result.not_modelled.size(), 1U);
  EXPECT_EQ(result.not_modelled[0],
            (NotModelled{.what = "exclusive locks do not wait for each other", .calls = 2, .ranks = 2}));
}

TEST(Windows, groups_tell_each_other_of_their_epochs) {
  TwoRanks program;
  program.compute(1, 50);
  program.on(1, {.kind = ActionKind::win_post, .ranks = rank_0});
  program.on(1, {.kind = ActionKind::win_wait});
  program.on(0, {.kind = ActionKind::win_start, .ranks = rank_1});
  program.on(0, put(1));
  program.on(0, {.kind = ActionKind::win_complete});
  const Result result = run(program);
  // The post comes at 60, the put is there at 75, and rank 1 hears of it at 85.
  EXPECT_EQ(times(result, 0).end, 75);
  EXPECT_EQ(times(result, 0).wait, 50);
  EXPECT_EQ(times(result, 0).latency, 20);
  EXPECT_EQ(times(result, 1).end, 85);
  EXPECT_EQ(times(result, 1).wait, 25);
  EXPECT_EQ(times(result, 1).latency, 10);
}

TEST(Windows, an_unchecked_start_does_not_wait_for_its_posts) {
  TwoRanks program;
  program.compute(1, 50);
  program.on(1, {.kind = ActionKind::win_post, .ranks = rank_0});
  program.on(1, {.kind = ActionKind::win_wait});
  program.on(0, {.kind = ActionKind::win_start, .flags = trace::flag_no_check, .ranks = rank_1});
  program.on(0, {.kind = ActionKind::win_complete});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 0);
  EXPECT_EQ(times(result, 1).end, 50);
}

TEST(Windows, a_requests_transfer_is_over_with_the_request) {
  TwoRanks program;
  Action first = put(1);
  first.request = 0;
  program.on(0, first);
  program.on(0, put(1, 100));
  program.wait(0);
  EXPECT_EQ(times(run(program), 0).end, 15);
}

TEST(Windows, transfers_to_nowhere_take_no_time) {
  TwoRanks program;
  Action nowhere = put(trace::no_rank);
  program.on(0, nowhere);
  nowhere.request = 0;
  program.on(0, nowhere);
  program.wait(0);
  program.on(0, {.kind = ActionKind::win_flush_all});
  EXPECT_EQ(times(run(program), 0).end, 0);
}

TEST(Windows, a_start_that_nobody_posts_for_is_said_to_wait_for_the_post) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::win_start, .ranks = rank_1});
  program.on(0, {.kind = ActionKind::win_complete});
  try {
    run(program);
    FAIL() << "it ends";
  } catch (const ReplayProblem& problem) {
    EXPECT_THAT(problem.description(), HasSubstr("rank 0, action 0: Win_start waits for rank 1 to post an epoch"));
  }
}

TEST(Windows, a_post_that_nobody_starts_is_said_to_be_left_over) {
  TwoRanks program;
  program.on(1, {.kind = ActionKind::win_post, .ranks = rank_0});
  try {
    run(program);
    FAIL() << "it ends";
  } catch (const ReplayProblem& problem) {
    EXPECT_THAT(problem.description(), HasSubstr("1 epoch that rank 1 posts for rank 0"));
  }
}

TEST(Windows, contradictory_epochs_end_in_an_error_that_names_rank_and_action) {
  const std::vector<std::vector<Action>> programs{
      {{.kind = ActionKind::win_complete}},
      {{.kind = ActionKind::win_wait}},
      {{.kind = ActionKind::win_post, .ranks = rank_0}, {.kind = ActionKind::win_post, .ranks = rank_0}},
      {put(7)},
      {{.kind = ActionKind::win_start, .ranks = std::span<const Rank>()},
       {.kind = ActionKind::win_start, .ranks = std::span<const Rank>()}}};
  for (const std::vector<Action>& actions : programs) {
    TwoRanks program;
    for (const Action& action : actions)
      program.on(1, action);
    try {
      run(program);
      FAIL() << trace::mpi_name(actions.back());
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
      EXPECT_THAT(error.where(), HasSubstr("rank 1, action"));
    }
  }
}

TEST(Files, one_rank_alone_waits_for_latency_and_its_bytes) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::file_write_at, .bytes = 5});
  program.on(1, {.kind = ActionKind::file_read, .receive_bytes = 6});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 17);
  EXPECT_EQ(times(result, 0).files, 17);
  EXPECT_EQ(times(result, 1).end, 19);
  EXPECT_EQ(times(result, 1).latency + times(result, 1).bandwidth + times(result, 1).wait, 0);
}

TEST(Files, what_is_begun_alone_is_hidden_by_computation_and_bytes_follow_one_another) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::file_write_at, .bytes = 5, .request = 0});
  program.on(0, {.kind = ActionKind::file_write_at, .bytes = 5, .request = 1});
  program.compute(0, 12);
  constexpr RequestId two[] = {0, 1};
  program.add(0, {.kind = ActionKind::wait_all, .requests = two});
  const RankTimes writer = times(run(program), 0);
  EXPECT_EQ(writer.end, 27);
  EXPECT_EQ(writer.files, 15);
}

TEST(Files, members_of_a_collective_call_begin_together_and_share_what_the_file_system_takes) {
  TwoRanks program;
  program.compute(0, 30);
  program.on(0, {.kind = ActionKind::file_write_all, .bytes = 4});
  program.on(1, {.kind = ActionKind::file_write_all, .bytes = 20});
  const Result result = run(program);
  // 24 bytes in all at 1 s each; rank 1's own at 2 s each.
  EXPECT_EQ(times(result, 0).end, 30 + 7 + 24);
  EXPECT_EQ(times(result, 1).end, 30 + 7 + 40);
  EXPECT_EQ(times(result, 1).wait, 30);
  EXPECT_EQ(times(result, 1).files, 47);
}

TEST(Files, a_split_collective_overlaps_with_what_is_between_its_halves) {
  TwoRanks program;
  program.both({.kind = ActionKind::file_read_all_begin, .receive_bytes = 10});
  program.compute(0, 20);
  program.both({.kind = ActionKind::file_read_all_end});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 27);
  EXPECT_EQ(times(result, 0).files, 7);
  EXPECT_EQ(times(result, 1).files, 27);
}

TEST(Files, halves_of_split_collectives_without_the_other_are_counted) {
  TwoRanks program;
  program.both({.kind = ActionKind::file_read_all_end});
  program.both({.kind = ActionKind::file_write_all_begin, .bytes = 5});
  program.both({.kind = ActionKind::file_close});
  const Result result = run(program);
  EXPECT_EQ(times(result, 0).end, 7);
  ASSERT_EQ(result.not_modelled.size(), 2U);
  EXPECT_EQ(result.not_modelled[0].calls, 2U);
  EXPECT_EQ(result.not_modelled[1].ranks, 2U);
}

TEST(Files, opening_takes_the_latency_and_views_cost_a_barrier) {
  TwoRanks program;
  program.both({.kind = ActionKind::file_set_view});
  program.both({.kind = ActionKind::file_preallocate, .bytes = 1000000});
  const RankTimes first = times(run(program), 0);
  EXPECT_EQ(first.latency, 10);
  EXPECT_EQ(first.files, 7);
}

TEST(Files, the_assumed_file_system_is_named) {
  TwoRanks program;
  program.on(0, {.kind = ActionKind::file_write, .bytes = 1000});
  program.finalize();
  const Network machine = flat_machine(2, {unit});
  const Result result = replay(program, machine);
  EXPECT_THAT(result.notes, ElementsAre("the file system is assumed: 100 us, 1 GB/s per process, 10 GB/s in all"));
  EXPECT_DOUBLE_EQ(times(result, 0).files, 101e-6);
  EXPECT_NEAR(shares(result.lanes[0]).files, 100, 1e-9);
}

TEST(FileSystems, are_read_with_their_units) {
  const FileSystem read = parse_file_system("latency=2.5ms,bandwidth=200MB/s,aggregate=none");
  EXPECT_DOUBLE_EQ(read.latency, 2.5e-3);
  EXPECT_DOUBLE_EQ(read.byte_time, 5e-9);
  EXPECT_EQ(read.aggregate_byte_time, 0);
  EXPECT_FALSE(read.assumed);
  EXPECT_EQ(describe(read), "2.5 ms, 200 MB/s per process");
  EXPECT_DOUBLE_EQ(parse_file_system("aggregate=2TB/s").aggregate_byte_time, 5e-13);
  EXPECT_EQ(parse_file_system("aggregate=2TB/s").latency, FileSystem{}.latency);
  for (const char* wrong : {"latency", "latency=", "latency=5", "latency=5GB/s", "bandwidth=1", "bandwidth=0GB/s",
                            "bandwidth=-1GB/s", "size=3", "latency=nans", "latency=1s,,", "aggregate=-"})
    EXPECT_THROW(parse_file_system(wrong), Error) << wrong;
}

// ---- random programs

} // namespace
} // namespace timeless::replay::test::windows_and_files_test
