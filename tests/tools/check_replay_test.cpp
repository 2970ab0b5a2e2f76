// Programs that end in the replay, and that do not: `check` calls none consistent that `replay` refuses.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>

namespace timeless::tools {
namespace {

using testing::HasSubstr;
using trace::Action;
using trace::ActionKind;
using trace::MemorySource;
using trace::Rank;

Action synchronous_send(Rank to, trace::Tag tag = 0) {
  return {.kind = ActionKind::send, .mode = trace::SendMode::synchronous, .peer = to, .tag = tag, .bytes = 8};
}
Action receive(Rank from, trace::Tag tag = 0) {
  return {.kind = ActionKind::receive, .peer = from, .tag = tag, .bytes = 8};
}
Action mark(ActionKind kind, Rank number) {
  return {.kind = kind, .peer = number};
}

struct CheckedProgram {
  const char* name;
  Rank ranks;
  bool ends;
  std::function<void(MemorySource&)> fill;
};

void PrintTo(const CheckedProgram& program, std::ostream* out) {
  *out << program.name;
}

class CheckAndReplay : public testing::TestWithParam<CheckedProgram> {};

TEST_P(CheckAndReplay, agree) {
  const trace::test::TemporaryDirectory directory;
  MemorySource program(GetParam().ranks);
  GetParam().fill(program);
  program.finalize();
  const std::string path = directory / "program.tia";
  trace::test::write_archive(program, path);
  const test::Outcome checked = test::timeless_command({"check", path});
  EXPECT_EQ(checked.status, GetParam().ends ? 0 : 3) << checked.out;
  EXPECT_EQ(test::timeless_command({"replay", path, "--network", "e10g"}).status, GetParam().ends ? 0 : 3);
  if (!GetParam().ends) {
    EXPECT_THAT(checked.out, HasSubstr("in a replay"));
  }
}

const CheckedProgram programs[] = {
    {"synchronous_sends_to_each_other", 2, false,
     [](MemorySource& program) {
       for (const Rank rank : {0, 1}) {
         program.add(rank, synchronous_send(1 - rank));
         program.add(rank, receive(1 - rank));
       }
     }},
    {"sends_to_each_other", 2, true,
     [](MemorySource& program) {
       for (const Rank rank : {0, 1}) {
         program.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 8});
         program.add(rank, receive(1 - rank));
       }
     }},
    {"ring_of_synchronous_sends", 3, false,
     [](MemorySource& program) {
       for (const Rank rank : {0, 1, 2}) {
         program.add(rank, synchronous_send((rank + 1) % 3));
         program.add(rank, receive((rank + 2) % 3));
       }
     }},
    {"barrier_before_the_receive", 2, false,
     [](MemorySource& program) {
       program.add(0, synchronous_send(1));
       program.add(0, {.kind = ActionKind::barrier});
       program.add(1, {.kind = ActionKind::barrier});
       program.add(1, receive(0));
     }},
    {"thread_sends_to_another", 1, true,
     [](MemorySource& program) {
       program.add(0, synchronous_send(0));
       program.add(0, mark(ActionKind::thread, 1));
       program.add(0, receive(0));
     }},
    {"thread_receives_after_the_senders_signal", 1, false,
     [](MemorySource& program) {
       program.add(0, synchronous_send(0));
       program.add(0, mark(ActionKind::thread_signal, 1));
       program.add(0, mark(ActionKind::thread, 1));
       program.add(0, mark(ActionKind::thread_await, 1));
       program.add(0, receive(0));
     }},
    {"thread_awaits_a_signal_that_nobody_gives", 1, true,
     [](MemorySource& program) {
       program.add(0, mark(ActionKind::thread, 1));
       program.add(0, mark(ActionKind::thread_await, 5));
     }},
    {"threads_of_two_ranks_in_a_circle", 2, false,
     [](MemorySource& program) {
       // Thread 1 of each rank sends when thread 0 has received what the other's thread 1 sends.
       for (const Rank rank : {0, 1}) {
         program.add(rank, receive(1 - rank));
         program.add(rank, mark(ActionKind::thread_signal, 1));
         program.add(rank, mark(ActionKind::thread, 1));
         program.add(rank, mark(ActionKind::thread_await, 1));
         program.add(rank, synchronous_send(1 - rank));
       }
     }},
    {"threads_of_two_ranks_side_by_side", 2, true,
     [](MemorySource& program) {
       for (const Rank rank : {0, 1}) {
         program.add(rank, receive(1 - rank));
         program.add(rank, mark(ActionKind::thread, 1));
         program.add(rank, synchronous_send(1 - rank));
       }
     }},
    {"threads_call_collectives_of_two_communicators", 2, true,
     [](MemorySource& program) {
       const trace::CommunicatorId other = program.add_communicator({0, 1});
       for (const Rank rank : {0, 1})
         for (const Rank thread : {rank, 1 - rank}) {
           program.add(rank, mark(ActionKind::thread, thread));
           program.add(rank,
                       {.kind = ActionKind::barrier, .communicator = thread == 0 ? trace::world_communicator : other});
         }
     }},
};

INSTANTIATE_TEST_SUITE_P(table, CheckAndReplay, testing::ValuesIn(programs),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace timeless::tools
