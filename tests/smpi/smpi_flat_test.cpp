#include "tests/smpi/flat.h"
#include "tests/trace/contradictory_outcomes.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <random>

namespace timeless::replay {
namespace {

using testing::HasSubstr;
using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::RequestId;

/// Returns the Error that SMPI's replay of this program ends with.
Error refusal(const MemorySource& program) {
  try {
    smpi_ends(program);
  } catch (const Error& error) {
    return error;
  }
  return {Failure::runtime, "nothing was refused"};
}

/// Point-to-point programs without deadlock: messages are chosen one after the other, and every rank sends and receives
/// its own in that order, blocking or not, with computation between and completions now and then.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random_(seed), program_(pick(2, 9)) {}

  MemorySource make() {
    const auto ranks = static_cast<std::size_t>(program_.run().size);
    open_.resize(ranks);
    const int messages = pick(10, 150);
    for (int i = 0; i < messages; ++i)
      add_message();
    for (std::size_t rank = 0; rank < ranks; ++rank)
      complete(static_cast<Rank>(rank), open_[rank].size());
    program_.finalize();
    return std::move(program_);
  }

private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  void add_message() {
    const Rank from = pick(0, program_.run().size - 1);
    const Rank to = pick(0, program_.run().size - 1);
    const auto bytes = static_cast<Bytes>(pick(0, 3) == 0 ? pick(0, 2'000'000) : pick(0, 3000));
    const trace::Tag tag = pick(0, 2);
    half({.kind = ActionKind::send, .peer = to, .tag = tag, .bytes = bytes}, from);
    half({.kind = ActionKind::receive, .peer = from, .tag = tag, .bytes = bytes}, to);
  }

  void half(Action action, Rank rank) {
    auto& open = open_[static_cast<std::size_t>(rank)];
    if (pick(0, 2) == 0) program_.compute(rank, static_cast<std::uint64_t>(pick(0, 100'000)));
    if (pick(0, 1) == 0) {
      action.request = free_request(open);
      if (pick(0, 4) == 0) action.flags = trace::flag_persistent;
      open.push_back(action.request);
    }
    program_.add(rank, action);
    if (!open.empty() && pick(0, 5) == 0)
      complete(rank, static_cast<std::size_t>(pick(1, static_cast<int>(open.size()))));
  }

  static RequestId free_request(const std::vector<RequestId>& open) {
    RequestId id = 0;
    while (std::ranges::find(open, id) != open.end())
      ++id;
    return id;
  }

  void complete(Rank rank, std::size_t count) {
    auto& open = open_[static_cast<std::size_t>(rank)];
    if (count == 0) return;
    const std::vector<RequestId> chosen(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(count));
    open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(count));
    constexpr std::array kinds{ActionKind::wait_all, ActionKind::wait_some, ActionKind::test_all,
                               ActionKind::test_some};
    program_.add(rank, {.kind = kinds[static_cast<std::size_t>(pick(0, 3))], .requests = chosen});
  }

  std::mt19937 random_;
  MemorySource program_;
  std::vector<std::vector<RequestId>> open_;
};

class PointToPointProgram : public testing::TestWithParam<unsigned> {};

TEST_P(PointToPointProgram, ends_in_the_model_when_it_ends_in_SMPI) {
  expect_equal_ends(RandomProgram(GetParam()).make());
}

TEST_P(PointToPointProgram, ends_at_the_same_time_with_ranks_sharing_hosts) {
  const MemorySource program = RandomProgram(GetParam()).make();
  std::vector<std::uint32_t> hosts;
  for (Rank rank = 0; rank < program.run().size; ++rank)
    hosts.push_back(static_cast<std::uint32_t>(rank) / 3);
  expect_equal_ends(program, placed(hosts));
}

INSTANTIATE_TEST_SUITE_P(random, PointToPointProgram, testing::Range(1U, 41U));

TEST(Message, takes_latency_then_bytes_over_bandwidth) {
  EXPECT_NEAR(smpi_ends(one_message(1'000'000))[1], message(1'000'000), 1e-15);
}

TEST(Message, received_late_costs_nothing_more) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1'000'000});
  program.compute(1, 3'000'000);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1'000'000});
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::ElementsAre(0, testing::DoubleNear(3e-3, 1e-15)));
}

