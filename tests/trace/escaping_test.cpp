#include "base/error.h"
#include "base/escaping.h"

#include <gtest/gtest.h>

#include <string>

namespace timeless::trace {
namespace {

TEST(InOneLine, control_characters_are_written_as_in_C) {
  EXPECT_EQ(escaped("a\nb\tc\rd\x1b[2J\x7f\x01"), "a\\nb\\tc\\rd\\x1b[2J\\x7f\\x01");
  EXPECT_EQ(escaped(std::string(1, '\0')), "\\x00");
}

TEST(InOneLine, letters_of_UTF_8_and_bytes_that_are_none_stay) {
  EXPECT_EQ(escaped("\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80"), "\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(escaped("lat\xe9n \xc2"), "lat\xe9n \xc2");
}

// U+009B begins a terminal's commands as ESC [ does.
TEST(InOneLine, control_characters_of_two_bytes_are_written_as_in_C) {
  EXPECT_EQ(escaped("\xc2\x9b"
                    "2J\xc2\x80\xc2\xa0"),
            "\\xc2\\x9b2J\\xc2\\x80\xc2\xa0");
}

TEST(Quoted, is_short_and_in_one_line) {
  EXPECT_EQ(in_quotes("two\nlines"), "'two\\nlines'");
  EXPECT_EQ(in_quotes(std::string(61, 'a')), "'" + std::string(60, 'a') + "...'");
}

TEST(Error, names_its_place_in_one_line) {
  const Error error(Failure::runtime, "cannot be read", "two\nlines", "name another");
  EXPECT_STREQ(error.what(), "cannot be read (two\\nlines): name another");
  EXPECT_EQ(error.where(), "two\nlines");
}

} // namespace
} // namespace timeless::trace
