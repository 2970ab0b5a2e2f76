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

TEST(InOneLine, letters_of_UTF_8_stay) {
  const std::string letters = "\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80 \u0627\u05d0\u0915\u094d\u4e2d\u2764\ufe0f";
  EXPECT_EQ(escaped(letters), letters);
}

// A terminal that does not speak UTF-8 obeys 0x9b.
TEST(InOneLine, bytes_that_are_no_UTF_8_are_written_as_in_C) {
  EXPECT_EQ(escaped("lat\xe9n \xc2"), "lat\\xe9n \\xc2");
  EXPECT_EQ(escaped("\x9b"
                    "2J \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80"),
            "\\x9b2J \\xc0\\x80 \\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80");
}

// U+009B begins a terminal's commands as ESC [ does.
TEST(InOneLine, control_characters_of_two_bytes_are_written_by_their_numbers) {
  EXPECT_EQ(escaped("\xc2\x9b"
                    "2J\xc2\x80\xc2\xa0"),
            "\\u009b2J\\u0080\xc2\xa0");
}

TEST(InOneLine, marks_of_direction_and_what_nobody_sees_are_written_by_their_numbers) {
  EXPECT_EQ(escaped("cheap\u202eevil\u2066\u2069"), "cheap\\u202eevil\\u2066\\u2069");
  EXPECT_EQ(escaped("\ufeffa\u200bb\u200d\u200f\u00ad\u2060\u2028"),
            "\\ufeffa\\u200bb\\u200d\\u200f\\u00ad\\u2060\\u2028");
  EXPECT_EQ(escaped("\u061c\u3164\U000e0041"), "\\u061c\\u3164\\U000e0041");
}

TEST(InOneLine, json_says_the_same_in_its_own_escapes) {
  EXPECT_EQ(escaped_json("{\"a\":\"\u202e\x7f\u009b\U000e0041\u20ac\"}"),
            "{\"a\":\"\\u202e\\u007f\\u009b\\udb40\\udc41\u20ac\"}");
}

TEST(Quoted, is_short_and_in_one_line) {
  EXPECT_EQ(in_quotes("two\nlines"), "'two\\nlines'");
  EXPECT_EQ(in_quotes(std::string(61, 'a')), "'" + std::string(60, 'a') + "...'");
  EXPECT_EQ(in_quotes(std::string(59, 'a') + "\u20ac"), "'" + std::string(59, 'a') + "...'");
}

TEST(Error, names_its_place_in_one_line) {
  const Error error(Failure::runtime, "cannot be read", "two\nlines", "name another");
  EXPECT_STREQ(error.what(), "cannot be read (two\\nlines): name another");
  EXPECT_EQ(error.where(), "two\nlines");
}

} // namespace
} // namespace timeless::trace
