// Every verb that takes a trace takes one in a format of others.
#include "tests/formats/dumpi_writer.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace timeless::trace::formats {
namespace {

using dumpi::Call;
using nlohmann::json;
using test::DumpiWriter;
using testing::HasSubstr;
using tools::test::Outcome;
using tools::test::timeless_command;

class Command : public testing::Test {
protected:
  Command() {
    std::vector<DumpiWriter> ranks(2);
    for (int rank = 0; rank < 2; ++rank) {
      DumpiWriter& writer = ranks[static_cast<std::size_t>(rank)];
      writer.init();
      for (int round = 0; round < 10; ++round) {
        if (rank == 0)
          writer.call(Call::Send, {1000, 14, 1, round, 2});
        else
          writer.call(Call::Recv, {1000, 14, 0, round, 2}, {{.bytes = 8000, .source = 0, .tag = round}});
        writer.call(Call::Allreduce, {1, 14, 3, 2});
      }
      writer.finalize();
    }
    prefix_ = write_dumpi(directory_.path(), ranks).string();
  }

  timeless::test::TemporaryDirectory directory_;
  std::string prefix_;
};

TEST_F(Command, classifies_a_dumpi_trace_where_it_lies) {
  const Outcome outcome = timeless_command({"classify", "--from", "dumpi", prefix_, "--network", "e1g", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["networks"].size(), 1U);
}

TEST_F(Command, every_verb_that_reads_a_trace_reads_one_of_others) {
  for (const std::vector<std::string>& verb : {std::vector<std::string>{"info"},
                                               {"info", "--json"},
                                               {"info", "--kernels"},
                                               {"info", "--brief"},
                                               {"check"},
                                               {"check", "--json"},
                                               {"dump"},
                                               {"dump", "--times"},
                                               {"replay", "--network", "qdr"},
                                               {"replay", "--platform", "flat"},
                                               {"replay", "--platform", "flat", "--backend", "smpi"},
                                               {"classify"}}) {
    std::vector<std::string> words = verb;
    words.insert(words.end(), {"--from", "dumpi", prefix_});
    const Outcome outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, 0) << verb.front() << ": " << outcome.err;
    EXPECT_FALSE(outcome.out.empty()) << verb.front();
  }
}

TEST_F(Command, converts_from_one_format_by_way_of_an_archive_to_another) {
  const std::string archive = directory_ / "run.tia";
  const std::string text = directory_ / "run.txt";
  ASSERT_EQ(timeless_command({"convert", "--from", "dumpi", prefix_, "-o", archive}).status, 0);
  EXPECT_EQ(timeless_command({"check", archive}).status, 0);
  const Outcome written = timeless_command({"convert", archive, "--to", "ti", "-o", text, "--json"});
  ASSERT_EQ(written.status, 0) << written.err;
  const json report = json::parse(written.out);
  EXPECT_EQ(report["format"], "ti");
  EXPECT_EQ(report["files"].size(), 3U);
  EXPECT_TRUE(report["lost"].empty());
  EXPECT_EQ(report["lowered"].size(), 1U); // nanoseconds as operations
  const Outcome direct = timeless_command({"convert", "--from", "dumpi", prefix_, "--to", "ti", "-o", text, "--force"});
  EXPECT_EQ(direct.status, 0) << direct.err;
  EXPECT_THAT(timeless_command({"check", "--from", "ti", text}).out, HasSubstr("consistent and complete"));
}

TEST_F(Command, a_check_of_ti_demands_that_messages_fit_into_their_buffers_and_no_more) {
  const std::string text = directory_ / "run.txt";
  trace::test::write_bytes(text, "0 send 1 100\n1 recv 0 200\n");
  const Outcome larger = timeless_command({"check", "--from", "ti", text});
  EXPECT_EQ(larger.status, 0) << larger.err;
  EXPECT_THAT(larger.out, AllOf(HasSubstr("consistent and complete"), HasSubstr("1 receive told with the size of")));
  trace::test::write_bytes(text, "0 send 1 200\n1 recv 0 100\n");
  const Outcome smaller = timeless_command({"check", "--from", "ti", text});
  EXPECT_EQ(smaller.status, 3) << smaller.err;
  EXPECT_THAT(smaller.out, HasSubstr("INCONSISTENT: 1 finding"));
}

TEST_F(Command, what_cannot_be_asked_is_refused_with_what_can) {
  const auto fails_with = [](const std::vector<std::string>& words, int status, const char* advice) {
    const Outcome outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, status) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(advice));
  };
  const std::string text = directory_ / "run.txt";
  fails_with({"info", "--from", "vcr", prefix_}, 2, "dumpi");
  fails_with({"convert", "--from", "dumpi", prefix_, "--to", "dumpi", "-o", text}, 2, "ti");
  fails_with({"convert", "--from", "dumpi", prefix_, "--to", "ti", "-o", text, "--volume-error", "1%"}, 2, "archives");
  fails_with({"info", "--from", "dumpi", directory_ / "none"}, 3, "PREFIX");
  trace::test::write_bytes(text, "mine");
  fails_with({"convert", "--from", "dumpi", prefix_, "--to", "ti", "-o", text}, 2, "--force");
  const Outcome list = timeless_command({"convert", "--list-formats"});
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.out, HasSubstr("dumpi"));
}

