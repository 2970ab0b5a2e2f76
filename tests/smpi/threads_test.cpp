#include "tests/smpi/flat.h"

#include "base/error.h"
#include "replay/result/observer.h"
#include "tests/replay/random_program.h"
#include "tests/replay/thread_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <utility>
#include <vector>

/// Ranks several of whose threads call MPI.
namespace timeless::replay {
namespace {

using test::await;
using test::signal;
using test::turn_to;
using testing::HasSubstr;
using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::Rank;
using trace::RequestId;

/// Messages one after the other, each half of which is some thread's; completions by any thread; signals and waits.
class ThreadedProgram {
public:
  ThreadedProgram(unsigned seed, bool probes) : random_(seed), probes_(probes), program_(pick(1, 5), 16) {}

  MemorySource make() {
    open_.resize(static_cast<std::size_t>(program_.run().size));
    for (Rank rank = 0; rank < program_.run().size; ++rank)
      turn_to(program_, rank, 0);
    for (int left = pick(5, 200); left > 0; --left)
      add_message();
    for (Rank rank = 0; rank < program_.run().size; ++rank)
      complete(rank, open_[static_cast<std::size_t>(rank)].size());
    program_.finalize();
    return std::move(program_);
  }

private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void turn(Rank rank) {
    if (pick(0, 9) == 0) signal(program_, rank, pick(0, 2));
    if (pick(0, 2) == 0) turn_to(program_, rank, pick(0, 3));
    if (pick(0, 9) == 0) await(program_, rank, pick(0, 2));
    if (pick(0, 1) == 0) program_.compute(rank, static_cast<std::uint64_t>(pick(0, 100'000)));
  }

  void add_message() {
    const Rank from = pick(0, program_.run().size - 1);
    const Rank to = pick(0, program_.run().size - 1);
    const auto bytes = static_cast<Bytes>(pick(0, 3) == 0 ? pick(0, 2'000'000) : pick(0, 3000));
    const trace::Tag tag = pick(0, 1);
    half({.kind = ActionKind::send, .peer = to, .tag = tag, .bytes = bytes}, from);
    if (pick(0, 5) == 0 && probes_) {
      turn(to);
      program_.add(to, {.kind = ActionKind::probe, .peer = from, .tag = tag, .bytes = bytes});
      program_.add(to, {.kind = ActionKind::receive, .peer = from, .tag = tag, .bytes = bytes});
      return;
    }
    half({.kind = ActionKind::receive, .peer = from, .tag = tag, .bytes = bytes}, to);
  }

  void half(Action action, Rank rank) {
    auto& open = open_[static_cast<std::size_t>(rank)];
    turn(rank);
    if (pick(0, 1) == 0) {
      while (std::ranges::find(open, action.request = free_++ % 8) != open.end()) {
      }
      if (pick(0, 4) == 0) action.flags = trace::flag_persistent;
      open.push_back(action.request);
    }
    program_.add(rank, action);
    if (open.size() > 6 || (!open.empty() && pick(0, 5) == 0))
      complete(rank, static_cast<std::size_t>(pick(1, static_cast<int>(open.size()))));
  }

  void complete(Rank rank, std::size_t count) {
    auto& open = open_[static_cast<std::size_t>(rank)];
    if (count == 0) return;
    turn(rank);
    const std::vector<RequestId> chosen(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(count));
    open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(count));
    program_.add(rank, {.kind = ActionKind::wait_all, .requests = chosen});
  }

  std::mt19937 random_;
  bool probes_;
  MemorySource program_;
  std::vector<std::vector<RequestId>> open_;
  RequestId free_ = 0;
};

class SmpiThreads : public testing::TestWithParam<unsigned> {};

TEST_P(SmpiThreads, end_in_the_model_when_they_end_in_SMPI) {
  expect_equal_ends(ThreadedProgram(GetParam(), true).make());
}

/// What each action took, and whose it was.
class Rows : public Observer {
public:
  std::size_t lane(std::span<const std::string>) override { return 0; }
  void begin(const trace::Run&) override { rows.clear(); }
  void observe(const ObservedAction& action) override {
    rows[{action.rank, action.ordinal}] = {action.thread, action.start, action.end};
  }

  struct Row {
    Rank thread = 0;
    double start = 0;
    double end = 0;
  };
  std::map<std::pair<Rank, std::uint64_t>, Row> rows;
};

TEST_P(SmpiThreads, have_the_rows_and_parts_that_they_have_in_the_model) {
  // SMPI's probes last as long as their message's way.
  const MemorySource program = ThreadedProgram(GetParam(), false).make();
  const Mapping mapping = one_per_host(program.run().size);
  Rows modelled;
  Rows simulated;
  ReplayOptions options;
  options.attribute = AttributeBy::calls;
  options.observer = &modelled;
  const Network network = simgrid_network(flat(), program.run(), mapping, {});
  const Result model = replay(program, network, options);
  SmpiOptions in_smpi;
  in_smpi.attribute = AttributeBy::calls;
  in_smpi.observer = &simulated;
  const Result smpi = smpi_replay(program, flat(), mapping, in_smpi).replay;
  ASSERT_EQ(simulated.rows.size(), modelled.rows.size());
  for (const auto& [action, row] : modelled.rows) {
    EXPECT_EQ(simulated.rows[action].thread, row.thread);
    EXPECT_NEAR(simulated.rows[action].start, row.start, 1e-11);
    EXPECT_NEAR(simulated.rows[action].end, row.end, 1e-11);
  }
  const auto named = [](const Result& result) {
    std::map<std::pair<Rank, std::string>, std::pair<std::uint64_t, double>> parts;
    for (const AttributedTimes& part : result.attribution.parts)
      parts[{part.rank, result.attribution.calls[part.subject]}] = {part.count, part.lanes[0].end};
    return parts;
  };
  const auto parts = named(model);
  for (const auto& [subject, part] : named(smpi)) {
    const auto found = parts.find(subject);
    ASSERT_TRUE(found != parts.end() || part.second == 0) << subject.second;
    if (found == parts.end()) continue;
    EXPECT_EQ(part.first, found->second.first) << subject.second;
    EXPECT_NEAR(part.second, found->second.second, 1e-11) << subject.second << " of rank " << subject.first;
  }
}

TEST_P(SmpiThreads, of_any_program_come_to_an_end) {
  const MemorySource program =
      test::random_program(GetParam(), {.most_ranks = 5, .most_events = 300, .most_threads = 4});
  try {
    EXPECT_EQ(smpi_ends(program).size(), static_cast<std::size_t>(program.run().size));
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::missing_capability) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(random, SmpiThreads, testing::Range(1U, 61U));

TEST(SmpiThread, receives_what_another_has_probed) {
  for (const bool matched : {false, true}) {
    MemorySource program(2);
    program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1000});
    turn_to(program, 1, 1);
    program.add(1, {.kind = ActionKind::probe,
                    .flags = static_cast<std::uint16_t>(matched ? trace::flag_matched : 0),
                    .peer = 0,
                    .bytes = 1000});
    turn_to(program, 1, 0);
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000});
    program.finalize();
    EXPECT_NEAR(smpi_ends(program)[1], message(1000), 1e-12);
  }
}

TEST(SmpiThread, may_send_to_another_of_its_rank) {
  MemorySource program(1);
  program.add(0, {.kind = ActionKind::send, .mode = trace::SendMode::synchronous, .peer = 0, .bytes = 8});
  turn_to(program, 0, 7);
  program.compute(0, 1'000'000);
  program.add(0, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  program.finalize();
  expect_equal_ends(program);
}

TEST(SmpiThread, keeps_the_message_that_it_received_whoever_comes_first) {
  MemorySource program(2);
  // Thread 1 of rank 1 comes first, but the first message is for thread 0, whose answer lets the second leave.
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 9, .bytes = 8});
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8});
  program.compute(1, 1'000'000);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 9, .bytes = 8});
  turn_to(program, 1, 1);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  program.finalize();
  expect_equal_ends(program);
}

