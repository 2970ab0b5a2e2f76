// Files of earlier versions, in tests/trace/fixtures, as the commands read them.
#include "tests/temporary_directory.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;

std::string fixture(const std::string& name) {
  return (std::filesystem::path(TIMELESS_FIXTURES) / name).string();
}

struct Fixture {
  const char* trace;
  const char* text;
  bool times;
};

void PrintTo(const Fixture& fixture, std::ostream* out) {
  *out << fixture.trace;
}

void expect_text(const std::string& trace, const Fixture& expected) {
  std::vector<std::string> command{"dump", trace};
  if (expected.times) command.emplace_back("--times");
  const Outcome dumped = timeless_command(command);
  EXPECT_EQ(dumped.status, 0) << dumped.err;
  const std::string text = trace::test::file_bytes(fixture(expected.text));
  ASSERT_FALSE(text.empty());
  // Not EXPECT_EQ: it would print all of both.
  const auto differs = std::ranges::mismatch(dumped.out, text);
  EXPECT_TRUE(dumped.out == text) << "from byte " << differs.in1 - dumped.out.begin() << " on: "
                                  << dumped.out.substr(static_cast<std::size_t>(differs.in1 - dumped.out.begin()), 80);
}

class YesterdaysFile : public testing::TestWithParam<Fixture> {};

TEST_P(YesterdaysFile, reads_to_the_same_text) {
  expect_text(fixture(GetParam().trace), GetParam());
}

TEST_P(YesterdaysFile, converts_to_an_archive_that_reads_to_the_same_text) {
  const trace::test::TemporaryDirectory directory;
  const std::string converted = directory / "today.tia";
  const Outcome outcome = timeless_command({"convert", fixture(GetParam().trace), "-o", converted});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  expect_text(converted, GetParam());
}

constexpr Fixture fixtures[] = {
    {"v2-calls.tia", "v2-calls.txt", false},        {"v2-further-calls.tia", "v2-further-calls.txt", false},
    {"v2-windows.tia", "v2-windows.txt", true},     {"v2-windows", "v2-windows.txt", true},
    {"v2-wavefront.tia", "v2-wavefront.txt", true}, {"v2-regions.tia", "v2-regions.txt", true},
};
INSTANTIATE_TEST_SUITE_P(Fixtures, YesterdaysFile, testing::ValuesIn(fixtures));

class YesterdaysRankFiles : public testing::TestWithParam<Fixture> {};

TEST_P(YesterdaysRankFiles, are_gathered_to_an_archive_of_the_same_text) {
  const timeless::test::TemporaryDirectory directory;
  const std::string archive = directory / "run.tia";
  const Outcome gathered = timeless_command({"gather", fixture(GetParam().trace), "-o", archive});
  EXPECT_EQ(gathered.status, 0) << gathered.err;
  expect_text(archive, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Fixtures, YesterdaysRankFiles, testing::Values(fixtures[3]));

TEST(YesterdaysDefinitions, say_the_same_of_the_run) {
  const json calls = json::parse(timeless_command({"info", "--json", fixture("v2-calls.tia")}).out);
  EXPECT_EQ(calls.at("ranks"), 4);
  EXPECT_EQ(calls.at("complete"), true);
  EXPECT_EQ(calls.at("actions"), 1786);
  EXPECT_EQ(calls.at("communicators").size(), 28U);
  EXPECT_THAT(timeless_command({"info", fixture("v2-calls.tia")}).out, testing::ContainsRegex("kernels +224\n"));
  EXPECT_EQ(calls.at("counter").at("name"), "icount");
  EXPECT_EQ(calls.at("provenance").at("program"), "/opt/fixtures/calls_c");
}

} // namespace
} // namespace timeless::tools
