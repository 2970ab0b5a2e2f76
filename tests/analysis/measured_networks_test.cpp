// Segments of networks that others have measured: breaks lie where their protocols change.
#include "analysis/statistics/segments.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace timeless::analysis {
namespace {

using testing::SizeIs;

std::vector<Point> measured_by_others(const std::string& name) {
  std::ifstream file(TIMELESS_MEASURED_NETWORKS + ("/" + name) + ".txt");
  std::vector<Point> points;
  for (Point point; file >> point.x >> point.y;)
    points.push_back(point);
  return points;
}

/// Whether a segment begins there: after `above`, at `up_to` or before.
bool breaks_between(const SegmentedLine& fit, double above, double up_to) {
  return std::ranges::any_of(fit.segments, [&](const LineSegment& segment) {
    return segment.from > above && segment.from <= up_to && segment.from > fit.segments.front().from;
  });
}

TEST(MeasuredNetwork, has_the_breaks_of_its_protocols_in_three_segments_over_omni_path) {
  const std::vector<Point> points = measured_by_others("pingpong_remote");
  ASSERT_THAT(points, SizeIs(835));
  const SegmentedLine fit = segmented_line(points, {.most_segments = 3});
  ASSERT_THAT(fit.segments, SizeIs(3));
  EXPECT_TRUE(breaks_between(fit, 61596, 64874)) << fit.segments[1].from << ", the eager limit is 64000";
  EXPECT_TRUE(breaks_between(fit, 35.6e6, 37.6e6)) << fit.segments[2].from;
  EXPECT_LT(fit.rms, 0.09);
}

TEST(MeasuredNetwork, is_within_three_per_cent_by_seven_segments_over_omni_path) {
  const SegmentedLine fit = segmented_line(measured_by_others("pingpong_remote"));
  ASSERT_GE(fit.rms_by_segments.size(), 7U);
  EXPECT_LT(fit.rms_by_segments[6], 0.03);
  EXPECT_TRUE(breaks_between(fit, 35.6e6, 37.6e6));
}

TEST(MeasuredNetwork, takes_eight_times_as_long_a_byte_up_to_sixteen_kibibytes_as_above_within_a_node) {
  const std::vector<Point> points = measured_by_others("pingpong_loopback");
  ASSERT_THAT(points, SizeIs(835));
  const SegmentedLine fit = segmented_line(points, {.most_segments = 3});
  ASSERT_THAT(fit.segments, SizeIs(3));
  EXPECT_TRUE(breaks_between(fit, 15798, 16477)) << fit.segments[1].from;
  EXPECT_NEAR(fit.segments[0].line.slope / fit.segments[1].line.slope, 8, 0.5);
  EXPECT_LT(fit.rms, 0.13);
  const SegmentedLine finer = segmented_line(points);
  EXPECT_TRUE(breaks_between(finer, 15798, 16477));
  EXPECT_TRUE(breaks_between(finer, 1.0e6, 1.5e6));
  ASSERT_GE(finer.rms_by_segments.size(), 7U);
  EXPECT_LT(finer.rms_by_segments[6], 0.05);
}

TEST(MeasuredNetwork, has_the_same_break_within_a_node_where_messages_go_round_a_ring) {
  const std::vector<Point> points = measured_by_others("ringrong_loopback");
  ASSERT_THAT(points, SizeIs(94));
  for (const std::size_t most : {std::size_t{3}, std::size_t{16}})
    EXPECT_TRUE(breaks_between(segmented_line(points, {.most_segments = most}), 15811, 20309)) << most;
}

// 8133 bytes: where MPI_Send changes on that network, too, as SimGrid's tutorial on calibration says.
TEST(MeasuredNetwork, has_a_break_near_eight_kilobytes_over_omni_path_where_messages_go_round_a_ring) {
  const std::vector<Point> points = measured_by_others("ringrong_remote");
  ASSERT_THAT(points, SizeIs(94));
  for (const std::size_t most : {std::size_t{3}, std::size_t{16}}) {
    const SegmentedLine fit = segmented_line(points, {.most_segments = most});
    EXPECT_TRUE(breaks_between(fit, 7749, 9129)) << most;
    EXPECT_LT(fit.segments.front().rms, 0.05) << most;
  }
}

} // namespace
} // namespace timeless::analysis