TEST(Message, of_more_than_2_GiB_keeps_its_size) {
  for (const Bytes bytes : {Bytes{3} << 30U, Bytes{20} << 30U}) {
    const std::vector<double> ends = smpi_ends(one_message(bytes));
    EXPECT_NEAR(ends[1] / message(bytes), 1, 1e-8);
    EXPECT_EQ(ends[0], ends[1]) << "its sender waits for it";
  }
}

TEST(Message, synchronous_keeps_its_sender) {
  for (const RequestId request : {trace::no_request, RequestId{3}}) {
    MemorySource program(2);
    program.add(
        0, {.kind = ActionKind::send, .mode = trace::SendMode::synchronous, .peer = 1, .bytes = 8, .request = request});
    if (request != trace::no_request) program.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
    program.compute(1, 1'000'000);
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
    program.finalize();
    EXPECT_NEAR(smpi_ends(program)[0], 1e-3 + message(8), 1e-12);
  }
}

TEST(Message, buffered_or_ready_does_not_keep_its_sender) {
  for (const trace::SendMode mode : {trace::SendMode::buffered, trace::SendMode::ready}) {
    MemorySource program(2);
    program.add(0, {.kind = ActionKind::send, .mode = mode, .peer = 1, .bytes = 1'000'000});
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1'000'000});
    program.finalize();
    EXPECT_THAT(smpi_ends(program), testing::ElementsAre(0, testing::DoubleNear(message(1'000'000), 1e-12)));
  }
}

TEST(Message, to_or_from_MPI_PROC_NULL_is_none) {
  MemorySource program(1);
  const RequestId request = 0;
  program.add(0, {.kind = ActionKind::send, .peer = trace::no_rank, .bytes = 8});
  program.add(0, {.kind = ActionKind::receive, .peer = trace::no_rank, .bytes = 8, .request = request});
  program.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
  program.finalize();
  EXPECT_EQ(smpi_ends(program)[0], 0);
}

TEST(Exchange, sends_and_receives_at_once) {
  MemorySource program(3);
  for (Rank rank = 0; rank < 3; ++rank)
    program.add(rank, {.kind = rank == 1 ? ActionKind::exchange_replace : ActionKind::exchange,
                       .peer = (rank + 1) % 3,
                       .tag = 4,
                       .bytes = 5000,
                       .receive_peer = (rank + 2) % 3,
                       .receive_tag = 4,
                       .receive_bytes = 5000});
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::Each(testing::DoubleNear(message(5000), 1e-12)));
  expect_equal_ends(program);
}

TEST(Exchange, with_a_half_to_MPI_PROC_NULL_is_a_send) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::exchange, .peer = 1, .bytes = 5000});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 5000});
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::ElementsAre(0, testing::DoubleNear(message(5000), 1e-12)));
}

TEST(Probe, waits_for_its_message_which_is_then_there) {
  for (const ActionKind kind : {ActionKind::probe, ActionKind::poll}) {
    MemorySource program(2);
    program.compute(0, 500'000);
    program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 7, .bytes = 1'000'000});
    program.add(1, {.kind = kind, .peer = 0, .tag = 7, .bytes = 1'000'000});
    program.add(1, {.kind = kind, .peer = 0, .tag = 7, .bytes = 1'000'000});
    program.compute(1, 100'000);
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 7, .bytes = 1'000'000});
    program.finalize();
    EXPECT_NEAR(smpi_ends(program)[1], 0.5e-3 + message(1'000'000) + 0.1e-3, 1e-12);
  }
}

TEST(Probe, followed_by_its_receive_costs_nothing_in_either_model) {
  MemorySource program(2);
  program.compute(0, 500'000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1'000'000});
  program.add(1, {.kind = ActionKind::probe, .peer = 0, .bytes = 1'000'000});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1'000'000});
  program.finalize();
  expect_equal_ends(program);
}

