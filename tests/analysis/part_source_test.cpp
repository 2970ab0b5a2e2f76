#include "analysis/trace/function_parts.h"
#include "analysis/trace/part_source.h"
#include "analysis/trace/phase_parts.h"

#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace timeless::analysis {
namespace {

using testing::ElementsAre;
using trace::Action;
using trace::ActionKind;

/// Returns the calls of a rank by name, computations with their volume.
std::vector<std::string> calls_in(const trace::Source& source, trace::Rank rank) {
  std::vector<std::string> names;
  const auto stream = source.open(rank);
  trace::ActionBlock block;
  while (stream->next(block))
    for_each_action(block, [&](const Action& action, std::uint64_t volume) {
      std::string name = trace::mpi_name(action);
      if (has_volume(action.kind)) name += " " + std::to_string(volume);
      if (trace::traits(action.kind).requests == trace::RequestUse::completes)
        for (const trace::RequestId request : action.requests)
          name += " " + std::to_string(request);
      names.push_back(name);
    });
  return names;
}

/// A rank that computes and sends outside, inside, and within a region in it.
trace::MemorySource three_parts() {
  trace::MemorySource run(1, 2); // two actions a block
  run.description().regions = {"inner", "outer"};
  const auto mark = [&](ActionKind kind, trace::RegionId region) { run.add(0, {.kind = kind, .region = region}); };
  run.compute(0, 1);
  run.add(0, {.kind = ActionKind::send, .peer = 0, .bytes = 1, .request = 0});
  mark(ActionKind::region_begin, 1);
  run.compute(0, 2);
  run.add(0, {.kind = ActionKind::send, .peer = 0, .bytes = 1, .request = 1});
  mark(ActionKind::region_begin, 0);
  run.compute(0, 3);
  const trace::RequestId both[] = {0, 1};
  run.add(0, {.kind = ActionKind::wait_all, .requests = both});
  mark(ActionKind::region_end, 0);
  mark(ActionKind::region_end, 1);
  run.compute(0, 4);
  run.finalize();
  return run;
}

TEST(PartSource, has_what_lies_in_the_outermost_region_and_completes_its_own_requests) {
  const trace::MemorySource run = three_parts();
  EXPECT_THAT(calls_in(PartSource(run, by_region, 1), 0),
              ElementsAre("compute 2", "Isend", "compute 3", "Waitall 1", "Finalize"));
}

TEST(PartSource, has_what_lies_in_no_region) {
  const trace::MemorySource run = three_parts();
  EXPECT_THAT(calls_in(PartSource(run, by_region, trace::no_region), 0),
              ElementsAre("compute 1", "Isend", "compute 4", "Finalize"));
}

TEST(PartSource, finds_the_regions_that_are_entered_from_outside) {
  EXPECT_THAT(outermost_regions(three_parts()), ElementsAre(1));
}

/// Two ranks that make collectives; only rank 1 computes in between.
class ByPhase : public testing::Test {
protected:
  void collectives(int count, trace::CommunicatorId communicator = 0) {
    for (int i = 0; i < count; ++i) {
      run.compute(1, ++made);
      for (trace::Rank rank = 0; rank < 2; ++rank)
        run.add(rank, {.kind = ActionKind::barrier, .communicator = communicator});
    }
  }
  static std::vector<std::pair<std::uint64_t, std::uint64_t>> ends(const PhaseParts& parts) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const Phase& phase : parts.phases)
      all.emplace_back(phase.first, phase.last);
    return all;
  }

  trace::MemorySource run = trace::MemorySource(2);
  std::uint64_t made = 0;
};

TEST_F(ByPhase, are_as_long_as_collectives_allow) {
  collectives(7);
  run.finalize();
  EXPECT_THAT(ends(phase_parts(run, 4)),
              ElementsAre(std::pair(1, 2), std::pair(3, 4), std::pair(5, 6), std::pair(7, 7)));
  EXPECT_THAT(ends(phase_parts(run, 1)), ElementsAre(std::pair(1, 7)));
}

TEST_F(ByPhase, end_where_what_has_no_collectives_begins_and_ends) {
  collectives(1);
  for (int i = 0; i < 50; ++i)
    for (trace::Rank rank = 0; rank < 2; ++rank)
      run.add(
          rank,
          {.kind = ActionKind::exchange, .peer = 1 - rank, .bytes = 8, .receive_peer = 1 - rank, .receive_bytes = 8});
  collectives(3);
  run.finalize();
  EXPECT_THAT(ends(phase_parts(run, 8)), ElementsAre(std::pair(1, 1), std::pair(2, 2), std::pair(3, 4)));
}

TEST_F(ByPhase, have_what_every_rank_does_up_to_the_collective) {
  collectives(2);
  run.compute(1, 9);
  run.finalize();
  const PhaseParts parts = phase_parts(run, 2);
  EXPECT_THAT(calls_in(PartSource(run, parts.division, 0), 1), ElementsAre("compute 1", "Barrier", "Finalize"));
  EXPECT_THAT(calls_in(PartSource(run, parts.division, 1), 1),
              ElementsAre("compute 2", "Barrier", "compute 9", "Finalize"));
}

