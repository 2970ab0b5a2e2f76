#include "base/error.h"
#include "contradictory_outcomes.h"
#include "samples.h"
#include "trace/archive/reader.h"
#include "trace/model/request_outcomes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace timeless::trace {
namespace {

using testing::HasSubstr;

const RequestId zero[] = {0};

Action begin_receive(RequestId request, Rank peer = any_rank, Tag tag = any_tag) {
  return {.kind = ActionKind::receive, .peer = peer, .tag = tag, .bytes = 64, .request = request};
}

Action resolved(RequestId request, Rank peer, Tag tag, Bytes bytes) {
  return {.kind = ActionKind::resolved, .peer = peer, .tag = tag, .bytes = bytes, .request = request};
}

Action cancelled(RequestId request) {
  return {.kind = ActionKind::cancelled, .request = request};
}

RequestOutcomes outcomes_of_rank_0(std::initializer_list<Action> actions) {
  MemorySource program(1);
  for (const Action& action : actions)
    program.add(0, action);
  return outcomes_of(program, 0);
}

void expect_received(const RequestOutcome* request_outcome, Rank peer, Tag tag, Bytes bytes) {
  ASSERT_NE(request_outcome, nullptr);
  EXPECT_TRUE(request_outcome->resolved);
  EXPECT_FALSE(request_outcome->cancelled);
  EXPECT_EQ(request_outcome->peer, peer);
  EXPECT_EQ(request_outcome->tag, tag);
  EXPECT_EQ(request_outcome->bytes, bytes);
}

void expect_cancelled(const RequestOutcome* request_outcome) {
  ASSERT_NE(request_outcome, nullptr);
  EXPECT_TRUE(request_outcome->cancelled);
}

TEST(RequestOutcomes, are_of_the_action_that_began_the_request) {
  const RequestOutcomes found = outcomes_of_rank_0({{.kind = ActionKind::barrier},
                                                    begin_receive(0),
                                                    begin_receive(7, 1, 2),
                                                    {.kind = ActionKind::send, .peer = 0, .request = 3},
                                                    begin_receive(9, any_rank, 5),
                                                    cancelled(7),
                                                    resolved(9, 2, 5, 16),
                                                    resolved(0, 1, 4, 8)});
  EXPECT_EQ(found.of(0), nullptr);
  expect_received(found.of(1), 1, 4, 8);
  expect_cancelled(found.of(2));
  EXPECT_FALSE(found.of(2)->resolved);
  EXPECT_EQ(found.of(3), nullptr);
  expect_received(found.of(4), 2, 5, 16);
  for (std::uint64_t later = 5; later < 10; ++later)
    EXPECT_EQ(found.of(later), nullptr);
}

TEST(RequestOutcomes, of_a_number_used_again_are_of_the_later_action) {
  for (const Action& ended :
       {Action{.kind = ActionKind::test, .requests = zero}, Action{.kind = ActionKind::request_free, .request = 0}}) {
    const RequestOutcomes found = outcomes_of_rank_0({begin_receive(0),
                                                      resolved(0, 1, 1, 1),
                                                      ended,
                                                      begin_receive(0),
                                                      resolved(0, 2, 2, 2),
                                                      ended,
                                                      {.kind = ActionKind::send, .peer = 0, .request = 0},
                                                      cancelled(0),
                                                      ended,
                                                      begin_receive(0, 1, 1)});
    expect_received(found.of(0), 1, 1, 1);
    expect_received(found.of(3), 2, 2, 2);
    expect_cancelled(found.of(6));
    EXPECT_EQ(found.of(9), nullptr);
  }
}

TEST(RequestOutcomes, are_in_the_communicator_of_the_receive) {
  Action receive = begin_receive(0);
  Action source = resolved(0, 0, 1, 8);
  receive.communicator = source.communicator = 5;
  EXPECT_EQ(outcomes_of_rank_0({receive, source}).of(0)->communicator, 5U);
}

TEST(RequestOutcomes, cancel_what_was_resolved_before_and_what_was_cancelled_before) {
  const RequestOutcomes found =
      outcomes_of_rank_0({begin_receive(0), resolved(0, 1, 2, 3), cancelled(0), cancelled(0)});
  expect_cancelled(found.of(0));
  EXPECT_TRUE(found.of(0)->resolved);
  EXPECT_EQ(found.of(0)->peer, 1);
}

TEST(RequestOutcomes, cancel_generalized_requests_and_messages_with_nobody) {
  const RequestOutcomes found = outcomes_of_rank_0({{.kind = ActionKind::grequest_start, .request = 0},
                                                    {.kind = ActionKind::send, .peer = no_rank, .request = 1},
                                                    cancelled(0),
                                                    cancelled(1)});
  expect_cancelled(found.of(0));
  expect_cancelled(found.of(1));
}

TEST(RequestOutcomes, of_large_numbers_are_found_as_long_as_their_requests_are_under_way) {
  static constexpr RequestId large[] = {4'000'000'000U};
  const Action begun = begin_receive(large[0]);
  const Action received = resolved(large[0], 1, 2, 3);
  const Action waited{.kind = ActionKind::wait, .requests = large};
  const RequestOutcomes found = outcomes_of_rank_0({begun, received, waited, begun, received});
  expect_received(found.of(0), 1, 2, 3);
  expect_received(found.of(3), 1, 2, 3);
  EXPECT_THROW(outcomes_of_rank_0({begun, waited, received}), Error);
}

TEST(RequestOutcomes, cancel_neither_collectives_nor_transfers) {
  const auto refusal = [](ActionKind kind) {
    try {
      outcomes_of_rank_0({{.kind = kind, .request = 0}, cancelled(0)});
    } catch (const Error& error) {
      return error.description();
    }
    return std::string("none");
  };
  for (const ActionKind kind : {ActionKind::barrier, ActionKind::neighbor_alltoall, ActionKind::comm_dup})
    EXPECT_EQ(refusal(kind), "request 0 is cancelled, but a collective's") << name(kind);
  for (const ActionKind kind : {ActionKind::get, ActionKind::file_read, ActionKind::file_read_all})
    EXPECT_EQ(refusal(kind), "request 0 is cancelled, but no message's") << name(kind);
}

TEST(RequestOutcomes, that_belong_to_nothing_are_refused_with_rank_and_action) {
  for (const test::ContradictoryOutcome& wrong : test::contradictory_outcomes()) {
    SCOPED_TRACE(wrong.name);
    EXPECT_EQ(outcomes_of(wrong.program, 0).of(0), nullptr);
    try {
      outcomes_of(wrong.program, 1);
      ADD_FAILURE() << "it was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
      EXPECT_EQ(error.where(), test::place(wrong));
      EXPECT_THAT(error.description(), HasSubstr("request 0 "));
      EXPECT_THAT(error.advice(), HasSubstr("timeless check"));
    }
  }
}

/// Requests begun, amended and ended at random, and what must be found of them.
class RandomRank {
public:
  RandomRank(unsigned seed, RequestId first_request) : random_(seed), requests_(5) {
    std::iota(requests_.begin(), requests_.end(), first_request);
  }

  void go_on(int actions) {
    for (; actions > 0; --actions) {
      const RequestId& request = requests_[static_cast<std::size_t>(pick(5))];
      const auto open = open_.find(request);
      if (open == open_.end())
        begin(request);
      else if (pick(3) == 0)
        end(request);
      else
        amend(request, open->second);
    }
  }

  MemorySource program(std::size_t actions_per_block) const {
    MemorySource program(1, actions_per_block);
    for (const Action& action : actions_)
      program.add(0, action);
    program.finalize();
    return program;
  }

  void expect_in(const RequestOutcomes& found) const {
    for (std::uint64_t action = 0; action <= actions_.size(); ++action) {
      const RequestOutcome* const one = found.of(action);
      const auto expected = expected_.find(action);
      ASSERT_EQ(one != nullptr, expected != expected_.end()) << "action " << action;
      if (one == nullptr) continue;
      EXPECT_EQ(one->action, action);
      EXPECT_EQ(one->cancelled, expected->second.cancelled);
      EXPECT_EQ(one->resolved, expected->second.resolved);
      EXPECT_EQ(one->bytes, expected->second.bytes);
    }
  }
  std::size_t amended() const { return expected_.size(); }

private:
  struct Open {
    std::uint64_t action = 0;
    bool unknown = false;
  };

  int pick(int choices) { return std::uniform_int_distribution<int>(0, choices - 1)(random_); }

  void begin(RequestId request) {
    const bool unknown = pick(2) == 0;
    open_[request] = {actions_.size(), unknown};
    Action action = begin_receive(request, unknown ? any_rank : 0, pick(3));
    if (!unknown && pick(2) == 0) action.kind = ActionKind::send;
    actions_.push_back(action);
  }

  void end(const RequestId& request) {
    if (pick(2) == 0)
      actions_.push_back({.kind = ActionKind::request_free, .request = request});
    else
      actions_.push_back({.kind = ActionKind::wait, .requests = {&request, 1}});
    open_.erase(request);
  }

  void amend(RequestId request, Open& open) {
    if (pick(4) == 0) {
      actions_.push_back(cancelled(request));
      expected_[open.action].cancelled = true;
    } else if (open.unknown) {
      const auto bytes = static_cast<Bytes>(pick(1000));
      actions_.push_back(resolved(request, 0, 1, bytes));
      expected_[open.action].resolved = true;
      expected_[open.action].bytes = bytes;
    } else {
      actions_.push_back({.kind = ActionKind::barrier});
      return;
    }
    open.unknown = false;
  }

  std::mt19937 random_;
  std::vector<RequestId> requests_;
  std::vector<Action> actions_;
  std::map<RequestId, Open> open_;
  std::map<std::uint64_t, RequestOutcome> expected_;
};

TEST(RequestOutcomes, are_the_same_however_the_actions_lie_in_blocks) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomRank rank(seed, seed % 2 == 0 ? 0 : (1U << 16U) - 2); // numbers of both kinds
    rank.go_on(300);
    EXPECT_GT(rank.amended(), 20U);
    for (const std::size_t actions_per_block : {1U, 7U, 1000U})
      rank.expect_in(outcomes_of(rank.program(actions_per_block), 0));
  }
}

TEST(RequestOutcomes, are_the_same_from_an_archive) {
  const test::TemporaryDirectory directory;
  RandomRank rank(7, 0);
  rank.go_on(20'000);
  test::write_archive(rank.program(512), directory / "run.tia");
  rank.expect_in(outcomes_of(ArchiveReader(directory / "run.tia"), 0));
}

} // namespace
} // namespace timeless::trace