TEST(Probe, matched_twice_takes_two_messages) {
  MemorySource program(2);
  for (int i = 0; i < 2; ++i) {
    program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 100});
    program.compute(0, 1'000'000);
    program.add(1, {.kind = ActionKind::probe, .flags = trace::flag_matched, .peer = 0, .bytes = 100});
  }
  for (int i = 0; i < 2; ++i)
    program.add(1, {.kind = ActionKind::receive, .flags = trace::flag_matched, .peer = 0, .bytes = 100});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[1], 1e-3 + message(100), 1e-12);
}

TEST(Request, persistent_is_started_and_completed_again_and_again) {
  MemorySource program(2);
  const RequestId request = 5;
  for (int i = 0; i < 3; ++i) {
    for (const Rank rank : {0, 1}) {
      program.add(rank, {.kind = rank == 0 ? ActionKind::send : ActionKind::receive,
                         .flags = trace::flag_persistent,
                         .peer = 1 - rank,
                         .bytes = 1000,
                         .request = request});
      program.compute(rank, 1'000'000);
      program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
    }
  }
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::request_free, .request = request});
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::Each(testing::DoubleNear(3e-3, 1e-12)));
}

TEST(Request, cancelled_receive_takes_no_message) {
  MemorySource program(2);
  const RequestId request = 0;
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 100, .request = request});
  program.add(1, {.kind = ActionKind::cancelled, .request = request});
  program.add(1, {.kind = ActionKind::wait, .requests = {&request, 1}});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 100});
  program.compute(0, 1'000'000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 100});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[1], 1e-3 + message(100), 1e-12);
}

TEST(Request, receive_from_anyone_takes_what_it_was_later_seen_to_have_taken) {
  MemorySource program(3);
  const RequestId request = 0;
  program.add(
      0,
      {.kind = ActionKind::receive, .peer = trace::any_rank, .tag = trace::any_tag, .bytes = 100, .request = request});
  program.add(0, {.kind = ActionKind::resolved, .peer = 2, .tag = 9, .bytes = 100, .request = request});
  program.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 9, .bytes = 100});
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 9, .bytes = 100});
  program.compute(2, 1'000'000);
  program.add(2, {.kind = ActionKind::send, .peer = 0, .tag = 9, .bytes = 100});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[0], 1e-3 + message(100), 1e-12);
  expect_equal_ends(program);
}

TEST(Request, cancelled_or_resolved_without_reason_is_refused_with_rank_and_action) {
  for (const trace::test::ContradictoryOutcome& wrong : trace::test::contradictory_outcomes()) {
    SCOPED_TRACE(wrong.name);
    const Error error = refusal(wrong.program);
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    EXPECT_EQ(error.where(), place(wrong));
  }
}

TEST(Request, freed_under_way_still_completes) {
  MemorySource program(2);
  const RequestId request = 0;
  program.add(
      0, {.kind = ActionKind::send, .mode = trace::SendMode::synchronous, .peer = 1, .bytes = 100, .request = request});
  program.add(0, {.kind = ActionKind::request_free, .request = request});
  program.compute(1, 1'000'000);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 100});
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::ElementsAre(0, testing::DoubleNear(1e-3 + message(100), 1e-12)));
}

TEST(Communicator, ranks_are_those_of_the_communicator) {
  MemorySource program(4);
  const auto reversed = program.add_communicator({3, 2, 1, 0});
  program.add(3, {.kind = ActionKind::send, .communicator = reversed, .peer = 3, .bytes = 1000});
  program.add(0, {.kind = ActionKind::receive, .communicator = reversed, .peer = 0, .bytes = 1000});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[0], message(1000), 1e-12);
}

