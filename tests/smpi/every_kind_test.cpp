// Every kind of call is replayed, or refused by name.
#include "tests/smpi/flat.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

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

// Two ranks that make one call of a kind, with what belongs to it.

const std::array<Bytes, 2> two_parts{1000, 1000};

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
  action.counts = two_parts;
  action.receive_counts = two_parts;
  switch (kind) {
  case ActionKind::neighbor_allgather:
  case ActionKind::neighbor_allgatherv:
  case ActionKind::neighbor_alltoall:
  case ActionKind::neighbor_alltoallv:
  case ActionKind::neighbor_alltoallw:
    action.peer = trace::no_rank;
    action.tag = 2;
    action.ranks = rank == 0 ? ring_of_0 : ring_of_1;
    action.counts = std::span(two_parts).first(1);
    action.receive_counts = std::span(two_parts).first(1);
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

/// Returns a program with one call of this kind.
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
    scene.both({.kind = kind,
                .peer = kind == ActionKind::region_begin || kind == ActionKind::region_end ? trace::no_rank : 0,
                .region = 0});
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

} // namespace
} // namespace timeless::replay