TEST(SmpiThread, accesses_a_file_beside_collective_calls_of_others) {
  MemorySource program(2);
  const trace::CommunicatorId file = program.add_communicator({0, 1});
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::file_open, .new_communicator = file});
  const Action together{.kind = ActionKind::file_write_all, .communicator = file, .bytes = 1'000'000};
  const Action alone{.kind = ActionKind::file_write, .communicator = file, .bytes = 1'000'000};
  // What one ends first, the other ends last.
  program.add(0, together);
  turn_to(program, 0, 1);
  program.add(0, alone);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8});
  turn_to(program, 1, 1);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  program.add(1, alone);
  turn_to(program, 1, 0);
  program.add(1, together);
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::file_close, .communicator = file});
  program.finalize();
  expect_equal_ends(program);
}

TEST(SmpiThread, computes_when_there_is_a_core_for_it) {
  MemorySource program(2);
  for (const Rank rank : {0, 1})
    for (const Rank thread : {0, 1, 2, 3}) {
      turn_to(program, rank, thread);
      program.compute(rank, 1'000'000);
    }
  program.finalize();
  for (const std::uint32_t cores : {0U, 1U, 2U, 3U, 4U, 9U}) {
    SmpiOptions options;
    options.cores_per_rank = cores;
    const double together = cores == 0 ? 4 : std::min(cores, 4U);
    for (const double end : smpi_ends(program, flat(), one_per_host(2), options))
      EXPECT_NEAR(end, std::ceil(4 / together) * 1e-3, 1e-12) << cores;
  }
}

