// Every kind of call, and those that SMPI has no equal for: on flat.xml, which has no contention.
#include "tests/smpi/machine.h"

#include "trace/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <ostream>

namespace timeless::replay {
namespace {

using testing::HasSubstr;
using trace::Action;
using trace::ActionFamily;
using trace::ActionKind;
using trace::Bytes;
using trace::CommunicatorId;
using trace::MemorySource;
using trace::Rank;
using trace::RequestId;

constexpr double latency = 10e-6;
constexpr double byte_time = 1e-9;

double message(Bytes bytes) {
  return latency + (static_cast<double>(bytes) + 16) * byte_time;
}

const SimgridPlatform& flat() {
  return machine(TIMELESS_PLATFORMS "/flat.xml");
}

std::vector<double> smpi_ends(const MemorySource& program) {
  return smpi_ends(program, flat(), one_per_host(program.run().size));
}

std::vector<double> model_ends(const MemorySource& program) {
  return model_ends(program, flat(), one_per_host(program.run().size));
}

void expect_equal_ends(const MemorySource& program) {
  const std::vector<double> simulated = smpi_ends(program);
  const std::vector<double> modelled = model_ends(program);
  ASSERT_EQ(simulated.size(), modelled.size());
  for (std::size_t rank = 0; rank < simulated.size(); ++rank)
    EXPECT_NEAR(modelled[rank], simulated[rank], 1e-9 * std::max(1e-3, simulated[rank])) << "rank " << rank;
}

std::vector<std::string> notes(const MemorySource& program) {
  return smpi_replay(program, flat(), one_per_host(program.run().size)).replay.notes;
}

// The matrix: two ranks that make one call of a kind, with what belongs to it.

constexpr RequestId request = 0;
const std::array<Bytes, 2> parts{1000, 1000};
const std::array<Rank, 2> ring_of_0{1, 1}; ///< from, to
const std::array<Rank, 2> ring_of_1{0, 0};
const std::array<Rank, 1> only_0{0};
const std::array<Rank, 1> only_1{1};

/// One program with every kind that goes without another: which of them belong to the call under test.
struct Scene {
  MemorySource program{2};
  CommunicatorId made = program.add_communicator({0, 1}); ///< a communicator, a window's or a file's
  CommunicatorId pair = program.add_communicator({0}, {1});

  void both(const Action& action) {
    program.add(0, action);
    program.add(1, action);
  }
};

void point_to_point(Scene& scene, ActionKind kind) {
  const bool exchange = kind == ActionKind::exchange || kind == ActionKind::exchange_replace;
  if (exchange) {
    scene.program.add(0, {.kind = kind, .peer = 1, .bytes = 1000, .receive_peer = 1, .receive_bytes = 1000});
    scene.program.add(1, {.kind = kind, .peer = 0, .bytes = 1000, .receive_peer = 0, .receive_bytes = 1000});
    return;
  }
  scene.program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1000});
  if (kind == ActionKind::probe || kind == ActionKind::poll)
    scene.program.add(1, {.kind = kind, .peer = 0, .bytes = 1000});
  scene.program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000});
}

void completion(Scene& scene, ActionKind kind) {
  scene.program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1000, .request = request});
  scene.program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000, .request = request});
  scene.both({.kind = kind, .requests = {&request, 1}});
}

void about_a_request(Scene& scene, ActionKind kind) {
  if (kind == ActionKind::cancelled) {
    scene.program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8, .request = request});
    scene.program.add(1, {.kind = kind, .request = request});
    scene.program.add(1, {.kind = ActionKind::wait, .requests = {&request, 1}});
    return;
  }
  scene.program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1000, .request = request});
  const bool resolves = kind == ActionKind::resolved;
  scene.program.add(
      1, {.kind = ActionKind::receive, .peer = resolves ? trace::any_rank : 0, .bytes = 1000, .request = request});
  if (resolves) {
    scene.program.add(1, {.kind = kind, .peer = 0, .bytes = 1000, .request = request});
    scene.both({.kind = ActionKind::wait, .requests = {&request, 1}});
  } else {
    scene.both({.kind = kind, .request = request});
  }
}

