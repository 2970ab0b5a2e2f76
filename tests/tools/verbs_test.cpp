#include "tests/tools/command.h"
#include "tests/trace/samples.h"
#include "trace/codec/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using trace::ActionKind;

/// Two ranks: one computes and sends twice, the other receives; written as an archive.
class Verbs : public testing::Test {
protected:
  Verbs() {
    trace::MemorySource run(2);
    run.description().provenance.program = "/bin/pingpong";
    for (int i = 0; i < 2; ++i) {
      run.compute(0, 1000);
      run.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 7, .bytes = 4000});
      run.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 7, .bytes = 4000});
    }
    for (trace::Rank rank = 0; rank < 2; ++rank)
      run.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    run.description().ranks[1].unrecorded_calls["MPI_Put"] = 3;
    run.finalize();
    trace::test::write_archive(run, directory_ / "run.tia");
  }

  std::string path() const { return directory_ / "run.tia"; }

  trace::test::TemporaryDirectory directory_;
};

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST_F(Verbs, info_shows_what_the_trace_holds_and_what_it_lacks) {
  const Outcome outcome = timeless_command({"info", path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 ranks of /bin/pingpong, complete"));
  EXPECT_THAT(outcome.out, HasSubstr("2.00 k instructions"));
  EXPECT_THAT(outcome.out, HasSubstr("2 point to point, 7.81 KiB"));
  EXPECT_THAT(outcome.out, HasSubstr("MPI_Put called 3 times"));
}

TEST_F(Verbs, what_is_left_out_is_counted_and_strict_makes_it_a_partial_result) {
  for (const std::string verb : {"replay", "classify"}) {
    const std::vector<std::string> asked{verb, path(), "--network", "qdr"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), asked.begin(), asked.end());
      return timeless_command(more);
    };
    const Outcome plain = with({});
    EXPECT_EQ(plain.status, 0) << plain.err;
    EXPECT_THAT(plain.out, HasSubstr("left out  3 calls of 1 rank: MPI_Put takes no time"));
    const json left_out = json::parse(with({"--json"}).out).at("not_modelled");
    ASSERT_EQ(left_out.size(), 1U);
    EXPECT_EQ(left_out[0].at("calls"), 3);
    EXPECT_EQ(left_out[0].at("ranks"), 1);
    const Outcome strict = with({"--strict"});
    EXPECT_EQ(strict.status, 6);
    EXPECT_THAT(strict.err, AllOf(HasSubstr("not everything in this run was modelled"), HasSubstr("MPI_Put")));
    EXPECT_THAT(strict.out, HasSubstr("left out"));
  }
}