TEST_F(Command, several_files_of_one_trace_are_answered_with_what_to_type) {
  const auto advice = [](const std::vector<std::string>& words) {
    const Outcome outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    return outcome.err;
  };
  const std::string first = prefix_ + "-0000.bin";
  EXPECT_THAT(advice({"classify", "--from", "dumpi", first, prefix_ + "-0001.bin", prefix_ + ".meta"}),
              HasSubstr("timeless classify --from dumpi " + first));
  EXPECT_THAT(advice({"info", "--from", "ti", "rank-0.txt", "rank-1.txt"}), HasSubstr("> LIST"));
  EXPECT_THAT(advice({"info", "recording/rank-000000.tia", "recording/rank-000001.tia"}),
              HasSubstr("as in: timeless info recording; see"));
  EXPECT_THAT(advice({"info", "a.tia", "--bogus"}), HasSubstr("--bogus"));
}

TEST_F(Command, a_file_of_another_format_is_refused_with_the_one_it_seems_to_be_in) {
  const std::string archive = directory_ / "run.tia";
  const std::string text = directory_ / "text";
  const std::string goal = directory_ / "goal";
  const std::string dim = directory_ / "dim";
  ASSERT_EQ(timeless_command({"convert", "--from", "dumpi", prefix_, "-o", archive}).status, 0);
  ASSERT_EQ(timeless_command({"convert", archive, "--to", "goal", "-o", goal}).status, 0);
  ASSERT_EQ(timeless_command({"convert", archive, "--to", "dimemas", "-o", dim}).status, 0);
  trace::test::write_bytes(text, "0 init\n0 compute 5\n0 finalize\n");
  const auto advice = [](const std::string& from, const std::string& file) {
    std::vector<std::string> words{"info", file};
    if (!from.empty()) words.insert(words.end(), {"--from", from});
    const Outcome outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, 3) << outcome.out;
    return outcome.err;
  };
  for (const char* from : {"ti", "goal", "dumpi"})
    EXPECT_THAT(advice(from, archive), HasSubstr("leave out --from")) << from;
  for (const std::string& file : {prefix_, prefix_ + "-0001.bin", directory_.path().string()})
    EXPECT_THAT(advice("", file), HasSubstr("give --from dumpi")) << file;
  EXPECT_THAT(advice("goal", prefix_ + "-0001.bin"), HasSubstr("give --from dumpi"));
  EXPECT_THAT(advice("", text), HasSubstr("give --from ti"));
  EXPECT_THAT(advice("dumpi", text), HasSubstr("give --from ti"));
  EXPECT_THAT(advice("ti", goal), HasSubstr("give --from goal"));
  EXPECT_THAT(advice("goal", dim), HasSubstr("can be written, but not read"));
  EXPECT_THAT(advice("goal", directory_.path()), HasSubstr("a directory"));
  EXPECT_THAT(advice("ti", directory_ / "none"), HasSubstr("No such file"));
  trace::test::write_bytes(text, "");
  for (const char* from : {"ti", "goal", "dumpi"})
    EXPECT_THAT(advice(from, text), HasSubstr(text)) << from;
  EXPECT_THAT(timeless_command({"info", "--from", "dimemas", dim}).err, HasSubstr("only written"));
}

} // namespace
} // namespace timeless::trace::formats