TEST(Communicator, messages_of_one_are_not_seen_in_another) {
  MemorySource program(2);
  const auto other = program.add_communicator({0, 1});
  program.add(0, {.kind = ActionKind::send, .communicator = other, .peer = 1, .bytes = 8});
  program.compute(0, 1'000'000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
  program.add(1, {.kind = ActionKind::receive, .communicator = other, .peer = 0, .bytes = 8});
  program.finalize();
  EXPECT_NEAR(smpi_ends(program)[1], 1e-3 + message(8), 1e-12);
}

TEST(Communicator, collectives_bind_its_members_only) {
  MemorySource program(4);
  const auto even = program.add_communicator({0, 2});
  const auto odd = program.add_communicator({3, 1});
  for (const Rank rank : {0, 1, 2, 3}) {
    program.compute(rank, rank % 2 == 0 ? 1'000'000 : 5'000'000);
    program.add(rank, {.kind = ActionKind::barrier, .communicator = rank % 2 == 0 ? even : odd});
  }
  program.finalize();
  const std::vector<double> ends = smpi_ends(program);
  EXPECT_NEAR(ends[0], 1e-3, 1e-4);
  EXPECT_NEAR(ends[1], 5e-3, 1e-4);
}

TEST(Communicator, creation_makes_the_parents_members_meet) {
  for (const ActionKind kind :
       {ActionKind::comm_dup, ActionKind::comm_split, ActionKind::comm_create, ActionKind::cart_create}) {
    MemorySource program(3);
    const auto made = program.add_communicator({0, 1});
    program.compute(2, 2'000'000);
    for (const Rank rank : {0, 1, 2})
      program.add(rank, {.kind = kind, .new_communicator = rank < 2 ? made : trace::no_communicator});
    for (const Rank rank : {0, 1})
      program.add(rank, {.kind = ActionKind::comm_free, .communicator = made});
    program.finalize();
    EXPECT_THAT(smpi_ends(program), testing::Each(testing::Ge(2e-3))) << name(kind);
  }
}

TEST(Communicator, created_by_its_group_alone_leaves_the_others_be) {
  MemorySource program(3);
  const auto made = program.add_communicator({0, 1});
  program.compute(2, 2'000'000);
  for (const Rank rank : {0, 1})
    program.add(rank, {.kind = ActionKind::comm_create_group, .new_communicator = made});
  program.finalize();
  EXPECT_LT(smpi_ends(program)[0], 1e-3);
}

// Collectives.

struct Collective {
  const char* name;
  Action action;
  double least; ///< seconds after the last rank came: one message at least, for all but roots
};

void PrintTo(const Collective& collective, std::ostream* out) {
  *out << collective.name;
}

constexpr Bytes part = 1000;
const std::vector<Bytes> parts(6, part);

std::vector<Collective> collectives() {
  const std::span<const Bytes> all(parts);
  return {
      {"barrier", {.kind = ActionKind::barrier}, latency},
      {"broadcast", {.kind = ActionKind::broadcast, .peer = 0, .bytes = part}, message(part)},
      {"reduce", {.kind = ActionKind::reduce, .peer = 0, .bytes = part, .element_bytes = 8}, 0},
      {"allreduce", {.kind = ActionKind::allreduce, .bytes = part, .element_bytes = 4}, message(part)},
      {"allreduce_of_odd_elements",
       {.kind = ActionKind::allreduce, .bytes = 12 * 24, .element_bytes = 24},
       message(12 * 24)},
      {"allreduce_by_user",
       {.kind = ActionKind::allreduce,
        .flags = trace::flag_user_operation | trace::flag_noncommutative,
        .bytes = part,
        .element_bytes = 8},
       message(part)},
      {"gather", {.kind = ActionKind::gather, .peer = 0, .bytes = part, .receive_bytes = part}, 0},
      {"gatherv", {.kind = ActionKind::gatherv, .peer = 0, .bytes = part, .receive_counts = all}, 0},
      {"scatter", {.kind = ActionKind::scatter, .peer = 0, .bytes = part, .receive_bytes = part}, 0},
      {"scatterv", {.kind = ActionKind::scatterv, .peer = 0, .receive_bytes = part, .counts = all}, 0},
      {"allgather", {.kind = ActionKind::allgather, .bytes = part, .receive_bytes = part}, message(part)},
      {"allgatherv", {.kind = ActionKind::allgatherv, .bytes = part, .receive_counts = all}, message(part)},
      {"alltoall", {.kind = ActionKind::alltoall, .bytes = part, .receive_bytes = part}, message(part)},
      {"alltoallv", {.kind = ActionKind::alltoallv, .counts = all, .receive_counts = all}, message(part)},
      {"alltoallw", {.kind = ActionKind::alltoallw, .counts = all, .receive_counts = all}, message(part)},
      {"reduce_scatter", {.kind = ActionKind::reduce_scatter, .element_bytes = 8, .counts = all}, message(part)},
      {"reduce_scatter_block",
       {.kind = ActionKind::reduce_scatter_block, .bytes = part, .element_bytes = 8},
       message(part)},
      {"scan", {.kind = ActionKind::scan, .bytes = part, .element_bytes = 8}, 0},
      {"exscan", {.kind = ActionKind::exscan, .bytes = part, .element_bytes = 8}, 0},
  };
}

class EveryCollective : public testing::TestWithParam<Collective> {};

TEST_P(EveryCollective, moves_its_bytes_and_no_more_than_a_chain_of_them) {
  MemorySource program(6);
  for (Rank rank = 0; rank < 6; ++rank)
    program.add(rank, GetParam().action);
  program.finalize();
  const std::vector<double> ends = smpi_ends(program);
  const double last = *std::ranges::max_element(ends);
  EXPECT_GE(last, std::max(GetParam().least, latency) - 1e-12);
  EXPECT_LE(last, 12 * message(6 * part));
}

TEST_P(EveryCollective, nonblocking_overlaps_with_computation_and_is_done_at_its_wait) {
  MemorySource program(6);
  const RequestId request = 2;
  for (Rank rank = 0; rank < 6; ++rank) {
    Action action = GetParam().action;
    action.request = request;
    program.add(rank, action);
    program.compute(rank, 100'000'000);
    program.add(rank, {.kind = ActionKind::wait, .requests = {&request, 1}});
  }
  program.finalize();
  for (const double end : smpi_ends(program)) {
    EXPECT_GE(end, 0.1 - 1e-12);
    EXPECT_LE(end, 0.1 + 12 * message(6 * part));
  }
}

INSTANTIATE_TEST_SUITE_P(all, EveryCollective, testing::ValuesIn(collectives()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(CollectiveOf, one_rank_is_nothing) {
  for (const Collective& each : collectives()) {
    MemorySource program(1);
    Action action = each.action;
    action.counts = action.counts.first(std::min<std::size_t>(action.counts.size(), 1));
    action.receive_counts = action.receive_counts.first(std::min<std::size_t>(action.receive_counts.size(), 1));
    program.add(0, action);
    program.finalize();
    EXPECT_LE(smpi_ends(program)[0], 20e-6) << each.name;
  }
}

TEST(CollectiveOf, more_than_2_GiB_keeps_its_size) {
  for (const ActionKind kind : {ActionKind::broadcast}) {
    std::vector<double> last;
    for (const Bytes bytes : {Bytes{3} << 29U, Bytes{3} << 30U}) {
      MemorySource program(2);
      for (const Rank rank : {0, 1})
        program.add(rank, {.kind = kind, .peer = 0, .bytes = bytes, .element_bytes = 8});
      program.finalize();
      last.push_back(smpi_ends(program)[1]);
    }
    EXPECT_NEAR(last[1] / last[0], 2, 0.01) << name(kind);
  }
}

// What cannot be replayed.

TEST(Refusal, names_what_SMPI_has_no_equal_for_before_anything_runs) {
  MemorySource program(2);
  program.add(1, {.kind = ActionKind::neighbor_alltoall, .bytes = 8, .receive_bytes = 8});
  program.add(1, {.kind = ActionKind::neighbor_allgather, .bytes = 8, .receive_bytes = 8});
  program.add(0, {.kind = ActionKind::comm_spawn, .peer = 0});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 8});
  program.finalize();
  const Error error = refusal(program);
  EXPECT_EQ(error.failure(), Failure::missing_capability);
  EXPECT_THAT(error.what(), HasSubstr("Neighbor_alltoall whose neighbours were not recorded"));
  EXPECT_THAT(error.what(), HasSubstr("Neighbor_allgather whose neighbours were not recorded"));
  EXPECT_THAT(error.what(), HasSubstr("processes of another MPI_COMM_WORLD"));
  EXPECT_THAT(error.what(), HasSubstr("--backend model"));
}

TEST(Refusal, of_sizes_beyond_counts) {
  const Bytes large = Bytes{40} << 30U;
  MemorySource vector(1);
  vector.add(0, {.kind = ActionKind::allgatherv, .bytes = large, .receive_counts = {&large, 1}});
  vector.finalize();
  EXPECT_EQ(refusal(vector).failure(), Failure::missing_capability);
  EXPECT_EQ(refusal(one_message(large)).failure(), Failure::missing_capability);
}

TEST(Deadlock, names_the_ranks_and_what_they_wait_for) {
  MemorySource program(3);
  program.compute(0, 1000);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 3, .bytes = 8});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 3, .bytes = 8});
  program.finalize();
  const Error error = refusal(program);
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.what(), HasSubstr("2 of 3 ranks wait"));
  EXPECT_THAT(error.what(), HasSubstr("rank 0, action 1: Recv from 1 with tag 3"));
  EXPECT_THAT(error.what(), HasSubstr("rank 1, action 0: Recv from 0 with tag 3"));
}

