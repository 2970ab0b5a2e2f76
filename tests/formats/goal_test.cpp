#include "base/error.h"
#include "replay/lowering.h"
#include "tests/trace/samples.h"
#include "trace/check/check.h"
#include "trace/formats/goal/goal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::trace::formats {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;

class Goal : public testing::Test {
protected:
  ExportReport write(const Source& source, double rate = 1e9) {
    return write_goal(source, output_,
                      {.force = true, .lower = replay::lowering(source.run()), .rate = rate, .progress = {}});
  }
  ExportReport write_binary(const Source& source) {
    return write_goal_binary(source, binary_, {.force = true, .lower = replay::lowering(source.run()), .progress = {}});
  }

  /// Returns what is said between a rank's braces.
  std::vector<std::string> statements(Rank rank) const {
    const std::string text = trace::test::file_bytes(output_);
    std::istringstream lines(text.substr(text.find("rank " + std::to_string(rank) + " {")));
    std::vector<std::string> all;
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line != "}")
      all.push_back(line);
    return all;
  }

  std::unique_ptr<ImportedRun> read(const std::string& text) {
    trace::test::write_bytes(output_, text);
    return open_goal(output_);
  }

  static std::vector<std::string> actions(const Source& source, Rank rank) {
    std::vector<std::string> all;
    for (const trace::test::OwnedAction& one : trace::test::actions_of(source, rank)) {
      std::string line = mpi_name(one.action);
      if (has_volume(one.action.kind)) line += " " + std::to_string(one.volume);
      if (family(one.action.kind) == ActionFamily::point_to_point)
        line += " " + std::to_string(one.action.peer) + " " + std::to_string(one.action.tag) + " " +
                std::to_string(one.action.bytes);
      if (family(one.action.kind) == ActionFamily::mark) line += " " + std::to_string(one.action.peer);
      if (one.action.request != no_request) line += " r" + std::to_string(one.action.request);
      for (const RequestId request : one.requests)
        line += " r" + std::to_string(request);
      all.push_back(line);
    }
    return all;
  }

  std::string refusal(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "read: " << bytes;
    return {};
  }

  timeless::test::TemporaryDirectory directory_;
  std::filesystem::path output_ = directory_ / "run.goal";
  std::filesystem::path binary_ = directory_ / "run.bin";
};

TEST_F(Goal, says_how_far_it_is_in_reading_ordering_and_counting) {
  std::string text = "num_ranks 1\nrank 0 {\n";
  for (int line = 0; line < 20'000; ++line)
    text += "calc 1000\n";
  trace::test::write_bytes(output_, text + "}\n");
  std::vector<std::uint64_t> told;
  open_goal(output_, {.progress = [&](std::uint64_t done, std::uint64_t total) {
              EXPECT_EQ(total, 3 * (text.size() + 2));
              told.push_back(done);
            }});
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_GT(told.back(), 2 * text.size());
}

TEST_F(Goal, blocking_calls_are_a_chain) {
  MemorySource program(2);
  program.compute(0, 1000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 7, .bytes = 100});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 8, .bytes = 0});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 7, .bytes = 100});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 8, .bytes = 0});
  program.finalize();
  const ExportReport report = write(program, 2e9);
  EXPECT_THAT(statements(0), ElementsAre("l1: calc 500", "l2: send 100b to 1 tag 7", "l2 requires l1",
                                         "l3: recv 1b from 1 tag 8", "l3 requires l2"));
  EXPECT_THAT(report.lowered, ElementsAre(Pair("all computation as ns, of 1e9 / rate each", 1),
                                          Pair("messages of no bytes as messages of one", 2)));
  EXPECT_THAT(report.lost, IsEmpty());
  EXPECT_EQ(report.actions, 7U);
}

TEST_F(Goal, what_follows_a_nonblocking_message_needs_its_beginning_and_what_follows_its_wait_its_end) {
  MemorySource program(2);
  const RequestId both[] = {0, 1};
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 8, .request = 0});
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8, .request = 1});
  program.compute(0, 50);
  program.add(0, {.kind = ActionKind::wait_all, .requests = both});
  program.compute(0, 60);
  program.finalize();
  write(program);
  EXPECT_THAT(statements(0),
              ElementsAre("l1: recv 8b from 1 tag 0", "l2: send 8b to 1 tag 0", "l2 irequires l1", "l3: calc 50",
                          "l3 irequires l2", "l4: calc 60", "l4 requires l3", "l4 requires l1", "l4 requires l2"));
}

TEST_F(Goal, what_rounding_takes_from_one_computation_the_next_one_gets) {
  MemorySource program(1);
  for (int i = 0; i < 10; ++i)
    program.compute(0, 1);
  program.finalize();
  write(program, 4e9);
  EXPECT_THAT(statements(0), ElementsAre("l1: calc 1", "l2: calc 1", "l2 requires l1"));
}

