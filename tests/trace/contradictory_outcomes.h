#pragma once

#include "trace/model/memory_source.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace timeless::trace::test {

/// A program of two ranks, of which rank 1 cancels or resolves what it must not.
struct ContradictoryOutcome {
  std::string name;
  MemorySource program;
  std::uint64_t action; ///< of rank 1: the wrong one
};

/// Returns one of each sort. Readers that heed request outcomes must end with Error(invalid_input) naming rank 1 and
/// the action; until that one nothing is wrong with the programs.
inline std::vector<ContradictoryOutcome> contradictory_outcomes() {
  static constexpr RequestId id = 0;
  const Action known{.kind = ActionKind::receive, .peer = 0, .tag = 3, .bytes = 8, .request = id};
  const Action unknown{.kind = ActionKind::receive, .peer = any_rank, .tag = 3, .bytes = 8, .request = id};
  const Action send{.kind = ActionKind::send, .peer = 0, .tag = 4, .bytes = 8, .request = id};
  const Action resolved{.kind = ActionKind::resolved, .peer = 0, .tag = 3, .bytes = 8, .request = id};
  const Action cancelled{.kind = ActionKind::cancelled, .request = id};
  const Action freed{.kind = ActionKind::request_free, .request = id};
  const Action wait{.kind = ActionKind::wait, .requests = {&id, 1}};

  std::vector<ContradictoryOutcome> all;
  const auto add = [&](const char* name, const std::vector<Action>& actions) {
    MemorySource program(2);
    program.add_communicator({1, 0});
    program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 3, .bytes = 8});
    program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 4, .bytes = 8});
    for (const Action& action : actions)
      program.add(1, action);
    program.finalize();
    all.push_back({name, std::move(program), actions.size() - 1});
  };
  add("cancelled and never begun", {cancelled});
  add("cancelled after its completion", {send, wait, cancelled});
  add("cancelled after it was freed", {send, freed, cancelled});
  add("a collective cancelled", {{.kind = ActionKind::barrier, .request = id}, cancelled});
  add("the making of a communicator cancelled",
      {{.kind = ActionKind::comm_dup, .request = id, .new_communicator = 1}, cancelled});
  add("resolved and never begun", {resolved});
  add("resolved after its completion", {unknown, resolved, wait, resolved});
  add("resolved after it was freed", {unknown, freed, resolved});
  add("resolved twice", {unknown, resolved, resolved});
  add("resolved after it was cancelled", {unknown, cancelled, resolved});
  add("a send resolved", {send, resolved});
  add("a receive resolved that lacks nothing", {known, resolved});
  add("a receive from nobody resolved", {{.kind = ActionKind::receive, .tag = any_tag, .request = id}, resolved});
  add("the earlier of two receives resolved again", {unknown, resolved, wait, known, resolved});
  const auto add_resolved = [&](const char* name, CommunicatorId communicator, Rank peer, Tag tag) {
    Action wrong = resolved;
    wrong.communicator = communicator;
    wrong.peer = peer;
    wrong.tag = tag;
    add(name, {unknown, wrong, wait});
    all.back().action = 1;
  };
  add_resolved("resolved in another communicator", 1, 1, 3);
  add_resolved("resolved by any source", world_communicator, any_rank, 3);
  add_resolved("resolved by nobody", world_communicator, no_rank, 3);
  add_resolved("resolved by any tag", world_communicator, 0, any_tag);
  return all;
}

/// Returns how an error names the place.
inline std::string place(const ContradictoryOutcome& wrong) {
  return "rank 1, action " + std::to_string(wrong.action);
}

} // namespace timeless::trace::test