TEST(Deadlock, of_senders_that_wait_for_each_other_is_found) {
  MemorySource program(2);
  for (const Rank rank : {0, 1}) {
    program.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = Bytes{1} << 30U});
    program.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = Bytes{1} << 30U});
  }
  program.finalize();
  EXPECT_THAT(refusal(program).what(), HasSubstr("Send to 1"));
}

TEST(Deadlock, of_a_collective_that_a_rank_never_enters_is_found) {
  MemorySource program(3);
  program.add(0, {.kind = ActionKind::barrier});
  program.add(1, {.kind = ActionKind::barrier});
  program.finalize();
  EXPECT_THAT(refusal(program).what(), HasSubstr("Barrier"));
}

TEST(InvalidTrace, is_refused_with_rank_and_action) {
  MemorySource peer(2);
  peer.add(0, {.kind = ActionKind::send, .peer = 7, .bytes = 8});
  peer.finalize();
  EXPECT_THAT(refusal(peer).what(), HasSubstr("rank 0, action 0: Send to 7"));

  MemorySource stranger(2);
  const auto other = stranger.add_communicator({1});
  stranger.add(0, {.kind = ActionKind::barrier, .communicator = other});
  stranger.finalize();
  EXPECT_THAT(refusal(stranger).what(), HasSubstr("no member of communicator 1"));

  MemorySource unknown(1);
  unknown.add(0, {.kind = ActionKind::barrier, .communicator = 9});
  unknown.finalize();
  EXPECT_THAT(refusal(unknown).what(), HasSubstr("does not define"));
}

