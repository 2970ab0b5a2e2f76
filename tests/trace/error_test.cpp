#include "base/error.h"

#include <gtest/gtest.h>

#include <string>

namespace timeless {
namespace {

TEST(Error, tells_all_of_it_also_behind_a_zero_byte) {
  const Error error(Failure::invalid_input, std::string("no name: 'a\0b'", 14), "file:1", "write text");
  EXPECT_STREQ(error.what(), "no name: 'a\\0b' (file:1): write text");
}

} // namespace
} // namespace timeless
