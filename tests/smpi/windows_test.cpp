// Windows: transfers, locks, and the epochs of fences and groups.
#include "tests/smpi/flat.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace timeless::replay {
namespace {

using testing::HasSubstr;
using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::CommunicatorId;
using trace::MemorySource;
using trace::Rank;

/// Two ranks, or more, with a window over them all.
struct WindowScene {
  explicit WindowScene(Rank ranks) : program(ranks) {
    std::vector<Rank> all;
    for (Rank rank = 0; rank < ranks; ++rank)
      all.push_back(rank);
    window = program.add_communicator(all);
  }
  Action on(ActionKind kind, Rank peer = trace::no_rank, std::uint16_t flags = 0) const {
    return {.kind = kind, .flags = flags, .communicator = window, .peer = peer};
  }
  std::vector<double> ends() {
    program.finalize();
    return smpi_ends(program);
  }
  MemorySource program;
  CommunicatorId window = 0;
};

TEST(Window, transfers_take_a_message_each) {
  for (const ActionKind kind : {ActionKind::put, ActionKind::get, ActionKind::accumulate}) {
    WindowScene scene(2);
    Action transfer = scene.on(kind, 1);
    (kind == ActionKind::get ? transfer.receive_bytes : transfer.bytes) = 100'000;
    transfer.element_bytes = 8;
    scene.program.add(0, scene.on(ActionKind::win_lock, 1));
    scene.program.add(0, transfer);
    scene.program.add(0, scene.on(ActionKind::win_unlock, 1));
    const std::vector<double> ends = scene.ends();
    EXPECT_NEAR(ends[0], message(100'000), 1e-12) << trace::name(kind);
    EXPECT_EQ(ends[1], 0);
  }
}

TEST(Window, request_is_done_at_its_wait) {
  WindowScene scene(2);
  scene.program.add(0, scene.on(ActionKind::win_lock, 1));
  Action put = scene.on(ActionKind::put, 1);
  put.bytes = 100'000;
  put.request = request;
  scene.program.add(0, put);
  scene.program.compute(0, 30'000);
  scene.program.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
  scene.program.add(0, scene.on(ActionKind::win_unlock, 1));
  EXPECT_NEAR(scene.ends()[0], message(100'000), 1e-12);
}

/// Two origins hold the lock of rank 2 while they compute 1 ms each; when the later one is done.
double both_locked(std::uint16_t flags) {
  WindowScene scene(3);
  for (const Rank rank : {0, 1}) {
    scene.program.add(rank, scene.on(ActionKind::win_lock, 2, flags));
    scene.program.compute(rank, 1'000'000);
    scene.program.add(rank, scene.on(ActionKind::win_unlock, 2));
  }
  const std::vector<double> ends = scene.ends();
  return std::max(ends[0], ends[1]);
}

TEST(Window, exclusive_locks_wait_for_each_other_and_shared_ones_do_not) {
  EXPECT_NEAR(both_locked(trace::flag_exclusive), 2e-3, 1e-9);
  EXPECT_NEAR(both_locked(0), 1e-3, 1e-9);
  EXPECT_NEAR(both_locked(trace::flag_exclusive | trace::flag_no_check), 1e-3, 1e-9);
}

// SMPI's own locks never let go after an exclusive one has met two sharers.
TEST(Window, exclusive_lock_waits_for_all_sharers_and_is_given_back) {
  WindowScene scene(4);
  for (const Rank rank : {0, 1}) {
    scene.program.add(rank, scene.on(ActionKind::win_lock_all));
    scene.program.compute(rank, 1'000'000);
    scene.program.add(rank, scene.on(ActionKind::win_unlock_all));
  }
  for (const Rank rank : {2, 3}) {
    scene.program.compute(rank, 100'000);
    scene.program.add(rank, scene.on(ActionKind::win_lock, 0, trace::flag_exclusive));
    scene.program.compute(rank, 1'000'000);
    scene.program.add(rank, scene.on(ActionKind::win_unlock, 0));
  }
  const std::vector<double> ends = scene.ends();
  EXPECT_NEAR(ends[0], 1e-3, 1e-9);
  EXPECT_NEAR(std::max(ends[2], ends[3]), 3e-3, 1e-9);
}

TEST(Window, access_epoch_waits_for_the_exposure_and_the_exposure_for_its_end) {
  WindowScene scene(2);
  scene.program.compute(1, 1'000'000);
  Action post = scene.on(ActionKind::win_post);
  post.ranks = only_0;
  Action start = scene.on(ActionKind::win_start);
  start.ranks = only_1;
  Action put = scene.on(ActionKind::put, 1);
  put.bytes = 100'000;
  scene.program.add(1, post);
  scene.program.add(1, scene.on(ActionKind::win_wait));
  scene.program.add(0, start);
  scene.program.add(0, put);
  scene.program.add(0, scene.on(ActionKind::win_complete));
  const std::vector<double> ends = scene.ends();
  EXPECT_NEAR(ends[0], 1e-3 + message(0), 1e-9); // its buffer is free again: the put is eager
  EXPECT_GE(ends[1], 1e-3 + message(0) + message(100'000) - 1e-12);
}

// SMPI adds up the openings of both, and comes to 0, where it allows no transfer.
TEST(Window, fences_and_epochs_of_groups_may_be_mixed) {
  WindowScene scene(2);
  for (const Rank rank : {0, 1})
    scene.program.add(rank, scene.on(ActionKind::win_fence, trace::no_rank, trace::flag_no_precede));
  for (int round = 0; round < 3; ++round) {
    for (const Rank rank : {0, 1}) {
      Action post = scene.on(ActionKind::win_post);
      post.ranks = rank == 0 ? only_1 : only_0;
      Action start = post;
      start.kind = ActionKind::win_start;
      Action put = scene.on(ActionKind::put, 1 - rank);
      put.bytes = 8;
      scene.program.add(rank, post);
      scene.program.add(rank, start);
      scene.program.add(rank, put);
      scene.program.add(rank, scene.on(ActionKind::win_complete));
      scene.program.add(rank, scene.on(ActionKind::win_wait));
      scene.program.add(rank, scene.on(ActionKind::win_fence, trace::no_rank,
                                       round == 1 ? std::uint16_t{trace::flag_no_succeed} : std::uint16_t{0}));
    }
  }
  EXPECT_LT(scene.ends()[0], 1e-3);
}

TEST(Window, of_more_than_2_GiB_is_transferred_whole) {
  WindowScene scene(2);
  Action get = scene.on(ActionKind::get, 1);
  get.receive_bytes = Bytes{3} << 30U;
  scene.program.add(0, scene.on(ActionKind::win_lock, 1));
  scene.program.add(0, get);
  scene.program.add(0, scene.on(ActionKind::win_unlock, 1));
  EXPECT_NEAR(scene.ends()[0], message(get.receive_bytes), 1e-6);
}

TEST(Window, used_after_it_was_freed_is_an_invalid_trace) {
  WindowScene scene(1);
  scene.program.add(0, scene.on(ActionKind::win_free));
  scene.program.add(0, scene.on(ActionKind::put, 0));
  try {
    scene.ends();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    EXPECT_THAT(error.what(), HasSubstr("rank 0, action 1: Put"));
  }
}

} // namespace
} // namespace timeless::replay