Action collective_of(ActionKind kind, Rank rank) {
  Action action{.kind = kind, .peer = 0, .bytes = 1000, .receive_bytes = 1000, .element_bytes = 8};
  action.counts = parts;
  action.receive_counts = parts;
  switch (kind) {
  case ActionKind::neighbor_allgather:
  case ActionKind::neighbor_allgatherv:
  case ActionKind::neighbor_alltoall:
  case ActionKind::neighbor_alltoallv:
  case ActionKind::neighbor_alltoallw:
    action.peer = trace::no_rank;
    action.tag = 2;
    action.ranks = rank == 0 ? ring_of_0 : ring_of_1;
    action.counts = std::span(parts).first(1);
    action.receive_counts = std::span(parts).first(1);
    break;
  default:
    break;
  }
  return action;
}

void window_call(Scene& scene, ActionKind kind) {
  const ActionFamily family = trace::family(kind);
  const Action create{.kind = ActionKind::win_create, .bytes = 1 << 20, .new_communicator = scene.made};
  const auto on = [&](ActionKind what, std::span<const Rank> ranks = {}) {
    return Action{.kind = what, .communicator = scene.made, .peer = 1, .ranks = ranks};
  };
  if (family == ActionFamily::window && kind != ActionKind::win_fence && kind != ActionKind::win_free) {
    Action made = create;
    made.kind = kind;
    return scene.both(made);
  }
  scene.both(create);
  const Action put{.kind = ActionKind::put, .communicator = scene.made, .peer = 1, .bytes = 1000};
  if (kind == ActionKind::win_post || kind == ActionKind::win_start || kind == ActionKind::win_complete ||
      kind == ActionKind::win_wait || kind == ActionKind::win_test) {
    scene.program.add(1, on(ActionKind::win_post, only_0));
    scene.program.add(0, on(ActionKind::win_start, only_1));
    scene.program.add(0, put);
    scene.program.add(0, on(ActionKind::win_complete));
    scene.program.add(1, on(kind == ActionKind::win_test ? kind : ActionKind::win_wait));
  } else if (kind == ActionKind::win_lock_all || kind == ActionKind::win_unlock_all) {
    scene.both(on(ActionKind::win_lock_all));
    scene.program.add(0, put);
    scene.both(on(ActionKind::win_unlock_all));
  } else if (family == ActionFamily::epoch) {
    scene.program.add(0, on(ActionKind::win_lock));
    scene.program.add(0, put);
    if (kind != ActionKind::win_lock && kind != ActionKind::win_unlock) scene.program.add(0, on(kind));
    scene.program.add(0, on(ActionKind::win_unlock));
  } else {
    scene.both({.kind = ActionKind::win_fence, .flags = trace::flag_no_precede, .communicator = scene.made});
    if (family == ActionFamily::one_sided) {
      Action transfer{.kind = kind, .communicator = scene.made, .peer = 1, .element_bytes = 8};
      transfer.bytes = kind == ActionKind::get ? 0 : kind == ActionKind::compare_and_swap ? 16 : 8;
      transfer.receive_bytes = kind == ActionKind::put || kind == ActionKind::accumulate ? 0 : 8;
      scene.program.add(0, transfer);
    }
    scene.both({.kind = ActionKind::win_fence, .communicator = scene.made});
    if (kind == ActionKind::win_free) scene.both({.kind = kind, .communicator = scene.made});
  }
}

bool named(ActionKind kind, const char* part) {
  return trace::name(kind).find(part) != std::string_view::npos;
}

