#include "replay/simgrid/simgrid_factors.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace timeless::replay {
namespace {

using testing::ElementsAre;

TEST(PiecewiseSetting, gives_a_size_equal_to_a_threshold_to_the_piece_before) {
  const PiecewiseSetting setting = PiecewiseSetting::parse("0:0.5;1420:2;65536:3", "smpi/bw-factor");
  EXPECT_EQ(setting.factor(0), 1) << "no piece begins below 0";
  EXPECT_EQ(setting.factor(1), 0.5);
  EXPECT_EQ(setting.factor(1420), 0.5);
  EXPECT_EQ(setting.factor(1421), 2);
  EXPECT_EQ(setting.factor(65536), 2);
  EXPECT_EQ(setting.factor(65537), 3);
  EXPECT_EQ(setting.factor(1e12), 3);
}

TEST(PiecewiseSetting, is_read_in_any_order_with_any_spacing) {
  const PiecewiseSetting setting = PiecewiseSetting::parse(" 65472:0.94 ; 257:0.33;\n0:0.81;", "smpi/bw-factor");
  EXPECT_EQ(setting.factor(100), 0.81);
  EXPECT_EQ(setting.factor(300), 0.33);
  EXPECT_EQ(setting.factor(1e6), 0.94);
}

TEST(PiecewiseSetting, as_overhead_has_a_fixed_part_and_one_per_byte) {
  const PiecewiseSetting setting = PiecewiseSetting::parse("10:1e-6:2e-9;1000:5e-6:0", "smpi/os");
  EXPECT_DOUBLE_EQ(setting.seconds(4), 1e-6 + 8e-9) << "sizes below the first piece take it";
  EXPECT_DOUBLE_EQ(setting.seconds(1000), 1e-6 + 2e-6);
  EXPECT_DOUBLE_EQ(setting.seconds(1001), 5e-6);
}

TEST(PiecewiseSetting, without_pieces_costs_nothing) {
  const PiecewiseSetting setting;
  EXPECT_EQ(setting.factor(1000), 1);
  EXPECT_EQ(setting.seconds(1000), 0);
}

TEST(PiecewiseSetting, that_is_no_list_of_numbers_is_an_error) {
  for (const char* text : {"a:1", "1:b", "1", "1:", "0:1;2", "0:nan", "1:2 3"})
    EXPECT_THROW(PiecewiseSetting::parse(text, "smpi/bw-factor"), Error) << text;
}

TEST(SegmentThresholds, are_those_of_both_factors_less_the_envelope) {
  SmpiSettings settings;
  settings.bandwidth_factor = PiecewiseSetting::parse("0:1;1420:2;65536:3", "smpi/bw-factor");
  settings.latency_factor = PiecewiseSetting::parse("0:1;16:2;1420:3;327680:4", "smpi/lat-factor");
  EXPECT_THAT(segment_thresholds(settings), ElementsAre(0, 1404, 65520, 327664));
}

} // namespace
} // namespace timeless::replay