TEST(SmpiThread, has_cores_in_the_order_in_which_threads_ask_as_in_the_model) {
  MemorySource program(3);
  for (const Rank thread : {1, 2}) {
    turn_to(program, 0, thread);
    program.add(0, {.kind = ActionKind::receive, .peer = thread, .tag = thread, .bytes = 1000});
    program.compute(0, 7'000'000);
    program.add(0, {.kind = ActionKind::send, .peer = thread, .tag = thread, .bytes = 1000});
    program.compute(0, 3'000'000);
  }
  turn_to(program, 0, 0);
  for (int burst = 0; burst < 4; ++burst) {
    program.compute(0, 2'000'000);
    program.add(0, {.kind = ActionKind::send, .peer = 0, .tag = 5, .bytes = 8});
    program.add(0, {.kind = ActionKind::receive, .peer = 0, .tag = 5, .bytes = 8});
  }
  for (const Rank rank : {1, 2}) {
    program.compute(rank, rank == 1 ? 3'000'000 : 1'000'000);
    program.add(rank, {.kind = ActionKind::send, .peer = 0, .tag = rank, .bytes = 1000});
    program.add(rank, {.kind = ActionKind::receive, .peer = 0, .tag = rank, .bytes = 1000});
  }
  program.finalize();
  for (const std::uint32_t cores : {1U, 2U, 3U}) {
    SmpiOptions in_smpi;
    in_smpi.cores_per_rank = cores;
    ReplayOptions options;
    options.cores_per_rank = cores;
    const Network network = simgrid_network(flat(), program.run(), one_per_host(3), {});
    const std::vector<double> modelled = ends(replay(program, network, options));
    const std::vector<double> simulated = smpi_ends(program, flat(), one_per_host(3), in_smpi);
    for (const std::size_t rank : {0U, 1U, 2U})
      EXPECT_NEAR(modelled[rank], simulated[rank], tolerance) << "rank " << rank << ", " << cores << " cores";
  }
}

TEST(SmpiThread, that_waits_in_vain_is_named) {
  MemorySource program(2);
  turn_to(program, 1, 3);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 2, .bytes = 8});
  program.finalize();
  try {
    smpi_ends(program);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    EXPECT_THAT(error.what(), HasSubstr("rank 1, thread 3, action 1: Recv from 0 with tag 2"));
  }
}

TEST(SmpiThread, after_thread_has_room_for_the_next) {
  MemorySource program(1, 64);
  constexpr Rank threads = 3000;
  for (Rank thread = 1; thread <= threads; ++thread) {
    signal(program, 0, 2 * thread);
    turn_to(program, 0, thread);
    await(program, 0, 2 * thread);
    program.compute(0, 1'000);
    program.add(0, {.kind = ActionKind::barrier});
    signal(program, 0, 2 * thread + 1);
    turn_to(program, 0, 0);
    await(program, 0, 2 * thread + 1);
  }
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[0], threads * 1e-6, 1e-9);
}

} // namespace
} // namespace timeless::replay