void file_call(Scene& scene, ActionKind kind) {
  scene.both({.kind = ActionKind::file_open, .new_communicator = scene.made});
  if (kind == ActionKind::file_open) return;
  Action call{.kind = kind, .communicator = scene.made};
  if (named(kind, "write")) call.bytes = 1000;
  if (named(kind, "read")) call.receive_bytes = 1000;
  if (named(kind, "_end")) {
    Action begin = call;
    begin.kind = *trace::action_kind(static_cast<std::uint8_t>(static_cast<int>(kind) - 1));
    scene.both(begin);
  }
  scene.both(call);
  if (named(kind, "_begin")) {
    call.kind = *trace::action_kind(static_cast<std::uint8_t>(static_cast<int>(kind) + 1));
    scene.both(call);
  }
}

/// A program with one call of this kind.
MemorySource program_with(ActionKind kind) {
  Scene scene;
  switch (trace::family(kind)) {
  case ActionFamily::computation:
    scene.program.volume(0, kind, 1000, 0);
    break;
  case ActionFamily::point_to_point:
    point_to_point(scene, kind);
    break;
  case ActionFamily::completion:
    completion(scene, kind);
    break;
  case ActionFamily::request:
    about_a_request(scene, kind);
    break;
  case ActionFamily::generalized:
    scene.program.add(0, {.kind = ActionKind::grequest_start, .request = request});
    scene.program.add(0, {.kind = ActionKind::grequest_complete, .requests = {&request, 1}});
    scene.program.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
    break;
  case ActionFamily::collective:
    for (const Rank rank : {0, 1})
      scene.program.add(rank, collective_of(kind, rank));
    break;
  case ActionFamily::communicator:
    scene.both({.kind = kind,
                .communicator = kind == ActionKind::intercomm_merge ? scene.pair : trace::world_communicator,
                .new_communicator = kind == ActionKind::intercomm_create ? scene.pair
                                    : kind == ActionKind::comm_free || kind == ActionKind::comm_disconnect
                                        ? trace::no_communicator
                                        : scene.made});
    break;
  case ActionFamily::window:
  case ActionFamily::one_sided:
  case ActionFamily::epoch:
    window_call(scene, kind);
    break;
  case ActionFamily::file_collective:
  case ActionFamily::file:
    file_call(scene, kind);
    break;
  case ActionFamily::process:
    scene.program.add(0, {.kind = kind, .peer = 0});
    break;
  case ActionFamily::mark:
    scene.program.description().regions = {"a"};
    if (kind == ActionKind::region_end) scene.both({.kind = ActionKind::region_begin, .region = 0});
    scene.both({.kind = kind, .peer = kind == ActionKind::thread ? 0 : trace::no_rank, .region = 0});
    break;
  case ActionFamily::lifecycle:
    break;
  }
  scene.program.finalize();
  return std::move(scene.program);
}

std::vector<ActionKind> every_kind() {
  std::vector<ActionKind> kinds;
  for (int code = 0; code < 256; ++code)
    if (const auto kind = trace::action_kind(static_cast<std::uint8_t>(code))) kinds.push_back(*kind);
  return kinds;
}

class EveryKind : public testing::TestWithParam<ActionKind> {};

TEST_P(EveryKind, of_call_is_replayed_or_refused_by_name) {
  const MemorySource program = program_with(GetParam());
  if (trace::family(GetParam()) == ActionFamily::process) {
    try {
      smpi_ends(program);
      FAIL() << "it was replayed";
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::missing_capability);
      EXPECT_THAT(error.what(), HasSubstr("processes of another MPI_COMM_WORLD"));
    }
    return;
  }
  // With the same meaning as in the model: an eager world without contention, but collectives of their own.
  const std::vector<double> simulated = smpi_ends(program);
  const std::vector<double> modelled = model_ends(program);
  for (const std::size_t rank : {0U, 1U})
    EXPECT_NEAR(simulated[rank], modelled[rank], 0.1 * modelled[rank] + 100e-6) << "rank " << rank;
}