TEST_F(Goal, a_nonblocking_collective_goes_on_beside_what_follows_it) {
  MemorySource program(2);
  const RequestId one[] = {0};
  for (Rank rank = 0; rank < 2; ++rank) {
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 64, .element_bytes = 8, .request = 0});
    program.compute(rank, 5);
    program.add(rank, {.kind = ActionKind::wait, .requests = one});
    program.compute(rank, 6);
  }
  program.finalize();
  const ExportReport report = write(program);
  EXPECT_THAT(report.lowered, testing::Contains(Pair("Iallreduce as messages beside what follows", 2)));
  EXPECT_THAT(statements(0),
              ElementsAre("l1: recv 64b from 1 tag 1", "l2: send 64b to 1 tag 1", "l3: calc 5", "l3 irequires l1",
                          "l4: calc 6", "l4 requires l3", "l4 requires l1", "l4 requires l2"));
}

TEST_F(Goal, text_and_binary_form_say_the_same_and_what_was_written_is_read_again) {
  MemorySource program(3);
  const RequestId both[] = {0, 1};
  for (Rank rank = 0; rank < 3; ++rank) {
    program.compute(rank, 10 + static_cast<std::uint64_t>(rank));
    program.add(rank, {.kind = ActionKind::receive, .peer = (rank + 2) % 3, .tag = 4, .bytes = 9, .request = 0});
    program.add(rank, {.kind = ActionKind::send, .peer = (rank + 1) % 3, .tag = 4, .bytes = 9, .request = 1});
    program.compute(rank, 20);
    program.add(rank, {.kind = ActionKind::wait_all, .requests = both});
    program.compute(rank, 30);
  }
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 5});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 5});
  program.finalize();
  program.description().counter.unit = VolumeUnit::nanoseconds;
  write(program);
  write_binary(program);
  const auto text = open_goal(output_);
  const auto binary = open_goal(binary_);
  for (Rank rank = 0; rank < 3; ++rank)
    EXPECT_EQ(actions(*text, rank), actions(*binary, rank)) << rank;
  EXPECT_THAT(actions(*text, 1), ElementsAre("compute 11", "Irecv 0 4 9 r0", "Isend 2 4 9 r1", "compute 20",
                                             "Waitall r0 r1", "compute 30", "Recv 0 0 5", "Finalize"));
  EXPECT_EQ(text->run().counter.unit, VolumeUnit::nanoseconds);
  EXPECT_EQ(text->run().ranks[1].actions, 8U);
  EXPECT_EQ(check(*text).inconsistent, 0U);
}

TEST_F(Goal, the_binary_form_is_byte_for_byte_as_txt2bin_lays_it_out) {
  MemorySource program(1);
  program.compute(0, 3);
  program.compute(0, 4);
  program.finalize();
  program.description().counter.unit = VolumeUnit::nanoseconds;
  write_binary(program);
  std::string expected("\x7f\x10\0\0\0\0\0\0"
                       "\1\0\0\0"
                       "\0\0" // magic 4223, ranks, largest CPU and NIC
                       "\x16\0\0\0\0\0\0\0"
                       "\x74\0\0\0\0\0\0\0" // the rank is at 22 to 116
                       "\2\0\0\0"
                       "\1\0\0\0"
                       "\0\0\0\0",
                       42); // operations, free ones: the first
  expected.append("\0\0\0\0"
                  "\3"
                  "\0\0\0\0"
                  "\3\0\0\0\0\0\0\0"
                  "\0\0\0\0"
                  "\0\0" // free, calc, peer, size, tag, places
                  "\1\0\0\0\0\0\0\0"
                  "\0\0\0\0\1\0\0\0",
                  39); // one needs its end, none its beginning
  expected.append("\1\0\0\0"
                  "\3"
                  "\0\0\0\0"
                  "\4\0\0\0\0\0\0\0"
                  "\0\0\0\0"
                  "\0\0"
                  "\0\0\0\0\1\0\0\0"
                  "\0\0\0\0\1\0\0\0",
                  39);
  expected.append("\1\0\0\0", 4);
  EXPECT_EQ(trace::test::file_bytes(binary_), expected);
}