TEST_F(Verbs, files_take_the_time_of_the_file_system_that_is_described) {
  trace::MemorySource run(1);
  run.add(0, {.kind = ActionKind::file_write, .bytes = 3000000});
  run.finalize();
  const std::string file = directory_ / "writes.tia";
  trace::test::write_archive(run, file);
  const Outcome assumed = timeless_command({"replay", file, "--network", "qdr"});
  EXPECT_THAT(assumed.out, AllOf(HasSubstr("files %"), HasSubstr("the file system is assumed: 100 us, 1 GB/s")));
  const Outcome told =
      timeless_command({"replay", file, "--network", "qdr", "--json", "--file-system", "latency=1ms,bandwidth=2MB/s"});
  ASSERT_EQ(told.status, 0) << told.err;
  const json answer = json::parse(told.out);
  EXPECT_NEAR(answer.at("configurations")[0].at("mean_seconds").at("files").get<double>(), 1.501, 1e-9);
  EXPECT_EQ(told.out.find("assumed: "), std::string::npos);
  const Outcome wrong = timeless_command({"replay", file, "--network", "qdr", "--file-system", "latency=fast"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("latency=100us,bandwidth=1GB/s"));
}

TEST_F(Verbs, info_as_json_has_a_schema_and_the_same_figures) {
  const Outcome outcome = timeless_command({"info", path(), "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer.at("schema"), "timeless.info/2");
  EXPECT_EQ(answer.at("actions"), 10);
  EXPECT_EQ(answer.at("messages"), 2);
  EXPECT_EQ(answer.at("message_bytes"), 8000);
  EXPECT_EQ(answer.at("volume"), 2000);
  EXPECT_EQ(answer.at("calls").at("Recv").at("count"), 2);
  EXPECT_EQ(answer.at("calls").at("Recv").at("bytes_received"), 8000);
  EXPECT_EQ(answer.at("calls").at("Send").at("bytes_received"), 0);
  EXPECT_EQ(answer.at("calls").at("Allreduce").at("bytes"), 16);
  EXPECT_EQ(answer.at("unrecorded_calls").at("MPI_Put"), 3);
}

TEST_F(Verbs, info_shows_what_worker_threads_did_where_there_were_some) {
  trace::MemorySource run(2);
  for (trace::Rank rank = 0; rank < 2; ++rank)
    for (const std::uint64_t burst : {1000, 3000}) {
      run.compute(rank, burst);
      run.volume(rank, ActionKind::workers_sum, 3 * burst);
      run.volume(rank, ActionKind::workers_maximum, 2 * burst);
      run.add(rank, {.kind = ActionKind::barrier});
    }
  run.finalize();
  const std::string threaded = directory_ / "threaded.tia";
  trace::test::write_archive(run, threaded);
  EXPECT_THAT(timeless_command({"info", path()}).out, Not(HasSubstr("worker threads")));
  EXPECT_THAT(timeless_command({"info", threaded}).out,
              AllOf(HasSubstr("8.00 k instructions, per rank 4.00 k"),
                    HasSubstr("24.00 k instructions beside it, per rank 12.00 k (least 12.00 k, most 12.00 k)"),
                    HasSubstr("by the largest of each burst, per rank 8.00 k")));
  const json answer = json::parse(timeless_command({"info", threaded, "--json"}).out);
  EXPECT_EQ(answer.at("volume"), 8000);
  EXPECT_EQ(answer.at("workers").at("volume"), 24'000);
  EXPECT_EQ(answer.at("workers").at("volume_per_rank").at("mean"), 12'000);
  EXPECT_EQ(answer.at("workers").at("largest_per_rank").at("most"), 8000);
}

TEST_F(Verbs, info_and_dump_show_which_way_the_bytes_of_one_sided_calls_go) {
  trace::MemorySource run(2);
  const auto window = run.add_communicator({0, 1});
  const std::vector<trace::Rank> group = {1};
  for (const trace::Rank rank : {0, 1})
    run.add(rank, {.kind = ActionKind::win_create, .bytes = 4096, .new_communicator = window});
  run.add(0, {.kind = ActionKind::win_start, .flags = trace::flag_no_check, .communicator = window, .ranks = group});
  run.add(0, {.kind = ActionKind::put, .communicator = window, .peer = 1, .bytes = 100, .request = 0});
  run.add(0, {.kind = ActionKind::get, .communicator = window, .peer = 1, .receive_bytes = 30});
  run.add(0, {.kind = ActionKind::fetch_and_op,
              .flags = trace::flag_no_operation,
              .communicator = window,
              .peer = 1,
              .receive_bytes = 8});
  run.add(0,
          {.kind = ActionKind::compare_and_swap, .communicator = window, .peer = 1, .bytes = 16, .receive_bytes = 8});
  run.finalize();
  const std::string path = directory_ / "windows.tia";
  trace::test::write_archive(run, path);
  const Outcome info = timeless_command({"info", path, "--json"});
  ASSERT_EQ(info.status, 0) << info.err;
  const json answer = json::parse(info.out).at("calls");
  const auto moved = [&](const char* call) {
    return std::pair(answer.at(call).at("bytes").get<int>(), answer.at(call).at("bytes_received").get<int>());
  };
  EXPECT_EQ(moved("Win_create"), std::pair(0, 0));
  EXPECT_EQ(moved("Rput"), std::pair(100, 0));
  EXPECT_EQ(moved("Get"), std::pair(0, 30));
  EXPECT_EQ(moved("Fetch_and_op"), std::pair(0, 8));
  EXPECT_EQ(moved("Compare_and_swap"), std::pair(16, 8));
  const Outcome dump = timeless_command({"dump", path, "--rank", "0"});
  ASSERT_EQ(dump.status, 0) << dump.err;
  EXPECT_THAT(dump.out, HasSubstr("Win_create communicator=0 bytes=4096 new_communicator=1"));
  EXPECT_THAT(dump.out, HasSubstr("Win_start communicator=1 ranks=[1] no_check"));
  EXPECT_THAT(dump.out, HasSubstr("Rput communicator=1 peer=1 bytes=100 request=0"));
  EXPECT_THAT(dump.out, HasSubstr("Get communicator=1 peer=1 receive_bytes=30"));
  EXPECT_THAT(dump.out, HasSubstr("no_operation"));
}

TEST_F(Verbs, info_in_brief_does_not_read_the_actions) {
  const std::string bytes = trace::test::file_bytes(path());
  const Outcome outcome = timeless_command({"info", path(), "--brief"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("Allreduce")));
}

TEST_F(Verbs, dump_prints_an_action_a_line) {
  const Outcome outcome = timeless_command({"dump", path()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out), 10U);
  EXPECT_THAT(outcome.out,
              HasSubstr("0 0 compute volume=1000 kernel=0\n0 1 Send communicator=0 peer=1 tag=7 bytes=4000\n"));
}

TEST_F(Verbs, dump_can_be_limited_to_a_rank_and_a_range) {
  const Outcome outcome = timeless_command({"dump", path(), "--rank", "1", "--first", "1", "--count", "2"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "1 1 Recv communicator=0 peer=0 tag=7 bytes=4000\n"
                         "1 2 Allreduce communicator=0 bytes=8 element_bytes=8\n");
}

TEST_F(Verbs, dump_as_json_prints_an_object_a_line) {
  const Outcome outcome = timeless_command({"dump", path(), "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::istringstream text(outcome.out);
  std::string line;
  std::getline(text, line);
  EXPECT_EQ(json::parse(line).at("schema"), "timeless.dump/2");
  std::getline(text, line);
  EXPECT_EQ(json::parse(line), json::parse(R"({"rank":0,"action":0,"call":"compute","volume":1000,"kernel":0})"));
}

TEST_F(Verbs, check_names_what_is_not_in_the_trace) {
  EXPECT_THAT(timeless_command({"check", path()}).out, HasSubstr("NOT RECORDED MPI_Put called 3 times"));
  const json answer = json::parse(timeless_command({"check", path(), "--json"}).out);
  EXPECT_EQ(answer.at("unrecorded_calls"), json({{"MPI_Put", 3}}));
}

TEST_F(Verbs, gather_says_of_an_archive_that_it_is_one) {
  const Outcome outcome = timeless_command({"gather", path()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("an archive, gathered already"), HasSubstr(path()), HasSubstr("replay it")));
}

TEST_F(Verbs, an_answer_that_cannot_be_written_is_no_success) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"info", path()},
                                                  {"replay", path(), "--network", "e1g", "--json"},
                                                  {"dump", path()},
                                                  {"check", path()},
                                                  {"classify", path(), "--json"},
                                                  {"platform", "list"},
                                                  {"--help"}}) {
    const Outcome outcome = timeless_command(command, "/dev/full");
    EXPECT_EQ(outcome.status, 1) << command.front();
    EXPECT_THAT(outcome.err, HasSubstr("timeless: standard output cannot be written: No space left on device"))
        << command.front();
  }
}

TEST_F(Verbs, classify_judges_every_network_in_one_pass) {
  const Outcome outcome = timeless_command({"classify", path(), "--compute-rate", "1e9", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer.at("schema"), "timeless.classify/1");
  ASSERT_EQ(answer.at("networks").size(), 4U);
  for (const json& network : answer.at("networks")) {
    EXPECT_EQ(network.at("configurations").size(), 21U);
    EXPECT_GT(network.at("evidence").at("total_seconds"), 0.0);
  }
  EXPECT_EQ(answer.at("compute_assumed"), false);
}

TEST_F(Verbs, classify_ends_with_4_when_a_class_to_fail_on_is_found) {
  const Outcome plain = timeless_command({"classify", path(), "--network", "e1g", "--json"});
  ASSERT_EQ(plain.status, 0) << plain.err;
  const std::string found = json::parse(plain.out).at("networks").at(0).at("class");
  const std::string other = found == "mixed" ? "latency" : "mixed";
  EXPECT_EQ(timeless_command({"classify", path(), "--network", "e1g", "--fail-on", other}).status, 0);
  EXPECT_EQ(timeless_command({"classify", path(), "--network", "e1g", "--fail-on", other + "," + found}).status, 4);
}

TEST_F(Verbs, classify_fails_on_nothing_but_classes) {
  for (const char* none : {"mixed-up", "Latency", ""}) {
    const Outcome outcome = timeless_command({"classify", path(), "--network", "e1g", "--fail-on", none});
    EXPECT_EQ(outcome.status, 2) << none;
    EXPECT_THAT(outcome.err, HasSubstr("is no class: there are computation, mixed, imbalance, imbalance-sensitive"));
  }
}

TEST_F(Verbs, an_answer_from_an_incomplete_trace_says_so_and_ends_with_6) {
  trace::MemorySource cut(2);
  cut.add(0, {.kind = ActionKind::barrier});
  cut.add(1, {.kind = ActionKind::barrier});
  for (trace::RankRecord& rank : cut.description().ranks) {
    rank.ending = trace::Ending::stopped;
    rank.ending_reason = "the disk was full";
  }
  trace::test::write_archive(cut, directory_ / "cut.tia");
  for (const char* verb : {"classify", "check", "dump", "info", "replay"}) {
    std::vector<std::string> arguments = {verb, directory_ / "cut.tia"};
    if (arguments.front() == "replay") arguments.insert(arguments.end(), {"--network", "qdr"});
    const Outcome outcome = timeless_command(arguments);
    EXPECT_EQ(outcome.status, 6) << verb;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("the disk was full")) << verb;
  }
}

TEST_F(Verbs, classify_says_that_a_rate_is_assumed) {
  EXPECT_THAT(timeless_command({"classify", path()}).out, HasSubstr("ASSUMED"));
  EXPECT_THAT(timeless_command({"classify", path(), "--compute-rate", "3e9"}).out, testing::Not(HasSubstr("ASSUMED")));
}

struct Mistake {
  const char* name;
  std::vector<std::string> arguments;
  int status;
  const char* says;
};

class Mistakes : public Verbs, public testing::WithParamInterface<Mistake> {};

TEST_P(Mistakes, end_with_the_right_status_and_one_line_that_helps) {
  std::vector<std::string> arguments = GetParam().arguments;
  std::ranges::replace(arguments, std::string("TRACE"), path());
  const Outcome outcome = timeless_command(arguments);
  EXPECT_EQ(outcome.status, GetParam().status);
  EXPECT_THAT(outcome.err, StartsWith("timeless: "));
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().says));
  EXPECT_EQ(lines(outcome.err), 1U) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Each, Mistakes,
    testing::Values(Mistake{"no_verb", {}, 2, "--help"}, Mistake{"unknown_verb", {"fly"}, 2, "fly"},
                    Mistake{"unknown_option", {"info", "TRACE", "--wings"}, 2, "--wings"},
                    Mistake{"no_trace", {"info"}, 2, "trace"},
                    Mistake{"absent_file", {"info", "/nowhere/run.tia"}, 3, "/nowhere/run.tia"},
                    Mistake{"not_an_archive", {"info", TIMELESS_COMMAND}, 3, "not a Timeless archive"},
                    Mistake{"absent_rank", {"dump", "TRACE", "--rank", "9"}, 2, "rank 9"},
                    Mistake{"unknown_network", {"classify", "TRACE", "--network", "x25"}, 2, "e1g"},
                    Mistake{"share_out_of_range", {"classify", "TRACE", "--gain", "0"}, 2, "gain"}),
    [](const auto& parameter) { return parameter.param.name; });

TEST(Help, of_a_verb_with_parts_names_them_and_its_page_has_the_options_of_each) {
  for (const std::vector<std::string>& asked : {std::vector<std::string>{"calibrate"}, {"calibrate", "netwrok"}}) {
    const Outcome outcome = timeless_command(asked);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("one of its parts: network"));
  }
  EXPECT_THAT(timeless_command({"calibrate", "network", "--nonsense"}).err,
              HasSubstr("timeless calibrate network --help"));
  EXPECT_THAT(timeless_command({"calibrate", "network", "--help"}).out, HasSubstr("--from"));
  const std::string page = trace::test::file_bytes(std::string(TIMELESS_MANUAL) + "/timeless-calibrate.1");
  EXPECT_THAT(page, AllOf(HasSubstr(".SS network"), HasSubstr("\\-\\-from"), HasSubstr(".SS show")));
}

TEST(Help, every_verb_has_an_example_and_every_page_its_options) {
  const Outcome all = timeless_command({"--help"});
  EXPECT_EQ(all.status, 0);
  for (const char* verb : {"plan", "record", "gather", "info", "dump", "check", "replay", "classify", "platform",
                           "calibrate", "validate", "doctor"}) {
    EXPECT_THAT(all.out, HasSubstr(verb));
    const Outcome help = timeless_command({verb, "--help"});
    EXPECT_EQ(help.status, 0) << verb;
    EXPECT_THAT(help.out, HasSubstr("xample")) << verb;
    const std::string page = trace::test::file_bytes(std::string(TIMELESS_MANUAL) + "/timeless-" + verb + ".1");
    EXPECT_THAT(page, HasSubstr(".SH DESCRIPTION")) << verb;
    EXPECT_THAT(page, HasSubstr("\\-\\-help")) << verb;
    EXPECT_THAT(page, testing::Not(HasSubstr("@OPTIONS@"))) << verb;
  }
}

} // namespace
} // namespace timeless::tools
