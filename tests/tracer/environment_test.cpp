#include "recorded.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <future>
#include <sstream>
#include <string>
#include <vector>

/// Every variable with nonsense: one clear line, and the program runs as ever or stops with the documented code.
namespace timeless::test {

namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A setting, and what becomes of the job: 0 when it runs all the same.
struct Setting {
  std::string variable;
  std::string value;
  int status = 0;
  std::string said = {}; ///< in the line, beside the variable's name
};

std::string in_quotes(const std::string& value) {
  std::string text = "'";
  for (const char letter : value)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

std::vector<std::string> lines_of_timeless(const std::string& errors) {
  std::vector<std::string> lines;
  std::istringstream text(errors);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("timeless: ")) lines.push_back(line);
  return lines;
}

/// Whatever else is set there, in a directory of its own.
void expect_as_documented(const Setting& setting) {
  const TemporaryDirectory directory;
  const std::string named = setting.variable + "=" + (setting.value.size() > 100 ? "..." : setting.value);
  SCOPED_TRACE(named);
  const Job job{.ranks = 2,
                .program = "/usr/bin/env",
                .arguments = "-C " + directory.path().string() + " " + setting.variable + "=" +
                             in_quotes(setting.value) + " " + tested_program("cases") + " chatter"};
  const Outcome outcome = run_traced(job, directory / "trace");
  const std::vector<std::string> lines = lines_of_timeless(outcome.errors);
  EXPECT_EQ(outcome.status, setting.status) << outcome.errors;
  ASSERT_EQ(lines.size(), 1U) << outcome.errors;
  if (setting.status == 0) {
    EXPECT_EQ(outcome.output, "chattered\n");
    EXPECT_THAT(lines[0], testing::AnyOf(StartsWith("timeless: recorded 2 ranks, 1,001 actions"),
                                         StartsWith("timeless: NOT recorded, the program goes on: ")));
  } else {
    EXPECT_EQ(outcome.output, "");
    EXPECT_THAT(lines[0], HasSubstr(setting.variable));
  }
  EXPECT_THAT(lines[0], HasSubstr(setting.said));
  EXPECT_LT(lines[0].size(), 600U) << "no line for a person";
}

void expect_as_documented(const std::vector<Setting>& settings) {
  std::vector<std::future<void>> running;
  for (const Setting& setting : settings)
    running.push_back(std::async(std::launch::async, [&setting] { expect_as_documented(setting); }));
}

const std::string huge = "99999999999999999999999999";
const std::string long_text(20000, 'x');
const std::string binary = "\x01\xff\xfe;%n%s\x7f";

TEST(Environment, a_directory_that_cannot_be_is_one_line_and_the_program_goes_on) {
  const std::string unrecorded = "NOT recorded, the program goes on: ";
  expect_as_documented({{"TIMELESS_DIR", "/dev/null/trace", 0, unrecorded},
                        {"TIMELESS_DIR", "/dev/null", 0, unrecorded},
                        {"TIMELESS_DIR", "/proc/1/trace", 0, unrecorded},
                        {"TIMELESS_DIR", long_text, 0, unrecorded}});
}

TEST(Environment, an_odd_directory_is_a_directory) {
  expect_as_documented({{"TIMELESS_DIR", "", 0, "timeless-trace"},
                        {"TIMELESS_DIR", binary},
                        {"TIMELESS_DIR", "-1"},
                        {"TIMELESS_DIR", "two\nlines", 0, "two\\nlines; next"},
                        {"TIMELESS_DIR", "a b/../c'd"}});
}

TEST(Environment, a_counter_that_is_none_is_one_line_and_status_2) {
  expect_as_documented({{"TIMELESS_COUNTER", "stopwatch", 2, "icount"},
                        {"TIMELESS_COUNTER", "-1", 2, "icount"},
                        {"TIMELESS_COUNTER", binary, 2, "icount"},
                        {"TIMELESS_COUNTER", long_text, 2, "icount"},
                        {"TIMELESS_COUNTER", "none:x", 2, "icount"},
                        {"TIMELESS_COUNTER", "papi:", 2, "icount"},
                        {"TIMELESS_COUNTER", " none", 2, "icount"}});
}

TEST(Environment, a_counter_that_cannot_count_here_is_one_line_and_status_5) {
  expect_as_documented({{"TIMELESS_COUNTER", "papi:NO_SUCH_EVENT", 5, "NO_SUCH_EVENT"},
                        {"TIMELESS_COUNTER", "papi:" + binary, 5},
                        {"TIMELESS_COUNTER", "papi:" + long_text, 5}});
}

TEST(Environment, a_number_that_is_none_is_one_line_and_status_2) {
  std::vector<Setting> settings;
  for (const std::string& value : {huge, std::string("0"), std::string("-5"), std::string("4096x"), std::string(" 64"),
                                   std::string("1e3"), binary, long_text})
    settings.push_back({"TIMELESS_BUFFER_SIZE", value, 2, "give one between"});
  for (const std::string& value : {huge, std::string("0"), binary})
    settings.push_back({"TIMELESS_STACK", value, 2, "give one between"});
  for (const std::string& value : {huge, std::string("0"), binary})
    settings.push_back({"TIMELESS_RUN", value, 2, "give one between"});
  expect_as_documented(settings);
}

TEST(Environment, a_start_that_is_none_is_one_line_and_status_2) {
  expect_as_documented({{"TIMELESS_START", "off", 2, "pcontrol"},
                        {"TIMELESS_START", huge, 2, "pcontrol"},
                        {"TIMELESS_START", binary, 2, "pcontrol"},
                        {"TIMELESS_START", long_text, 2, "pcontrol"}});
}

TEST(Environment, a_profile_that_is_none_is_one_line) {
  expect_as_documented({{"TIMELESS_PROFILE", ",,,", 2, "no event"},
                        {"TIMELESS_PROFILE", "two\nlines", 2, "'two\\nlines'"},
                        {"TIMELESS_PROFILE", binary, 5, "cannot be counted"},
                        {"TIMELESS_PROFILE", long_text, 5, "cannot be counted"}});
}

TEST(Environment, timestamps_that_are_neither_on_nor_off_are_one_line_and_status_2) {
  expect_as_documented({{"TIMELESS_TIMESTAMPS", "yes", 2, "say 1 or 0"},
                        {"TIMELESS_TIMESTAMPS", huge, 2, "say 1 or 0"},
                        {"TIMELESS_TIMESTAMPS", binary, 2, "say 1 or 0"}});
}

TEST(Environment, an_empty_variable_is_as_if_it_were_not_set) {
  expect_as_documented({{"TIMELESS_BUFFER_SIZE", ""},
                        {"TIMELESS_START", ""},
                        {"TIMELESS_VERBOSE", ""},
                        {"TIMELESS_RUN", ""},
                        {"TIMELESS_ICOUNT_TOOL", ""}});
}

TEST(Environment, what_processes_tell_each_other_is_nothing_a_person_can_break) {
  std::vector<Setting> settings;
  for (const std::string& value : {std::string(), huge, std::string("17"), std::string("-1 "), binary, long_text}) {
    settings.push_back({"TIMELESS_ICOUNT_REEXEC", value});
    settings.push_back({"TIMELESS_ICOUNT_NAME", value});
  }
  expect_as_documented(settings);
}

TEST(Environment, an_unknown_setting_is_warned_of_once_and_ignored) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_traced(
      {.ranks = 2, .program = "cases", .arguments = "chatter", .environment = "TIMELESS_COUTNER=papi TIMELESS_=1"},
      directory / "trace");
  EXPECT_EQ(outcome.status, 0);
  const std::vector<std::string> lines = lines_of_timeless(outcome.errors);
  ASSERT_EQ(lines.size(), 3U) << outcome.errors;
  EXPECT_THAT(lines[0], HasSubstr("warning: 'TIMELESS_COUTNER' is no setting"));
  EXPECT_THAT(lines[1], HasSubstr("warning: 'TIMELESS_' is no setting"));
  EXPECT_THAT(lines[2], HasSubstr("counter none"));
}

TEST(Environment, verbose_says_of_each_rank_where_it_records) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_traced({.ranks = 2, .program = "cases", .arguments = "chatter", .environment = "TIMELESS_VERBOSE=1"},
                 directory / "trace");
  EXPECT_THAT(outcome.errors, HasSubstr("timeless: rank 0 is process "));
  EXPECT_THAT(outcome.errors, HasSubstr("timeless: rank 1 is process "));
}

TEST(Environment, of_the_icount_tool_leads_to_one_line_and_status_5) {
  const TemporaryDirectory directory;
  for (const std::string& value : {std::string("/dev/null"), std::string("/no such place"), binary, long_text}) {
    const Outcome outcome =
        run_traced({.ranks = 2,
                    .program = "cases",
                    .arguments = "chatter",
                    .environment = "TIMELESS_COUNTER=icount TIMELESS_ICOUNT_TOOL=" + in_quotes(value)},
                   directory / "trace");
    EXPECT_EQ(outcome.status, 5) << value << outcome.errors;
    EXPECT_EQ(lines_of_timeless(outcome.errors).size(), 1U) << outcome.errors;
  }
}

} // namespace

} // namespace timeless::test
