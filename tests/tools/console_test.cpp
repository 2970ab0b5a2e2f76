#include "tools/console.h"

#include <gtest/gtest.h>

namespace timeless::tools {
namespace {

TEST(ProgressLine, says_what_is_done_how_far_it_is_and_since_when) {
  EXPECT_EQ(progress_line("simulating run.tia", 0.5, 12.3, 80),
            "simulating run.tia [###############...............]  50 %  12 s");
}

TEST(ProgressLine, stays_within_the_terminal_whatever_is_named) {
  const std::string label = "simulating /a/directory/of/some/depth/and/another/one/below/it/a-run-of-a-program.tia";
  for (std::size_t width = 0; width < 200; ++width)
    EXPECT_LE(progress_line(label, 0.999, 1234567, width).size(), width > 0 ? width - 1 : 0) << width;
  EXPECT_EQ(progress_line(label, 0.4, 2, 60), "simulating .../it/a-run-of-a-program.tia [##...]  40 %  2 s");
  EXPECT_EQ(progress_line(label, 0.4, 2, 20), " 40 %  2 s");
}

} // namespace
} // namespace timeless::tools
