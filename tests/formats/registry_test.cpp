#include "base/error.h"
#include "trace/formats/common/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace timeless::trace::formats {
namespace {

using testing::HasSubstr;

TEST(Registry, names_every_format_once_and_says_what_it_is) {
  std::set<std::string_view> names;
  for (const Format& format : formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    EXPECT_FALSE(format.description.empty()) << format.name;
    EXPECT_TRUE(format.open != nullptr || format.write != nullptr) << format.name;
  }
}

TEST(Registry, a_format_that_is_not_there_is_refused_with_those_that_are) {
  try {
    readable_format("vcr");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::usage);
    EXPECT_THAT(error.advice(), HasSubstr("ti"));
  }
}

} // namespace
} // namespace timeless::trace::formats