TEST_F(Goal, operations_without_dependencies_begin_before_what_waits_whatever_the_file_s_order) {
  const auto run = read("num_ranks 2\n"
                        "rank 0 {\n"
                        "a: recv 8b from 1 tag 1\nb: calc 10\nb requires a\nc: send 8b to 1 tag 2\n"
                        "}\n"
                        "rank 1 {\n"
                        "a: recv 8b from 0 tag 2\nb: send 8b to 0 tag 1\nb requires a\n"
                        "}\n");
  // In the file's order each rank would wait for the other.
  EXPECT_THAT(actions(*run, 0),
              ElementsAre("Irecv 1 1 8 r0", "Isend 1 2 8 r1", "Wait r0", "compute 10", "Wait r1", "Finalize"));
  EXPECT_THAT(actions(*run, 1), ElementsAre("Recv 0 2 8", "Send 0 1 8", "Finalize"));
}

TEST_F(Goal, of_two_waits_that_comes_first_whose_message_comes_first) {
  const auto run = read("num_ranks 2\n"
                        "rank 0 {\n"
                        "a: recv 8b from 1 tag 1\nx: calc 1\nx requires a\n"
                        "b: recv 8b from 1 tag 2\ny: calc 2\ny requires b\n"
                        "}\n"
                        "rank 1 {\n"
                        "s: calc 5\nb: send 8b to 0 tag 2\nb requires s\n"
                        "t: calc 5\nt requires b\na: send 8b to 0 tag 1\na requires t\n"
                        "}\n");
  EXPECT_THAT(actions(*run, 0),
              ElementsAre("Irecv 1 1 8 r0", "Recv 1 2 8", "compute 2", "Wait r0", "compute 1", "Finalize"));
}

TEST_F(Goal, of_several_waits_that_comes_first_whose_message_has_fewest_before_it) {
  // Round i of a dissemination: to rank + 2^i what came in round i - 1. Rounds depend on each other only by that.
  std::string text = "num_ranks 8\n";
  for (int rank = 0; rank < 8; ++rank) {
    text += "rank " + std::to_string(rank) + " {\n";
    for (int distance = 1, round = 0; distance < 8; distance *= 2, ++round) {
      const std::string sends = "s" + std::to_string(round);
      text += sends + ": send 1b to " + std::to_string((rank + distance) % 8) + " tag 0\n";
      if (round > 0) text += sends + " requires r" + std::to_string(round - 1) + "\n";
      text += "r" + std::to_string(round) + ": recv 1b from " + std::to_string((rank + 8 - distance) % 8) + " tag 0\n";
    }
    text += "}\n";
  }
  const auto run = read(text);
  for (Rank rank = 0; rank < 8; ++rank) {
    const auto from = [&](int distance) { return std::to_string((rank + 8 - distance) % 8) + " 0 1 r"; };
    const auto to = [&](int distance) { return std::to_string((rank + distance) % 8) + " 0 1 r"; };
    EXPECT_THAT(actions(*run, rank),
                ElementsAre("Isend " + to(1) + "0", "Irecv " + from(1) + "1", "Irecv " + from(2) + "2",
                            "Irecv " + from(4) + "3", "Wait r1", "Isend " + to(2) + "1", "Wait r2",
                            "Isend " + to(4) + "2", "Waitall r0 r1 r2 r3", "Finalize"));
  }
}

TEST_F(Goal, a_computation_that_can_begin_does_not_wait_for_a_message) {
  const auto run = read("num_ranks 2\n"
                        "rank 0 {\nr: recv 8b from 1 tag 0\ns: send 8b to 1 tag 1\ns requires r\nc: calc 1000\n}\n"
                        "rank 1 {\nsend 8b to 0 tag 0\nrecv 8b from 0 tag 1\n}\n");
  EXPECT_THAT(actions(*run, 0), ElementsAre("Irecv 1 0 8 r0", "compute 1000", "Wait r0", "Send 1 1 8", "Finalize"));
}

TEST_F(Goal, receives_of_anything_get_what_comes) {
  const auto run = read("num_ranks 3\n"
                        "rank 0 {\na: recv 8b from -1 tag -1\nb: recv 8b from -1\nb requires a\n}\n"
                        "rank 1 {\nc: calc 9\ns: send 8b to 0\ns requires c\n}\n"
                        "rank 2 {\nsend 8b to 0 tag 3\n}\n");
  EXPECT_THAT(actions(*run, 0), ElementsAre("Recv 2 3 8", "Recv 1 0 8", "Finalize"));
  EXPECT_THAT(run->run().ranks[0].notes, ElementsAre(HasSubstr("from any source")));
}

