#include "recorded.h"

#include <gmock/gmock.h>

#include <numeric>

namespace timeless::test {

namespace {

using trace::ActionKind;

trace::Bytes total(const std::vector<RecordedRank>& trace, ActionKind kind) {
  trace::Bytes bytes = 0;
  for (const RecordedRank& rank : trace)
    for (const Kept& kept : rank.of_kind(kind))
      bytes += kept.action.bytes;
  return bytes;
}

TEST(Wavefront, prints_the_same_for_any_number_of_ranks_traced_or_not) {
  const Outcome alone = run_plain({.program = "wavefront", .arguments = "12 2"});
  EXPECT_THAT(alone.output, testing::EndsWith("verification: passed\n"));
  for (const int ranks : {1, 4, 6}) {
    const TemporaryDirectory directory;
    const Outcome traced = run_traced({.ranks = ranks, .program = "wavefront", .arguments = "12 2"}, directory / "t");
    EXPECT_EQ(traced.status, 0) << traced.errors;
    EXPECT_EQ(traced.output, alone.output) << ranks << " ranks";
  }
}

TEST(Wavefront, passes_once_rounding_keeps_its_error_from_shrinking) {
  const Outcome converged = run_plain({.ranks = 2, .program = "wavefront", .arguments = "8 200"});
  EXPECT_EQ(converged.status, 0);
  EXPECT_THAT(converged.output, testing::EndsWith("verification: passed\n"));
}

TEST(Wavefront, sends_what_it_receives_and_nothing_over_the_border) {
  const TemporaryDirectory directory;
  run_traced({.ranks = 4, .program = "wavefront", .arguments = "12 2"}, directory / "t");
  const auto trace = read_recording(directory / "t");
  ASSERT_EQ(trace.size(), 4U);
  // 2 x 2 columns of 6 x 6 cells, 12 planes: a sweep crosses each of the 4 inner borders once a plane, there and back;
  // faces cross both ways. Five unknowns of 8 bytes a cell of the edge.
  const trace::Bytes iterations = 2;
  const trace::Bytes edge = 6 * 5 * 8;
  const trace::Bytes expected = iterations * 4 * 12 * edge * (2 + 2);
  EXPECT_EQ(total(trace, ActionKind::send), expected);
  EXPECT_EQ(total(trace, ActionKind::receive), expected);
  for (const RecordedRank& rank : trace)
    EXPECT_EQ(rank.of_kind(ActionKind::wait_all).size(), iterations);
}

} // namespace

} // namespace timeless::test
