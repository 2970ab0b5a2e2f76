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

TEST(PiecewiseSetting, as_a_table_by_size_says_the_same_to_the_last_bit) {
  for (const char* text : {"0:1e-6:1e-10", "10:1e-6:2e-9;1000:5e-6:0", "0:1:2;0:3:4;7:5:6;7:8:9", "-5:1:1;-2:2:2;3:3:3",
                           "100:1;1e300:2", "18446744073709551615:1:1;1e19:2:2", ""}) {
    const PiecewiseSetting setting = PiecewiseSetting::parse(text, "smpi/os");
    const SecondsBySize whole = by_size(setting);
    const SecondsBySize small = by_size(setting, trace::Bytes{1000});
    for (const trace::Bytes bytes : {0, 1, 2, 3, 4, 6, 7, 8, 10, 11, 99, 100, 101, 999, 1000, 1001, 70000, 1 << 30}) {
      EXPECT_EQ(whole(bytes), setting.seconds(static_cast<double>(bytes))) << text << ", " << bytes;
      EXPECT_EQ(small(bytes), bytes < 1000 ? setting.seconds(static_cast<double>(bytes)) : 0) << text << ", " << bytes;
      EXPECT_EQ(by_size(setting, trace::Bytes{0})(bytes), 0);
    }
  }
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