TEST_F(Goal, comments_cpus_nics_and_labels_used_twice_are_read) {
  const auto run = read("/* two\nlines */ num_ranks 1 // one\n"
                        "rank 0 { a: calc 1 cpu 2\n a: calc 2\n b:calc 4 /* within */ cpu 1\nb requires a\n"
                        "c: send 3 b to 0 tag 1 cpu 0 nic 1\r\nrecv 3b from 0 tag 1\n }\n");
  EXPECT_THAT(actions(*run, 0), ElementsAre("Isend 0 1 3 r0", "Irecv 0 1 3 r1", "thread 2", "compute 1",
                                            "thread_signal 0", "thread 0", "compute 2", "thread 1", "thread_await 0",
                                            "compute 4", "thread 0", "Waitall r0 r1", "Finalize"));
  EXPECT_THAT(run->run().ranks[0].notes, ElementsAre(HasSubstr("network interfaces")));
}

TEST_F(Goal, cpus_are_threads_that_tell_each_other_what_has_ended_or_begun) {
  // A message that another CPU needs is waited for there, and that CPU tells a third.
  const auto run = read("num_ranks 1\nrank 0 {\na: send 8b to 0 cpu 0\nb: recv 8b from 0 cpu 0\n"
                        "c: calc 5 cpu 1\nc requires b\nd: calc 6 cpu 2\nd requires b\nd requires c\n"
                        "e: calc 7 cpu 1\ne irequires d\n}\n");
  EXPECT_THAT(actions(*run, 0),
              ElementsAre("Isend 0 0 8 r0", "Irecv 0 0 8 r1", "thread 1", "Wait r1", "thread_signal 0", "compute 5",
                          "thread_signal 1", "thread 2", "thread_await 0", "thread_await 1", "compute 6",
                          "thread_signal 2", "thread 1", "thread_await 2", "compute 7", "thread 0", "Wait r0",
                          "Finalize"));
  EXPECT_EQ(check(*run).inconsistent, 0U);
}

TEST_F(Goal, what_is_no_goal_is_refused_with_its_line) {
  EXPECT_THAT(refusal("rank 0 {\nl1: calc 5\nl1 requires l2\n}\n"), HasSubstr("line 3"));
  EXPECT_THAT(refusal("rank 0 {\nl1: calc 99999999999999999999\n}\n"), HasSubstr("line 2"));
  EXPECT_THAT(refusal("rank 0 {\nl1: send 5b from 0\n}\n"), HasSubstr("'to'"));
  EXPECT_THAT(refusal("rank 0 {\nl1: calc 5\n"), HasSubstr("ends within a rank"));
  EXPECT_THAT(refusal("num_ranks 4000\nrank 0 {\n}\n"), HasSubstr("4000 ranks are announced"));
  EXPECT_THAT(refusal("rank 0 {\n}\nrank 0 {\n}\n"), HasSubstr("a second time"));
  EXPECT_THAT(refusal("rank 0 {\nsend 1b to 5\n}\n"), HasSubstr("a rank that there is not"));
  EXPECT_THAT(refusal("rank 0 {\na: calc 1\nb: calc 2\na requires b\nb requires a\n}\n"), HasSubstr("in a circle"));
  EXPECT_THAT(refusal("hello\n"), HasSubstr("neither a rank"));
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
}

TEST_F(Goal, a_damaged_binary_form_is_refused_or_a_run) {
  MemorySource program(2);
  const RequestId one[] = {0};
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 5, .request = 0});
  program.compute(0, 70);
  program.add(0, {.kind = ActionKind::wait, .requests = one});
  program.compute(0, 80);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 5});
  program.finalize();
  write_binary(program);
  const std::string whole = trace::test::file_bytes(binary_);
  const auto reads = [&](const std::string& bytes) {
    trace::test::write_bytes(output_, bytes);
    try {
      return open_goal(output_)->run().size > 0;
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input) << error.what();
      return false;
    }
  };
  EXPECT_TRUE(reads(whole));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(reads(whole.substr(0, length))) << length;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\1', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = value;
      reads(damaged);
    }
}

TEST_F(Goal, a_receive_without_a_send_is_left_to_the_replay_to_name) {
  const auto run = read("rank 0 {\na: recv 8b from 0\nb: calc 5\nb requires a\n}\n");
  EXPECT_THAT(actions(*run, 0), ElementsAre("Recv 0 0 8", "compute 5", "Finalize"));
  EXPECT_THAT(run->run().ranks[0].notes, ElementsAre(HasSubstr("no send")));
}

TEST_F(Goal, sends_that_end_before_they_are_received_do_not_stop_the_order) {
  std::string text = "num_ranks 2\n";
  for (const char* peer : {"1", "0"})
    text += std::string("rank ") + (*peer == '1' ? "0" : "1") + " {\ns: send 8b to " + peer + "\nr: recv 8b from " +
            peer + "\nr requires s\n}\n";
  const auto run = read(text);
  EXPECT_THAT(actions(*run, 0), ElementsAre("Send 1 0 8", "Recv 1 0 8", "Finalize"));
}

} // namespace
} // namespace timeless::trace::formats