TEST(InvalidTrace, without_one_of_its_ranks_is_refused) {
  MemorySource program(2);
  program.finalize();
  program.description().ranks.pop_back();
  EXPECT_THAT(refusal(program).what(), HasSubstr("does not hold rank 1"));
}

TEST(Clock, starts_at_0_for_every_rank_when_all_are_ready) {
  MemorySource program(32);
  program.finalize();
  EXPECT_THAT(smpi_ends(program), testing::Each(0));
}

TEST(Clock, is_the_same_in_every_replay_of_the_platform) {
  const MemorySource program = RandomProgram(7).make();
  EXPECT_EQ(smpi_ends(program), smpi_ends(program));
}

TEST(Result, counts_the_actions_and_says_only_ends) {
  const MemorySource program = one_message(8);
  const SmpiResult result = smpi_replay(program, flat(), one_per_host(2));
  EXPECT_EQ(result.replay.actions, 4U);
  EXPECT_FALSE(result.replay.attributed);
  EXPECT_EQ(result.replay.lanes[0].name, "flat");
  EXPECT_GT(result.cpu_seconds, 0);
}

TEST(Progress, is_told_while_the_simulation_runs) {
  MemorySource program(1);
  for (int i = 0; i < 100'000; ++i)
    program.compute(0, 1);
  program.finalize();
  std::vector<std::uint64_t> seen;
  const auto watch = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 100'001U);
    seen.push_back(done);
  };
  smpi_replay(program, flat(), one_per_host(1), {.progress = watch});
  EXPECT_GE(seen.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

} // namespace
} // namespace timeless::replay
