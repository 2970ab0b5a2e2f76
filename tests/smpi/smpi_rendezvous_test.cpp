#include "tests/smpi/machine.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

namespace timeless::replay {
namespace {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::RequestId;

const SimgridPlatform& platform() {
  return machine(TIMELESS_TEST_PLATFORMS "/rendezvous.xml");
}

/// Messages of all sizes chosen one after the other, each rank's halves in that order, blocking or not, synchronous now
/// and then: no rank waits in vain, whatever waits for its receive.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random_(seed), program_(pick(2, 7)) {
    open_.resize(static_cast<std::size_t>(program_.run().size));
    const int messages = pick(10, 120);
    for (int i = 0; i < messages; ++i)
      pick(0, 5) == 0 ? add_exchange() : add_message();
    for (Rank rank = 0; rank < program_.run().size; ++rank)
      complete(rank);
    program_.finalize();
  }

  MemorySource take() { return std::move(program_); }

private:
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  Rank any_rank() { return pick(0, program_.run().size - 1); }
  Bytes any_size() { return static_cast<Bytes>(pick(0, 2) == 0 ? pick(0, 500'000) : pick(0, 4000)); }
  std::vector<RequestId>& open(Rank rank) { return open_[static_cast<std::size_t>(rank)]; }

  void compute(Rank rank) {
    if (pick(0, 2) == 0) program_.compute(rank, static_cast<std::uint64_t>(pick(0, 200'000)));
  }

  void add_message() {
    const Rank from = any_rank();
    const Rank to = (from + pick(1, program_.run().size - 1)) % program_.run().size;
    const Bytes bytes = any_size();
    const trace::Tag tag = pick(0, 2);
    const auto mode = pick(0, 9) == 0 ? trace::SendMode::synchronous : trace::SendMode::standard;
    half({.kind = ActionKind::send, .mode = mode, .peer = to, .tag = tag, .bytes = bytes}, from);
    half({.kind = ActionKind::receive, .peer = from, .tag = tag, .bytes = bytes}, to);
  }

  void half(Action action, Rank rank) {
    compute(rank);
    if (pick(0, 1) == 0) {
      action.request = static_cast<RequestId>(open(rank).size());
      if (pick(0, 4) == 0) action.flags = trace::flag_persistent;
      open(rank).push_back(action.request);
    }
    program_.add(rank, action);
    if (pick(0, 5) == 0) complete(rank);
  }

  /// Both at once, each to the other.
  void add_exchange() {
    const Rank one = any_rank();
    const Rank other = (one + pick(1, program_.run().size - 1)) % program_.run().size;
    const Bytes there = any_size();
    const Bytes back = any_size();
    for (const auto& [rank, peer, sent, received] : {std::tuple(one, other, there, back), {other, one, back, there}}) {
      compute(rank);
      program_.add(rank, {.kind = ActionKind::exchange,
                          .peer = peer,
                          .tag = 7,
                          .bytes = sent,
                          .receive_peer = peer,
                          .receive_tag = 7,
                          .receive_bytes = received});
    }
  }

  void complete(Rank rank) {
    if (open(rank).empty()) return;
    program_.add(rank, {.kind = pick(0, 1) == 0 ? ActionKind::wait_all : ActionKind::test_all, .requests = open(rank)});
    open(rank).clear();
  }

  std::mt19937 random_;
  MemorySource program_;
  std::vector<std::vector<RequestId>> open_;
};

class RendezvousProgram : public testing::TestWithParam<unsigned> {};

TEST_P(RendezvousProgram, ends_in_the_model_when_it_ends_in_SMPI) {
  const MemorySource program = RandomProgram(GetParam()).take();
  const Mapping mapping = one_per_host(program.run().size);
  const std::vector<double> simulated = smpi_ends(program, platform(), mapping);
  const std::vector<double> modelled = model_ends(program, platform(), mapping);
  ASSERT_EQ(simulated.size(), modelled.size());
  for (std::size_t rank = 0; rank < simulated.size(); ++rank)
    EXPECT_NEAR(modelled[rank], simulated[rank], 1e-9 * std::max(1e-3, simulated[rank])) << "rank " << rank;
}

INSTANTIATE_TEST_SUITE_P(random, RendezvousProgram, testing::Range(1U, 41U));

TEST(RendezvousInSmpi, keeps_the_sender_as_long_as_in_the_model) {
  for (const Bytes bytes : {Bytes{1999}, Bytes{2000}, Bytes{2001}, Bytes{1'000'000}}) {
    MemorySource program(2);
    program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = bytes});
    program.compute(1, 3'000'000);
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
    program.finalize();
    const Mapping mapping = one_per_host(2);
    const std::vector<double> simulated = smpi_ends(program, platform(), mapping);
    const std::vector<double> modelled = model_ends(program, platform(), mapping);
    EXPECT_NEAR(modelled[0], simulated[0], 1e-12) << bytes;
    EXPECT_NEAR(modelled[1], simulated[1], 1e-12) << bytes;
    EXPECT_EQ(simulated[0] > 3e-3, bytes >= 2000);
  }
}

// SMPI's small messages look for receives of large ones, and large messages for these alone: given sizes as they are,
// the first message takes the second receive, and the second finds none.
TEST(RendezvousInSmpi, takes_receives_in_their_order_whatever_their_sizes) {
  constexpr Bytes small = 100;
  constexpr Bytes large = 1'000'000;
  for (const auto& [first, second] : {std::pair{small, large}, {large, small}, {large, large}}) {
    MemorySource program(2);
    const RequestId requests[] = {0, 1};
    program.compute(0, 1'000'000);
    program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = first});
    program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = second});
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = first, .request = requests[0]});
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = second, .request = requests[1]});
    program.add(1, {.kind = ActionKind::wait, .requests = {&requests[0], 1}});
    program.compute(1, 5'000'000);
    program.add(1, {.kind = ActionKind::wait, .requests = {&requests[1], 1}});
    program.finalize();
    const std::vector<double> smpi = smpi_ends(program, platform(), one_per_host(2));
    const std::vector<double> model = model_ends(program, platform(), one_per_host(2));
    EXPECT_NEAR(smpi[0], model[0], 1e-9) << first;
    EXPECT_NEAR(smpi[1], model[1], 1e-9) << first;
  }
}

// A receive of 2 to 4 GiB is a small one to SMPI, which takes sizes for ints.
TEST(RendezvousInSmpi, receives_into_more_room_than_an_int_counts) {
  MemorySource program(2);
  program.compute(0, 1'000'000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1'000'000});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = Bytes{3} << 30U});
  program.finalize();
  EXPECT_GT(smpi_ends(program, platform(), one_per_host(2))[1], 2e-3);
}

TEST(RendezvousInSmpi, ends_in_a_deadlock_where_the_model_does) {
  MemorySource program(2);
  for (const Rank rank : {0, 1}) {
    program.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 2000});
    program.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 2000});
  }
  program.finalize();
  const Mapping mapping = one_per_host(2);
  EXPECT_THROW(model_ends(program, platform(), mapping), ReplayProblem);
  try {
    smpi_ends(program, platform(), mapping);
    FAIL() << "SMPI let both ranks send first";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
  }
}

} // namespace
} // namespace timeless::replay
