#include "analysis/trace/region_source.h"

#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
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

TEST(RegionSource, has_what_lies_in_the_outermost_region_and_completes_its_own_requests) {
  const trace::MemorySource run = three_parts();
  EXPECT_THAT(calls_in(RegionSource(run, 1), 0),
              ElementsAre("compute 2", "Isend", "compute 3", "Waitall 1", "Finalize"));
}

TEST(RegionSource, has_what_lies_in_no_region) {
  const trace::MemorySource run = three_parts();
  EXPECT_THAT(calls_in(RegionSource(run, trace::no_region), 0),
              ElementsAre("compute 1", "Isend", "compute 4", "Finalize"));
}

TEST(RegionSource, finds_the_regions_that_are_entered_from_outside) {
  EXPECT_THAT(outermost_regions(three_parts()), ElementsAre(1));
}

} // namespace
} // namespace timeless::analysis
