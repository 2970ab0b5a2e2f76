// Whatever a later call says of a request, each writer says where the request began: what was received, or nothing.
#include "base/error.h"
#include "replay/lowering.h"
#include "tests/replay/random_program.h"
#include "tests/trace/contradictory_outcomes.h"
#include "tests/trace/samples.h"
#include "trace/check/check.h"
#include "trace/formats/common/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>
#include <vector>

namespace timeless::trace::formats {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Pair;

class Requests : public testing::Test {
protected:
  std::filesystem::path write(const Source& source, const char* format) {
    writable_format(format).write(source, output_,
                                  {.force = true, .lower = replay::lowering(source.run()), .progress = {}});
    return output_;
  }

  /// Returns partner and tag of each line that is such a receive, in the order of the lines.
  static std::vector<std::string> receives(const std::filesystem::path& file, const char* line) {
    const std::string text = trace::test::file_bytes(file);
    const std::regex receive(line);
    std::vector<std::string> all;
    for (std::sregex_iterator match(text.begin(), text.end(), receive), end; match != end; ++match)
      all.push_back((*match)[1].str() + " tag " + (*match)[2].str());
    return all;
  }

  timeless::test::TemporaryDirectory directory_;
  std::filesystem::path output_ = directory_ / "run";
};

/// Returns four receives, posted one after the other; the last one is known first, and the third is cancelled.
MemorySource four_receives() {
  MemorySource program(3);
  const auto post = [&](Rank peer, Tag tag, RequestId request) {
    program.add(0, {.kind = ActionKind::receive, .peer = peer, .tag = tag, .bytes = 64, .request = request});
  };
  const auto resolve = [&](Rank peer, Tag tag, RequestId request) {
    program.add(0, {.kind = ActionKind::resolved, .peer = peer, .tag = tag, .bytes = 8, .request = request});
  };
  const auto wait = [&](std::vector<RequestId> requests) {
    program.add(0, {.kind = ActionKind::wait_all, .requests = requests});
  };
  post(any_rank, any_tag, 0);
  post(any_rank, 5, 1);
  post(1, 3, 2);
  post(any_rank, any_tag, 3);
  resolve(1, 7, 3);
  wait({3});
  program.add(0, {.kind = ActionKind::cancelled, .request = 2});
  wait({2});
  resolve(2, 9, 0);
  resolve(1, 5, 1);
  wait({0, 1});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 5, .bytes = 8});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 7, .bytes = 8});
  program.add(2, {.kind = ActionKind::send, .peer = 0, .tag = 9, .bytes = 8});
  program.finalize();
  return program;
}

TEST_F(Requests, receives_stand_where_they_were_posted_with_what_they_received_and_cancelled_ones_nowhere) {
  const MemorySource program = four_receives();
  const auto as_posted = ElementsAre("2 tag 9", "1 tag 5", "1 tag 7");
  const std::filesystem::path ti = write(program, "ti").string() + "_files/rank-0.txt";
  EXPECT_THAT(receives(ti, R"(irecv (\d+) (\d+))"), as_posted);
  EXPECT_THAT(receives(write(program, "goal"), R"(recv 8b from (\d+) tag (\d+))"), as_posted);
  EXPECT_THAT(receives(write(program, "dimemas"), R"(3:0:0:(\d+):8:(\d+):1:1)"), as_posted);
}

TEST_F(Requests, cancelled_or_resolved_without_reason_are_refused_with_rank_and_action) {
  for (const trace::test::ContradictoryOutcome& wrong : trace::test::contradictory_outcomes())
    for (const char* format : {"ti", "goal", "goal-binary", "dimemas"}) {
      SCOPED_TRACE(wrong.name + " in " + format);
      try {
        write(wrong.program, format);
        ADD_FAILURE() << "it was written";
      } catch (const Error& error) {
        EXPECT_EQ(error.failure(), Failure::invalid_input);
        EXPECT_EQ(error.where(), place(wrong));
      }
    }
}

TEST_F(Requests, with_the_number_of_one_that_was_cancelled_later_are_written) {
  const RequestId ids[] = {0};
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 3, .bytes = 8, .request = 0});
  program.add(0, {.kind = ActionKind::wait, .requests = ids});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 4, .bytes = 8, .request = 0});
  program.add(0, {.kind = ActionKind::cancelled, .request = 0});
  program.add(0, {.kind = ActionKind::wait, .requests = ids});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 3, .bytes = 8});
  program.finalize();
  EXPECT_THAT(receives(write(program, "goal"), R"(recv 8b from (\d+) tag (\d+))"), ElementsAre("1 tag 3"));
}

TEST_F(Requests, every_message_of_a_random_program_has_both_ends_in_what_is_written_of_it) {
  std::uint64_t cancelled = 0;
  std::uint64_t resolved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const MemorySource program = replay::test::random_program(seed);
    for (const RankRecord& record : program.run().ranks)
      for (const trace::test::OwnedAction& one : trace::test::actions_of(program, record.rank)) {
        if (one.action.kind == ActionKind::cancelled) ++cancelled;
        if (one.action.kind == ActionKind::resolved) ++resolved;
      }
    for (const char* format : {"ti", "goal", "goal-binary"}) {
      const std::string name = format;
      const auto again = readable_format(name == "ti" ? "ti" : "goal").open(write(program, format), {});
      // Such programs receive into large buffers.
      for (const Finding& finding : check(*again).findings) {
        EXPECT_TRUE(finding.severity == Severity::note || finding.words.find(" of the ") != std::string::npos)
            << format << " of seed " << seed << ", rank " << finding.rank << ": " << finding.words;
      }
    }
  }
  EXPECT_GT(cancelled, 10U);
  EXPECT_GT(resolved, 10U);
}

TEST_F(Requests, every_receive_of_a_random_program_has_its_send_in_dimemas) {
  static const std::regex record(R"(\n([23]):(\d+):0:(\d+):(\d+):(\d+):(\d+):([0-3]))");
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::string text = trace::test::file_bytes(write(replay::test::random_program(seed), "dimemas"));
    // By sender, receiver, tag and communicator: sends less receives.
    std::map<std::string, int> open;
    for (std::sregex_iterator match(text.begin(), text.end(), record), end; match != end; ++match) {
      const auto& parts = *match;
      const std::string behind = ":" + parts[5].str() + ":" + parts[6].str();
      if (parts[1] == "2")
        ++open[parts[2].str() + ":" + parts[3].str() + behind];
      else if (parts[7] != "2")
        --open[parts[3].str() + ":" + parts[2].str() + behind];
    }
    ASSERT_FALSE(open.empty());
    EXPECT_THAT(open, Each(Pair(testing::_, 0))) << "seed " << seed;
  }
}

} // namespace
} // namespace timeless::trace::formats