INSTANTIATE_TEST_SUITE_P(matrix, EveryKind, testing::ValuesIn(every_kind()),
                         [](const auto& each) { return std::string(trace::name(each.param)); });

// Neighbourhoods.

TEST(Neighbourhood, sends_each_neighbour_its_part_as_in_the_model) {
  // A line of four: the ends have one neighbour, and MPI_PROC_NULL on the other side.
  for (const ActionKind kind : {ActionKind::neighbor_alltoall, ActionKind::neighbor_alltoallv}) {
    MemorySource program(4);
    for (Rank rank = 0; rank < 4; ++rank) {
      program.compute(rank, static_cast<std::uint64_t>(rank) * 100'000); // 0.1 ms each
      const Rank left = rank == 0 ? trace::no_rank : rank - 1;
      const Rank right = rank == 3 ? trace::no_rank : rank + 1;
      const std::array<Rank, 4> ranks{left, right, left, right};
      const std::array<Bytes, 2> sizes{1000, 50'000};
      const std::array<Bytes, 2> from{50'000, 1000};
      program.add(rank, {.kind = kind,
                         .tag = 3,
                         .bytes = 1000,
                         .receive_bytes = 1000,
                         .counts = sizes,
                         .receive_counts = from,
                         .ranks = ranks});
    }
    program.finalize();
    expect_equal_ends(program);
    EXPECT_THAT(notes(program), testing::Contains(HasSubstr("neighbourhood collectives are a message")));
  }
}

TEST(Neighbourhood, waits_for_nobody_else_and_overlaps_when_nonblocking) {
  MemorySource program(3);
  for (const Rank rank : {0, 1}) {
    program.add(rank, {.kind = ActionKind::neighbor_allgather,
                       .tag = 2,
                       .bytes = 100'000,
                       .receive_bytes = 100'000,
                       .request = request,
                       .ranks = rank == 0 ? ring_of_0 : ring_of_1});
    program.compute(rank, 50'000);
    program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
  }
  program.compute(2, 1'000'000'000);
  program.finalize();
  const std::vector<double> ends = smpi_ends(program);
  EXPECT_NEAR(ends[0], message(100'000), 1e-12);
  EXPECT_NEAR(ends[1], message(100'000), 1e-12);
}

TEST(Neighbourhood, messages_are_not_taken_by_the_programs_own_receives) {
  MemorySource program(2);
  program.add(0,
              {.kind = ActionKind::neighbor_allgather, .tag = 2, .bytes = 8, .receive_bytes = 8, .ranks = ring_of_0});
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 1, .bytes = 100'000});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = trace::any_tag, .bytes = 100'000, .request = request});
  program.add(1,
              {.kind = ActionKind::neighbor_allgather, .tag = 2, .bytes = 8, .receive_bytes = 8, .ranks = ring_of_1});
  program.add(1, {.kind = ActionKind::wait, .requests = {&request, 1}});
  program.finalize();
  EXPECT_GT(smpi_ends(program)[1], message(100'000));
}

// Intercommunicators.

TEST(Intercommunicator, messages_go_to_the_other_groups_ranks) {
  MemorySource program(5);
  const CommunicatorId id = program.add_communicator({0, 3}, {4, 1, 2});
  program.add(3, {.kind = ActionKind::send, .communicator = id, .peer = 0, .tag = 5, .bytes = 30'000}); // to world 4
  program.add(4, {.kind = ActionKind::receive, .communicator = id, .peer = 1, .tag = 5, .bytes = 30'000});
  program.add(2, {.kind = ActionKind::send, .communicator = id, .peer = 0, .bytes = 10'000}); // to world 0
  program.add(0, {.kind = ActionKind::receive, .communicator = id, .peer = trace::any_rank, .bytes = 10'000});
  program.finalize();
  const std::vector<double> ends = smpi_ends(program);
  EXPECT_NEAR(ends[4], message(30'000), 1e-12);
  EXPECT_NEAR(ends[0], message(10'000), 1e-12);
}

Action between_groups(ActionKind kind, bool root, bool roots_group) {
  Action action{.kind = kind, .bytes = 1000, .receive_bytes = 1000, .element_bytes = 8};
  switch (kind) {
  case ActionKind::broadcast:
  case ActionKind::reduce:
  case ActionKind::gather:
  case ActionKind::gatherv:
  case ActionKind::scatter:
  case ActionKind::scatterv:
    action.peer = root ? trace::root_of_remote_group : roots_group ? trace::no_rank : 1;
    break;
  default:
    break;
  }
  static const std::array<Bytes, 3> three{1000, 1000, 1000};
  const std::size_t remote = roots_group ? 3 : 2;
  action.counts = std::span(three).first(kind == ActionKind::reduce_scatter ? 5 - remote : remote);
  action.receive_counts = std::span(three).first(remote);
  return action;
}

class BetweenGroups : public testing::TestWithParam<ActionKind> {};

/// World ranks 0 and 1 are one group, 2 to 4 the other; 1 is the root.
MemorySource between(ActionKind kind, bool nonblocking) {
  MemorySource program(5);
  const CommunicatorId id = program.add_communicator({0, 1}, {2, 3, 4});
  for (Rank rank = 0; rank < 5; ++rank) {
    if (rank == 1) program.compute(rank, 10'000'000); // the root, and the last to come, after 10 ms
    Action action = between_groups(kind, rank == 1, rank < 2);
    action.communicator = id;
    if (nonblocking) action.request = request;
    program.add(rank, action);
    if (nonblocking) program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
  }
  program.finalize();
  return program;
}

TEST_P(BetweenGroups, collectives_carry_what_one_group_has_to_the_other) {
  for (const bool nonblocking : {false, true}) {
    const MemorySource program = between(GetParam(), nonblocking);
    const std::vector<double> ends = smpi_ends(program);
    const bool to_root =
        GetParam() == ActionKind::reduce || GetParam() == ActionKind::gather || GetParam() == ActionKind::gatherv;
    for (std::size_t rank = 2; rank < 5; ++rank) {
      if (to_root)
        EXPECT_LT(ends[rank], 1e-3) << rank; // eager: they leave before the root comes
      else
        EXPECT_GT(ends[rank], 10e-3 + (GetParam() == ActionKind::barrier ? latency : message(1000)) - 1e-12) << rank;
      EXPECT_LT(ends[rank], 10.2e-3) << rank;
    }
    if (GetParam() == ActionKind::barrier) {
      EXPECT_GT(ends[0], 10e-3);
    }
    EXPECT_THAT(notes(program), testing::Contains(HasSubstr("SMPI has no intercommunicators")));
  }
}

INSTANTIATE_TEST_SUITE_P(all, BetweenGroups,
                         testing::Values(ActionKind::barrier, ActionKind::broadcast, ActionKind::reduce,
                                         ActionKind::allreduce, ActionKind::gather, ActionKind::gatherv,
                                         ActionKind::scatter, ActionKind::scatterv, ActionKind::allgather,
                                         ActionKind::allgatherv, ActionKind::alltoall, ActionKind::alltoallv,
                                         ActionKind::alltoallw, ActionKind::reduce_scatter,
                                         ActionKind::reduce_scatter_block),
                         [](const auto& each) { return std::string(trace::name(each.param)); });

TEST(Intercommunicator, recorded_by_both_sides_is_one) {
  MemorySource program(2);
  const CommunicatorId ours = program.add_communicator({0}, {1});
  const CommunicatorId theirs = program.add_communicator({1}, {0});
  for (const CommunicatorId id : {ours, theirs})
    program.description().communicators[id].identity = 77;
  program.add(0, {.kind = ActionKind::send, .communicator = ours, .peer = 0, .bytes = 1000});
  program.add(1, {.kind = ActionKind::receive, .communicator = theirs, .peer = 0, .bytes = 1000});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[1], message(1000), 1e-12);
}

// SMPI's own lets everyone go at once.
TEST(NonblockingBarrier, is_done_when_the_last_has_come) {
  MemorySource program(4);
  for (Rank rank = 0; rank < 4; ++rank) {
    program.compute(rank, static_cast<std::uint64_t>(rank) * 1'000'000);
    program.add(rank, {.kind = ActionKind::barrier, .request = request});
    program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
  }
  program.finalize();
  const std::vector<double> ends = smpi_ends(program);
  for (const std::size_t rank : {0U, 1U, 2U})
    EXPECT_NEAR(ends[rank], 3e-3 + message(0), 1e-9) << "rank " << rank;
}

// Windows.

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

// Files, on hosts without disks: what the model says.

TEST(File, costs_what_it_costs_in_the_model) {
  MemorySource program(3);
  const CommunicatorId file = program.add_communicator({0, 1, 2});
  for (Rank rank = 0; rank < 3; ++rank) {
    const RequestId first = 0;
    const RequestId second = 1;
    const std::array<RequestId, 2> both{first, second};
    const auto bytes = static_cast<Bytes>(rank + 1) * 1'000'000;
    program.compute(rank, static_cast<std::uint64_t>(rank) * 1'000'000);
    program.add(rank, {.kind = ActionKind::file_open, .new_communicator = file});
    program.add(rank, {.kind = ActionKind::file_write_at, .communicator = file, .bytes = bytes});
    program.add(rank, {.kind = ActionKind::file_write_all, .communicator = file, .bytes = 10 * bytes});
    program.add(rank, {.kind = ActionKind::file_read, .communicator = file, .receive_bytes = bytes, .request = first});
    program.add(rank, {.kind = ActionKind::file_write, .communicator = file, .bytes = bytes, .request = second});
    program.compute(rank, 1'500'000);
    program.add(rank, {.kind = ActionKind::wait_all, .requests = both});
    program.add(rank, {.kind = ActionKind::file_write_ordered_begin, .communicator = file, .bytes = bytes});
    program.compute(rank, 500'000);
    program.add(rank, {.kind = ActionKind::file_write_ordered_end, .communicator = file, .bytes = bytes});
    program.add(rank,
                {.kind = ActionKind::file_read_all, .communicator = file, .receive_bytes = bytes, .request = first});
    program.compute(rank, 20'000'000 * static_cast<std::uint64_t>(rank));
    program.add(rank, {.kind = ActionKind::wait, .requests = {&both[0], 1}});
    program.add(rank, {.kind = ActionKind::file_close, .communicator = file});
  }
  program.finalize();
  expect_equal_ends(program);
  EXPECT_THAT(notes(program), testing::Contains(HasSubstr("100 us a call, 1 GB/s per process, 10 GB/s in all")));
}

// What MPI's ints cannot count: SMPI, given bytes, takes negative numbers of them.

TEST(BeyondInts, parts_of_vector_collectives_keep_their_size) {
  const Bytes large = Bytes{3} << 30U;
  const std::array<Bytes, 3> sizes{5, large, 1000};
  const double all = static_cast<double>(large) * byte_time;
  const auto last = [&](const std::function<Action(Rank)>& action) {
    MemorySource program(3);
    for (Rank rank = 0; rank < 3; ++rank)
      program.add(rank, action(rank));
    program.finalize();
    return std::ranges::max(smpi_ends(program));
  };
  const auto own = [&](Rank rank) { return sizes[static_cast<std::size_t>(rank)]; };
  EXPECT_NEAR(last([&](Rank rank) {
                return Action{.kind = ActionKind::gatherv, .peer = 0, .bytes = own(rank), .receive_counts = sizes};
              }),
              all, 0.001 * all);
  EXPECT_NEAR(last([&](Rank rank) {
                return Action{.kind = ActionKind::scatterv, .peer = 0, .receive_bytes = own(rank), .counts = sizes};
              }),
              all, 0.001 * all);
  EXPECT_GE(last([&](Rank rank) {
              return Action{.kind = ActionKind::allgatherv, .bytes = own(rank), .receive_counts = sizes};
            }),
            all);
  // Rank r sends rank s what stands in row r.
  const std::array<std::array<Bytes, 3>, 3> rows{{{0, large, 7}, {7, 7, 7}, {7, 0, 7}}};
  const std::array<std::array<Bytes, 3>, 3> columns{{{0, 7, 7}, {large, 7, 0}, {7, 7, 7}}};
  EXPECT_NEAR(last([&](Rank rank) {
                return Action{.kind = ActionKind::alltoallv,
                              .counts = rows[static_cast<std::size_t>(rank)],
                              .receive_counts = columns[static_cast<std::size_t>(rank)]};
              }),
              all, 0.001 * all);
}

TEST(BeyondInts, collectives_whose_parts_add_up_to_more_keep_their_size) {
  constexpr Bytes each = 400'000'000; // 3.2 GB over 8 ranks
  for (const ActionKind kind : {ActionKind::allgather, ActionKind::alltoall, ActionKind::gather, ActionKind::scatter}) {
    MemorySource program(8);
    for (Rank rank = 0; rank < 8; ++rank)
      program.add(rank, {.kind = kind, .peer = 0, .bytes = each, .receive_bytes = each});
    program.finalize();
    const double last = std::ranges::max(smpi_ends(program));
    EXPECT_GE(last, static_cast<double>(each) * byte_time) << trace::name(kind);
    EXPECT_LE(last, 8 * static_cast<double>(each) * byte_time + 1e-3) << trace::name(kind);
  }
}

// Reductions of bytes: SMPI refuses MPI_SUM on them.
TEST(Reduction, of_bytes_or_of_elements_no_type_has_is_replayed) {
  for (const std::uint32_t element : {1U, 3U, 12U}) {
    MemorySource program(2);
    for (const Rank rank : {0, 1})
      program.add(rank, {.kind = ActionKind::allreduce, .bytes = 12, .element_bytes = element});
    program.finalize();
    EXPECT_NEAR(smpi_ends(program)[0], message(12), 1e-12) << element;
  }
}

// Several jobs.

MemorySource ping_pong(Bytes bytes) {
  MemorySource program(2);
  for (const Rank rank : {0, 1}) {
    const Action send{.kind = ActionKind::send, .peer = 1 - rank, .bytes = bytes, .request = request};
    const Action receive{.kind = ActionKind::receive, .peer = 1 - rank, .bytes = bytes, .request = request};
    program.add(rank, rank == 0 ? send : receive);
    program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
    program.add(rank, rank == 0 ? receive : send);
    program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
    program.add(rank, {.kind = ActionKind::barrier});
  }
  program.finalize();
  return program;
}

// Ranks of the second job have process ids above their number: SMPI's text replay takes their waits for nothing.
TEST(Jobs, each_have_their_own_world_and_wait_for_their_own_messages) {
  const MemorySource small = ping_pong(1000);
  const MemorySource large = ping_pong(100'000);
  const Mapping first = placed({0, 1});
  const Mapping second = placed({2, 3});
  const std::array<SmpiJob, 2> jobs{SmpiJob{.source = &small, .mapping = &first},
                                    SmpiJob{.source = &large, .mapping = &second}};
  const std::vector<SmpiResult> together = smpi_replay(jobs, flat());
  ASSERT_EQ(together.size(), 2U);
  EXPECT_EQ(ends(together[0].replay), smpi_ends(small, flat(), first));
  EXPECT_EQ(ends(together[1].replay), smpi_ends(large, flat(), second));
  EXPECT_GE(ends(together[1].replay)[0], 2 * message(100'000) - 1e-12);
}

// The ranks of a communicator are those of its own job's world, whichever job's ranks ran last.
TEST(Jobs, of_other_sizes_have_their_own_communicators) {
  const auto last_two = [](Rank ranks, Bytes bytes) {
    MemorySource program(ranks);
    const CommunicatorId pair = program.add_communicator({ranks - 1, ranks - 2});
    program.add(ranks - 1, {.kind = ActionKind::send, .communicator = pair, .peer = 1, .bytes = bytes});
    program.add(ranks - 2, {.kind = ActionKind::receive, .communicator = pair, .peer = 0, .bytes = bytes});
    for (Rank rank = 0; rank < ranks; ++rank)
      program.add(rank, {.kind = ActionKind::barrier});
    program.finalize();
    return program;
  };
  const MemorySource large = last_two(5, 1000);
  const MemorySource small = last_two(2, 100'000);
  const Mapping first = placed({0, 1, 2, 3, 4});
  const Mapping second = placed({5, 6});
  const std::array<SmpiJob, 2> jobs{SmpiJob{.source = &large, .mapping = &first},
                                    SmpiJob{.source = &small, .mapping = &second}};
  const std::vector<SmpiResult> together = smpi_replay(jobs, flat());
  EXPECT_THAT(ends(together[0].replay),
              testing::Pointwise(testing::DoubleNear(1e-12), smpi_ends(large, flat(), first)));
  EXPECT_THAT(ends(together[1].replay),
              testing::Pointwise(testing::DoubleNear(1e-12), smpi_ends(small, flat(), second)));
  EXPECT_GE(ends(together[1].replay)[0], message(100'000) - 1e-12);
}

TEST(Jobs, that_wait_for_what_never_comes_are_named) {
  const MemorySource good = ping_pong(8);
  MemorySource bad(1);
  bad.add(0, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  bad.finalize();
  const Mapping pair = placed({0, 1});
  const Mapping one = placed({2});
  const std::array<SmpiJob, 2> jobs{SmpiJob{.source = &good, .mapping = &pair},
                                    SmpiJob{.source = &bad, .mapping = &one}};
  try {
    smpi_replay(jobs, flat());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("1 of 3 ranks wait"));
    EXPECT_THAT(error.what(), HasSubstr("job 2, rank 0, action 0: Recv"));
  }
}

// Where the time went.

TEST(Attribution, to_kernels_is_their_computation_and_the_calls_up_to_the_next) {
  MemorySource program(2);
  program.compute(0, 1'000'000, 3);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1000});
  program.compute(1, 100'000, 5);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000});
  program.compute(1, 200'000, 6);
  program.finalize();
  const Result result = smpi_replay(program, flat(), one_per_host(2), {.attribute = AttributeBy::kernels}).replay;
  ASSERT_EQ(result.attribution.parts.size(), 3U);
  EXPECT_EQ(result.attribution.parts[1].rank, 1);
  EXPECT_EQ(result.attribution.parts[1].subject, 5U);
  EXPECT_EQ(result.attribution.parts[1].count, 1U);
  EXPECT_NEAR(result.attribution.parts[1].lanes[0].end, 1e-3 + message(1000), 1e-12);
  EXPECT_NEAR(result.attribution.parts[2].lanes[0].end, 0.2e-3, 1e-12);
}

TEST(Attribution, to_calls_adds_up_to_the_end) {
  const MemorySource program = ping_pong(1000);
  const Result result = smpi_replay(program, flat(), one_per_host(2), {.attribute = AttributeBy::calls}).replay;
  EXPECT_THAT(result.attribution.calls,
              testing::ElementsAre("computation", "Barrier", "Finalize", "Irecv", "Isend", "Wait"));
  double sum = 0;
  for (const AttributedTimes& part : result.attribution.parts)
    if (part.rank == 1) sum += part.lanes[0].end;
  EXPECT_NEAR(sum, result.lanes[0].ranks[1].end, 1e-15);
}

} // namespace
} // namespace timeless::replay
