// What a terminal obeys does not come out of names: of files, and of what a trace says of its programs and machines.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

using test::Outcome;
using test::timeless_command;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using trace::ActionKind;

/// Ends a line, clears a terminal, poses as an answer of the tool and turns letters around.
constexpr const char* hostile = "evil\ntimeless: all is well\x1b[2J\r\x7f\a\u202e\u200b\u009b";
constexpr const char* harmless = "evil\\ntimeless: all is well\\x1b[2J\\r\\x7f\\x07\\u202e\\u200b\\u009b";

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all(1);
  for (const char c : text)
    if (c == '\n')
      all.emplace_back();
    else
      all.back() += c;
  return all;
}

bool is_obeyed(char c) {
  return (static_cast<unsigned char>(c) < ' ' && c != '\n') || c == 0x7f;
}

void expect_harmless(const Outcome& outcome) {
  for (const std::string& text : {outcome.out, outcome.err}) {
    EXPECT_EQ(std::ranges::count_if(text, is_obeyed), 0) << text;
    for (const char* hidden : {"\u202e", "\u200b", "\u009b"})
      EXPECT_THAT(text, Not(HasSubstr(hidden)));
    EXPECT_THAT(lines(text), Each(Not(StartsWith("timeless: all is well")))) << text;
  }
}

class HostileNames : public testing::Test {
protected:
  HostileNames() {
    trace::MemorySource run(2);
    trace::Run& description = run.description();
    description.provenance = {
        .tool_version = hostile, .mpi_library = hostile, .program = hostile, .date = hostile, .run_identity = 1};
    description.hosts = {{hostile, hostile}, {hostile, hostile}};
    description.counter.name = hostile;
    description.modules = {{hostile, ""}};
    description.regions = {hostile};
    description.profile_events = {hostile};
    for (trace::RankRecord& record : description.ranks) {
      record.notes = {hostile};
      record.unrecorded_calls[hostile] = 1;
    }
    for (trace::Rank rank = 0; rank < 2; ++rank) {
      run.add(rank, {.kind = ActionKind::region_begin, .region = 0});
      run.compute(rank, 1000);
      run.add(rank, {.kind = ActionKind::barrier});
      run.add(rank, {.kind = ActionKind::region_end, .region = 0});
    }
    run.finalize();
    description.ranks[0].profile = {{.kernel = 0, .bursts = 1, .sums = {5}}};
    trace::test::write_archive(run, trace_);
  }

  trace::test::TemporaryDirectory directory_;
  std::string base_ = directory_ / hostile;
  std::string trace_ = base_ + ".tia";
};

TEST_F(HostileNames, of_and_in_a_trace_keep_to_their_lines_whatever_is_asked_of_it) {
  for (const std::vector<std::string>& asked : std::vector<std::vector<std::string>>{
           {"info"},
           {"info", "--regions"},
           {"info", "--kernels"},
           {"info", "--profile"},
           {"info", "--matrix"},
           {"dump"},
           {"check"},
           {"convert", "-o", base_ + "-converted.tia"},
           {"convert", "--to", "ti", "-o", base_ + ".txt"},
           {"classify", "--configurations"},
           {"info", "--json"},
           {"info", "--csv"},
           {"dump", "--json"},
           {"report"},
           {"report", "--markdown"},
           {"report", "--json"},
           {"report", "--csv"},
           {"sweep", "--network", "e1g"},
           {"sweep", "--network", "e1g", "--json"},
           {"replay", "--network", "e1g", "--per-rank", "--strict"},
           {"replay", "--network", "e1g", "--by", "kernel", "--per-rank", "--critical-path"},
           {"gather"}}) {
    std::vector<std::string> arguments = asked;
    arguments.insert(arguments.begin() + 1, trace_);
    const Outcome outcome = timeless_command(arguments);
    SCOPED_TRACE(testing::PrintToString(asked) + outcome.err);
    // SimGrid's list of files has no place for such a name.
    const bool refused = asked[0] == "gather" || std::ranges::count(asked, "ti") > 0;
    EXPECT_THAT(outcome.status, testing::AnyOf(0, 6, refused ? 2 : 0, asked[0] == "check" ? 3 : 0));
    const bool own_escapes = std::ranges::count(asked, "--json") > 0; // which has escapes of its own
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr(own_escapes ? "evil\\ntimeless: all is well\\u001b" : harmless));
    expect_harmless(outcome);
  }
}

TEST_F(HostileNames, of_what_is_not_there_or_no_trace_keep_to_the_line_of_the_error) {
  std::ofstream(base_) << "no trace\n";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"info", directory_ / (std::string("missing") + hostile)},
                                             {"info", base_},
                                             {"replay", trace_, "--network", hostile},
                                             {"replay", trace_, "--network", "e1g", "--latency", hostile},
                                             {"replay", trace_, "--network", "e1g", "--mapping", hostile},
                                             {"replay", trace_, "--platform", hostile},
                                             {"replay", trace_, "--network", "e1g", "--hostfile", base_},
                                             {"compare", base_, base_},
                                             {"convert", trace_, "--to", hostile, "-o", directory_ / "out"},
                                             {"plan", "--ranks", "2", "--hosts", base_},
                                             {"platform", "show", hostile},
                                             {"platform", "check", base_},
                                             std::vector<std::string>{hostile}}) {
    const Outcome outcome = timeless_command(arguments);
    SCOPED_TRACE(testing::PrintToString(arguments));
    EXPECT_THAT(outcome.status, testing::AnyOf(1, 2, 3, 5));
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("evil\\ntimeless"));
    expect_harmless(outcome);
  }
}

TEST_F(HostileNames, of_a_platform_keep_to_their_lines_in_what_is_told_of_it) {
  const std::string platform = base_ + ".xml";
  std::filesystem::copy_file(TIMELESS_TEST_PLATFORMS "/shared.xml", platform);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"replay", trace_, "--platform", platform, "--per-rank"},
                                             {"replay", trace_, "--platform", platform, "--backend", "smpi"},
                                             {"replay", "--job", trace_, "--platform", platform, "--backend", "smpi"},
                                             {"platform", "show", platform},
                                             {"platform", "check", platform},
                                             {"platform", "upgrade", platform, "-o", base_ + "-upgraded.xml"}}) {
    const Outcome outcome = timeless_command(arguments);
    SCOPED_TRACE(testing::PrintToString(arguments) + outcome.err);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr(harmless));
    expect_harmless(outcome);
  }
}

TEST_F(HostileNames, of_hosts_keep_to_their_lines_in_a_plan) {
  const std::string hosts = directory_ / "hosts";
  std::ofstream(hosts) << "node\x1b[2J slots=2 memory=1G\n";
  const Outcome outcome =
      timeless_command({"plan", "--ranks", "2", "--hosts", hosts, "--memory-per-rank", "1M", "--reserve", "10%"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\nnode\\x1b[2J slots=2 max_slots=2\n"));
  expect_harmless(outcome);
}

} // namespace
} // namespace timeless::tools
