// Whose data each member ends with.
#include "replay/collectives/schedules/binomial_tree.h"
#include "replay/collectives/schedules/bruck.h"
#include "replay/collectives/schedules/dissemination.h"
#include "replay/collectives/schedules/linear.h"
#include "replay/collectives/schedules/pairwise.h"
#include "replay/collectives/schedules/rabenseifner.h"
#include "replay/collectives/schedules/recursive_doubling.h"
#include "replay/collectives/schedules/recursive_halving.h"
#include "replay/collectives/schedules/ring.h"
#include "replay/collectives/schedules/scan.h"
#include "replay/collectives/schedules/schedule_plan.h"

#include "tests/replay/schedules.h"

#include <gtest/gtest.h>

#include <bitset>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace timeless::replay::schedules::schedule_data_test {
namespace {

using test::most_members;
using test::Schedules;

using Members = std::bitset<128>; ///< whose contributions a block holds
using Data = std::vector<Members>;
using Algorithm = bool (*)(const Group&, std::uint32_t, std::uint32_t, Step&);

Members only(std::uint32_t member) {
  return Members().set(member);
}

Members first(std::uint32_t members) {
  Members set;
  for (std::uint32_t member = 0; member < members; ++member)
    set.set(member);
  return set;
}

/// Lets all members take their steps; each block a member sends goes to the same block of the receiver. Says what went
/// wrong, or nothing.
std::string carry_out(Algorithm algorithm, const Group& group, std::vector<Data>& data) {
  struct Sent {
    Blocks blocks;
    std::vector<Members> contents;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Sent>> ways;
  std::vector<std::uint32_t> index(group.members, 0);
  std::vector<bool> sent(group.members, false);
  const auto block = [&](const Data& of, Blocks blocks, std::uint32_t place) {
    return (blocks.first + place) % static_cast<std::uint32_t>(of.size());
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (std::uint32_t me = 0; me < group.members; ++me) {
      Step step;
      while (algorithm(group, me, index[me], step)) {
        if (step.to != nobody && !sent[me]) {
          if (step.to >= group.members || step.to == me) return "a member sends to one that is not there, or itself";
          Sent message{step.out, {}};
          for (std::uint32_t place = 0; place < step.out.count; ++place)
            message.contents.push_back(data[me][block(data[me], step.out, place)]);
          ways[{me, step.to}].push_back(std::move(message));
          sent[me] = progress = true;
        }
        if (step.from != nobody) {
          auto& way = ways[{step.from, me}];
          if (way.empty()) break;
          if (way.front().blocks != step.in) return "other blocks come than are expected";
          for (std::uint32_t place = 0; place < step.in.count; ++place) {
            Members& here = data[me][block(data[me], step.in, place)];
            const Members& come = way.front().contents[place];
            if (step.reduces && (here & come).any()) return "a contribution is added twice";
            here = step.reduces ? here | come : come;
          }
          way.pop_front();
        }
        ++index[me];
        sent[me] = false;
        progress = true;
        step = {};
      }
    }
  }
  for (const auto& [way, left] : ways)
    if (!left.empty()) return "a message is left over";
  for (std::uint32_t me = 0; me < group.members; ++me)
    if (Step step; algorithm(group, me, index[me], step)) return "a member waits for ever";
  return {};
}

/// Each member begins with its own contribution to all blocks.
std::vector<Data> contributions(std::uint32_t members, std::uint32_t blocks) {
  std::vector<Data> data;
  for (std::uint32_t member = 0; member < members; ++member)
    data.emplace_back(blocks, only(member));
  return data;
}

/// Each member begins with block r, r being its number, and nothing else.
std::vector<Data> own_blocks(std::uint32_t members) {
  std::vector<Data> data(members, Data(members));
  for (std::uint32_t member = 0; member < members; ++member)
    data[member][member] = only(member);
  return data;
}

TEST_F(Schedules, a_broadcast_brings_the_roots_block_to_everyone) {
  for_all([](std::uint32_t p) {
    auto data = contributions(p, 1);
    ASSERT_EQ(carry_out(binomial_broadcast, {p}, data), "") << p;
    for (const Data& one : data)
      ASSERT_EQ(one[0], only(0)) << p;
  });
}

TEST_F(Schedules, a_reduction_brings_all_contributions_to_the_root) {
  for_all([](std::uint32_t p) {
    auto data = contributions(p, 1);
    ASSERT_EQ(carry_out(binomial_reduce, {p}, data), "") << p;
    ASSERT_EQ(data[0][0], first(p)) << p;
  });
}

TEST_F(Schedules, a_scatter_brings_everyone_its_block) {
  for_all([](std::uint32_t p) {
    for (const Algorithm algorithm : {binomial_scatter, binomial_scatter_small_first, linear_scatter}) {
      std::vector<Data> data(p, Data(p));
      for (std::uint32_t block = 0; block < p; ++block)
        data[0][block] = only(block);
      ASSERT_EQ(carry_out(algorithm, {p}, data), "") << p;
      for (std::uint32_t me = 0; me < p; ++me)
        ASSERT_EQ(data[me][me], only(me)) << p;
    }
  });
}

TEST_F(Schedules, a_gather_brings_everyones_block_to_the_root) {
  for_all([](std::uint32_t p) {
    for (const Algorithm algorithm : {binomial_gather, linear_gather}) {
      auto data = own_blocks(p);
      ASSERT_EQ(carry_out(algorithm, {p}, data), "") << p;
      for (std::uint32_t block = 0; block < p; ++block)
        ASSERT_EQ(data[0][block], only(block)) << p;
    }
  });
}

TEST_F(Schedules, an_allgather_brings_everyones_block_to_everyone) {
  const auto check = [](Algorithm algorithm, std::uint32_t p) {
    auto data = own_blocks(p);
    ASSERT_EQ(carry_out(algorithm, {p}, data), "") << p;
    for (const Data& one : data)
      for (std::uint32_t block = 0; block < p; ++block)
        ASSERT_EQ(one[block], only(block)) << p;
  };
  for_all([&](std::uint32_t p) { check(ring_allgather, p); });
  for_all([&](std::uint32_t p) { check(direct_allgather, p); });
  for_all([&](std::uint32_t p) { check(bruck_allgather, p); });
  for_all([&](std::uint32_t p) { check(doubling_allgather, p); }, true);
}

TEST_F(Schedules, an_allreduce_brings_all_contributions_to_everyone) {
  for_all([](std::uint32_t p) {
    auto data = contributions(p, 1);
    ASSERT_EQ(carry_out(doubling_allreduce, {p}, data), "") << p;
    for (const Data& one : data)
      ASSERT_EQ(one[0], first(p)) << p;
    data = contributions(p, std::bit_floor(p));
    ASSERT_EQ(carry_out(rabenseifner_allreduce, {p}, data), "") << p;
    for (const Data& one : data)
      for (const Members& block : one)
        ASSERT_EQ(block, first(p)) << p;
  });
}

TEST_F(Schedules, rabenseifners_reduction_brings_all_contributions_to_any_root) {
  for_all([](std::uint32_t p) {
    for (std::uint32_t root = 0; root < p; ++root) {
      auto data = contributions(p, std::bit_floor(p));
      ASSERT_EQ(carry_out(rabenseifner_reduce, {p, root}, data), "") << p << " members, root " << root;
      for (const Members& block : data[root])
        ASSERT_EQ(block, first(p)) << p << " members, root " << root;
    }
  });
}

TEST_F(Schedules, a_reduce_scatter_brings_everyone_all_contributions_to_its_block) {
  for_all([](std::uint32_t p) {
    for (const Algorithm algorithm : {halving_reduce_scatter, doubling_reduce_scatter, pairwise_reduce_scatter}) {
      auto data = contributions(p, p);
      ASSERT_EQ(carry_out(algorithm, {p}, data), "") << p;
      for (std::uint32_t me = 0; me < p; ++me)
        ASSERT_EQ(data[me][me], first(p)) << p;
    }
  });
}

/// Groups of members that an order-keeping reduction combines are always neighbours.
TEST_F(Schedules, reductions_that_must_keep_the_order_combine_neighbours) {
  for_all([](std::uint32_t p) {
    // The steps of a member combine what it has with a range that begins or ends where its own does.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    for (std::uint32_t me = 0; me < p; ++me)
      ranges.emplace_back(me, me + 1);
    auto data = contributions(p, p);
    ASSERT_EQ(carry_out(doubling_reduce_scatter, {p}, data), "");
    for (std::uint32_t me = 0; me < p; ++me) {
      Step step;
      for (std::uint32_t index = 0; doubling_reduce_scatter({p}, me, index, step); ++index, step = {})
        if (step.reduces && step.to == nobody) {
          ASSERT_EQ(step.from + 1, me) << "only the one before folds into a member";
        }
    }
  });
}

TEST_F(Schedules, a_scan_brings_everyone_the_contributions_before_and_its_own) {
  for_all([](std::uint32_t p) {
    // A member passes on the whole of what its subtree has, and adds to its result what comes from below.
    std::vector<Members> partial;
    std::vector<Members> result;
    for (std::uint32_t me = 0; me < p; ++me) {
      partial.push_back(only(me));
      result.push_back(only(me));
    }
    Step step;
    for (std::uint32_t index = 0; doubling_scan({p}, 0, index, step); ++index) {
      const std::vector<Members> before = partial;
      for (std::uint32_t me = 0; me < p; ++me) {
        ASSERT_TRUE(doubling_scan({p}, me, index, step));
        if (step.from == nobody) continue;
        Step theirs;
        ASSERT_TRUE(doubling_scan({p}, step.from, index, theirs));
        ASSERT_EQ(theirs.to, me);
        partial[me] |= before[step.from];
        if (step.from < me) result[me] |= before[step.from];
      }
    }
    for (std::uint32_t me = 0; me < p; ++me)
      ASSERT_EQ(result[me], first(me + 1)) << p;
  });
}

TEST_F(Schedules, nobody_leaves_a_barrier_before_everyone_came) {
  for_all([](std::uint32_t p) {
    // The one that is told knows all that the teller knew.
    std::vector<Members> known;
    for (std::uint32_t me = 0; me < p; ++me)
      known.push_back(only(me));
    Step step;
    for (std::uint32_t index = 0; dissemination({p}, 0, index, step); ++index) {
      const std::vector<Members> before = known;
      for (std::uint32_t me = 0; me < p; ++me) {
        ASSERT_TRUE(dissemination({p}, me, index, step));
        Step theirs;
        ASSERT_TRUE(dissemination({p}, step.from, index, theirs));
        ASSERT_EQ(theirs.to, me);
        known[me] |= before[step.from];
      }
    }
    for (const Members& all : known)
      ASSERT_EQ(all, first(p)) << p;
  });
}

TEST_F(Schedules, an_alltoall_in_rounds_meets_everyone_once) {
  for_all([](std::uint32_t p) {
    for (const Algorithm algorithm : {pairwise_alltoall, rotating_alltoall, spread_alltoall})
      for (std::uint32_t me = 0; me < p; ++me) {
        Members to = only(me);
        Members from = only(me);
        Step step;
        std::uint32_t index = 0;
        for (; algorithm({p}, me, index, step); ++index) {
          Step theirs;
          ASSERT_TRUE(algorithm({p}, step.to, index, theirs));
          ASSERT_EQ(theirs.from, me);
          ASSERT_EQ(step.out, (Blocks{step.to, 1}));
          ASSERT_EQ(step.in, (Blocks{step.from, 1}));
          to |= only(step.to);
          from |= only(step.from);
        }
        // Spread, a member sends to itself, too.
        ASSERT_EQ(index, algorithm == spread_alltoall ? p : p - 1);
        ASSERT_EQ(to, first(p));
        ASSERT_EQ(from, first(p));
      }
  });
}

TEST_F(Schedules, brucks_alltoall_brings_every_block_where_it_belongs) {
  for_all([](std::uint32_t p) {
    // at[me][d]: whose block lies with `me` and has to go d places in all from where it began.
    std::vector<std::vector<std::uint32_t>> at(p);
    for (std::uint32_t me = 0; me < p; ++me)
      at[me].assign(p, me);
    Step step;
    for (std::uint32_t index = 0; bruck_alltoall({p}, 0, index, step); ++index) {
      const auto before = at;
      for (std::uint32_t me = 0; me < p; ++me) {
        ASSERT_TRUE(bruck_alltoall({p}, me, index, step));
        Step theirs;
        ASSERT_TRUE(bruck_alltoall({p}, step.from, index, theirs));
        ASSERT_EQ(theirs.to, me);
        std::uint32_t moved = 0;
        for (std::uint32_t far = 0; far < p; ++far)
          if ((far & step.in.first) != 0) {
            at[me][far] = before[step.from][far];
            ++moved;
          }
        ASSERT_EQ(step.in.count, moved);
        ASSERT_EQ(step.out.count, moved);
      }
    }
    for (std::uint32_t me = 0; me < p; ++me)
      for (std::uint32_t far = 0; far < p; ++far)
        ASSERT_EQ(at[me][far], (me + p - far) % p) << p;
  });
}

TEST_F(Schedules, need_no_memory_however_many_members_there_are) {
  // The last step of the last of 2^24 members, at once.
  Step step;
  constexpr std::uint32_t p = 1U << 24U;
  ASSERT_TRUE(pairwise_alltoall({p}, p - 1, p - 2, step));
  EXPECT_EQ(step.to, 0U);
  ASSERT_TRUE(ring_allgather({p}, p - 1, p - 2, step));
  EXPECT_FALSE(ring_allgather({p}, p - 1, p - 1, step));
  EXPECT_EQ(sizeof(Cursor), 8U);
}

} // namespace
} // namespace timeless::replay::schedules::schedule_data_test