TEST_F(ByPhase, do_not_end_at_collectives_of_some_ranks_or_ones_that_do_not_wait) {
  run.description().communicators.push_back({.members = {0}, .identity = 7});
  for (int i = 0; i < 3; ++i) {
    run.add(0, {.kind = ActionKind::barrier, .communicator = 1});
    for (trace::Rank rank = 0; rank < 2; ++rank)
      run.add(rank, {.kind = ActionKind::barrier, .request = 0});
  }
  run.finalize();
  EXPECT_THAT(ends(phase_parts(run, 4)), ElementsAre());
}

/// Two ranks: each kernel ends in the call of the function of its number.
class ByFunction : public testing::Test {
protected:
  ByFunction() : run(2) {
    for (std::uint64_t kernel = 0; kernel < 4; ++kernel)
      run.add_kernel({.begin = {0, 0}, .end = {0, kernel}});
  }
  void call(trace::Rank rank, trace::KernelId function, const Action& action) {
    run.compute(rank, 10 + function, function);
    run.add(rank, action);
  }
  FunctionParts parts() {
    run.finalize();
    return function_parts(run, std::vector<std::uint32_t>{0, 1, 2, 3});
  }

  trace::MemorySource run;
};

TEST_F(ByFunction, are_apart_where_they_share_nothing) {
  for (trace::Rank rank = 0; rank < 2; ++rank) {
    call(rank, 1, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    call(rank, 2, {.kind = ActionKind::barrier});
  }
  const FunctionParts found = parts();
  EXPECT_THAT(found.functions, ElementsAre(ElementsAre(1), ElementsAre(2)));
  EXPECT_THAT(calls_in(PartSource(run, found.division, 0), 1), ElementsAre("compute 11", "Allreduce", "Finalize"));
  EXPECT_THAT(calls_in(PartSource(run, found.division, 1), 0), ElementsAre("compute 12", "Barrier", "Finalize"));
}

TEST_F(ByFunction, are_together_that_send_and_receive_with_one_tag) {
  call(0, 1, {.kind = ActionKind::send, .peer = 1, .tag = 5, .bytes = 8});
  call(1, 2, {.kind = ActionKind::receive, .peer = 0, .tag = 5, .bytes = 8});
  call(0, 3, {.kind = ActionKind::send, .peer = 1, .tag = 6, .bytes = 8});
  call(1, 3, {.kind = ActionKind::receive, .peer = 0, .tag = 6, .bytes = 8});
  EXPECT_THAT(parts().functions, ElementsAre(ElementsAre(1, 2), ElementsAre(3)));
}

TEST_F(ByFunction, are_together_where_one_receives_any_tag) {
  call(0, 1, {.kind = ActionKind::send, .peer = 1, .tag = 5, .bytes = 8});
  call(0, 2, {.kind = ActionKind::send, .peer = 1, .tag = 6, .bytes = 8});
  const Action any{.kind = ActionKind::receive, .peer = trace::any_rank, .tag = trace::any_tag, .request = 0};
  call(1, 3, any);
  EXPECT_THAT(parts().functions, ElementsAre(ElementsAre(1, 2, 3)));
}

TEST_F(ByFunction, are_together_that_begin_and_complete_a_request) {
  const trace::RequestId requests[] = {0};
  for (trace::Rank rank = 0; rank < 2; ++rank) {
    call(rank, 1, {.kind = ActionKind::barrier, .request = 0});
    call(rank, 3, {.kind = ActionKind::wait, .requests = requests});
    call(rank, 2, {.kind = ActionKind::barrier});
  }
  EXPECT_THAT(parts().functions, ElementsAre(ElementsAre(1, 3), ElementsAre(2)));
}

TEST_F(ByFunction, are_together_that_make_one_collective_call_on_different_ranks) {
  call(0, 1, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  call(1, 3, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  for (trace::Rank rank = 0; rank < 2; ++rank)
    call(rank, 2, {.kind = ActionKind::barrier});
  EXPECT_THAT(parts().functions, ElementsAre(ElementsAre(1, 3), ElementsAre(2)));
}

TEST_F(ByFunction, take_calls_without_a_computation_before_them_to_the_one_before) {
  for (trace::Rank rank = 0; rank < 2; ++rank) {
    call(rank, 1, {.kind = ActionKind::barrier});
    run.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    call(rank, 2, {.kind = ActionKind::barrier});
  }
  const FunctionParts found = parts();
  EXPECT_THAT(calls_in(PartSource(run, found.division, 0), 0),
              ElementsAre("compute 11", "Barrier", "Allreduce", "Finalize"));
}

} // namespace
} // namespace timeless::analysis
