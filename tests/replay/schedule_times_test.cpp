// When each member ends.
#include "replay/collectives/schedules/schedule_plan.h"
#include "tests/replay/schedules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace timeless::replay::schedules::schedule_times_test {
namespace {

using test::most_members;
using test::Schedules;
using trace::Action;
using trace::ActionKind;
using trace::Bytes;

struct Costs {
  double a = 0;
  double b = 0;
  double g = 0;
  double send = 0; ///< overheads, as the next two
  double nonblocking_send = 0;
  double receive = 0;
};

struct Outcome {
  std::vector<double> ends;
  std::string problem;
  double last() const { return *std::ranges::max_element(ends); }
};

/// All members begin at 0.
Outcome carry_out(const std::vector<SchedulePlan>& plans, const Costs& costs) {
  struct Message {
    double sent;
    double bytes;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Message>> ways;
  struct Member {
    Cursor cursor;
    Transfer transfer;
    bool standing = false;
    bool done = false;
  };
  std::vector<Member> members(plans.size());
  Outcome run{std::vector<double>(plans.size(), 0.0), {}};
  for (bool progress = true; progress;) {
    progress = false;
    for (std::uint32_t me = 0; me < plans.size(); ++me) {
      Member& member = members[me];
      double& now = run.ends[me];
      while (!member.done) {
        if (!member.standing) {
          if (!next(plans[me], member.cursor, member.transfer)) {
            member.done = progress = true;
            break;
          }
          if (member.transfer.to != nobody)
            now += member.transfer.sending == Sending::blocking ? costs.send : costs.nonblocking_send;
          if (member.transfer.to != nobody) ways[{me, member.transfer.to}].push_back({now, member.transfer.bytes});
          progress = true;
        }
        member.standing = member.transfer.from != nobody;
        if (member.standing) {
          auto& way = ways[{member.transfer.from, me}];
          if (way.empty()) break;
          if (!plans[me].neighbours && way.front().bytes != member.transfer.expected)
            run.problem = "what comes is not as large as expected";
          now = std::max(now, way.front().sent + costs.a + way.front().bytes * costs.b) + costs.receive;
          way.pop_front();
        }
        now += member.transfer.reduced_bytes * costs.g;
        member.standing = false;
        progress = true;
      }
    }
  }
  for (const auto& [way, left] : ways)
    if (!left.empty()) run.problem = "a message is left over";
  for (const Member& member : members)
    if (!member.done) run.problem = "a member waits for ever";
  return run;
}

constexpr Costs costs{1e9, 1000, 1}; // whole numbers that do not mix up
constexpr Costs with_overheads{1e9, 1000, 1, 3e8, 7e8, 5e8};

double seconds(const CollectiveCost& cost, const Costs& each = costs) {
  return cost.messages * each.a + cost.bytes * each.b + cost.reduced_bytes * each.g + cost.sends * each.send +
         cost.nonblocking_sends * each.nonblocking_send + cost.receives * each.receive;
}

/// One call by all members of an intracommunicator, the buffer's or the parts' size given.
struct Call {
  ActionKind kind;
  double bytes = 0; ///< n
  std::uint32_t element_bytes = 1;
  std::uint32_t root = 0;
  bool commutative = true;
};

struct Calls {
  CollectiveShape shape;
  std::vector<SchedulePlan> plans;
};

Calls calls(const Call& call, std::uint32_t members) {
  Calls made;
  made.shape = {.kind = call.kind,
                .members = members,
                .bytes = call.bytes,
                .element_bytes = call.element_bytes,
                .commutative = call.commutative};
  const bool parts = call.kind != ActionKind::broadcast && call.kind != ActionKind::reduce &&
                     call.kind != ActionKind::allreduce && call.kind != ActionKind::scan &&
                     call.kind != ActionKind::exscan;
  const auto own = static_cast<Bytes>(parts ? call.bytes / members : call.bytes);
  const Action action{.kind = call.kind, .bytes = own, .receive_bytes = own, .element_bytes = call.element_bytes};
  for (std::uint32_t me = 0; me < members; ++me)
    made.plans.push_back(plan(made.shape, action, {.members = members, .me = me, .root = call.root}));
  return made;
}

void expect_as_in_the_table(const Call& call, std::uint32_t members) {
  const Calls made = calls(call, members);
  for (const Costs& each : {costs, with_overheads}) {
    const Outcome run = carry_out(made.plans, each);
    EXPECT_EQ(run.problem, "") << trace::name(call.kind) << ", " << members << " members, " << call.bytes << " bytes";
    EXPECT_EQ(run.last(), seconds(collective_cost(CollectiveModel::mpich, made.shape), each))
        << trace::name(call.kind) << ", " << members << " members, " << call.bytes << " bytes";
  }
}

TEST_F(Schedules, without_skew_take_as_long_as_the_table_says_for_powers_of_two) {
  for_all(
      [](std::uint32_t p) {
        for (const double each : {8.0, 4096.0, 131072.0}) {
          const double n = each * p;
          for (std::uint32_t root = 0; root < p; root += 3) {
            expect_as_in_the_table({.kind = ActionKind::broadcast, .bytes = n, .root = root}, p);
            expect_as_in_the_table({.kind = ActionKind::reduce, .bytes = n, .root = root}, p);
            expect_as_in_the_table({.kind = ActionKind::gather, .bytes = n, .root = root}, p);
            expect_as_in_the_table({.kind = ActionKind::scatter, .bytes = n, .root = root}, p);
          }
          for (const ActionKind kind : {ActionKind::barrier, ActionKind::allreduce, ActionKind::allgather,
                                        ActionKind::reduce_scatter_block, ActionKind::scan, ActionKind::exscan})
            expect_as_in_the_table({.kind = kind, .bytes = n}, p);
          expect_as_in_the_table({.kind = ActionKind::reduce_scatter_block, .bytes = n, .commutative = false}, p);
          expect_as_in_the_table({.kind = ActionKind::comm_dup, .bytes = 8}, p);
        }
        if (p >= 8) expect_as_in_the_table({.kind = ActionKind::alltoall, .bytes = 256.0 * p}, p);
      },
      true);
}

TEST_F(Schedules, of_barriers_scans_rings_and_brucks_allgather_take_what_the_table_says_for_any_number) {
  for_all([](std::uint32_t p) {
    expect_as_in_the_table({.kind = ActionKind::barrier}, p);
    expect_as_in_the_table({.kind = ActionKind::scan, .bytes = 1000}, p);
    expect_as_in_the_table({.kind = ActionKind::allgather, .bytes = 100.0 * p}, p);               // Bruck
    expect_as_in_the_table({.kind = ActionKind::allgather, .bytes = 600000.0 * p}, p);            // ring
    expect_as_in_the_table({.kind = ActionKind::reduce_scatter_block, .bytes = 600000.0 * p}, p); // pairwise
  });
}

/// A member that others fold into begins its exchanges late, and catches up when it meets one that did not; the whole
/// sum is reached as soon as nearly all fold.
TEST_F(Schedules, that_fold_take_at_most_an_exchange_with_the_partner_before_and_after) {
  for_all([](std::uint32_t p) {
    if (std::has_single_bit(p)) return;
    const double q = std::bit_floor(p);
    const double log = std::log2(q);
    const bool nearly_all = p >= 7 && std::has_single_bit(p + 1);
    const auto check = [&](const Call& call, const CollectiveCost& most) {
      const Outcome outcome = carry_out(calls(call, p).plans, costs);
      EXPECT_EQ(outcome.problem, "") << p;
      if (nearly_all)
        EXPECT_EQ(outcome.last(), seconds(most)) << p;
      else
        EXPECT_LE(outcome.last(), seconds(most)) << p;
      EXPECT_GE(outcome.last(), seconds({most.messages - 1, most.bytes - call.bytes, most.reduced_bytes - call.bytes}))
          << p;
    };
    // Recursive doubling: to the partner, lg q exchanges, and back.
    check({.kind = ActionKind::allreduce, .bytes = 1024}, {log + 2, (log + 2) * 1024, (log + 1) * 1024});
    // Rabenseifner: the same around the formula for q.
    const double n = 4096 * q;
    const double part = n * (q - 1) / q;
    check({.kind = ActionKind::allreduce, .bytes = n}, {2 * log + 2, 2 * part + 2 * n, n + part});
  });
}

TEST_F(Schedules, of_rabenseifners_reduction_give_a_root_that_stood_aside_its_block) {
  // 6 members of whom 4 take part, n = 4096 in blocks of 1024. Member 1 folds into 0, 3 into 2. Root 0 ends after the
  // fold, halves of 2048 and 1024, blocks of 1024 and 2048; root 1 gets 0's block in between.
  const double n = 4096;
  const auto last = [&](std::uint32_t root) {
    const Calls made = calls({.kind = ActionKind::reduce, .bytes = n, .root = root}, 6);
    const Outcome outcome = carry_out(made.plans, costs);
    EXPECT_EQ(outcome.problem, "");
    return outcome.last();
  };
  EXPECT_EQ(last(0), seconds({5, n + 2048 + 1024 + 1024 + 2048, n + 2048 + 1024}));
  EXPECT_EQ(last(1), last(0));
}

TEST_F(Schedules, of_trees_take_no_longer_than_the_table_says) {
  for_all([](std::uint32_t p) {
    for (const ActionKind kind : {ActionKind::broadcast, ActionKind::reduce, ActionKind::gather, ActionKind::scatter}) {
      const Calls made = calls({.kind = kind, .bytes = 16.0 * p, .root = p / 2}, p);
      const Outcome run = carry_out(made.plans, costs);
      EXPECT_EQ(run.problem, "") << p;
      const double table = seconds(collective_cost(CollectiveModel::mpich, made.shape));
      EXPECT_LE(run.last(), table) << trace::name(kind) << p;
      // At most one level of the tree is missing.
      EXPECT_GE(run.last(), table - seconds({1, 16.0 * p, 16.0 * p})) << trace::name(kind) << p;
    }
  });
}

TEST_F(Schedules, of_alltoall_leave_out_the_own_part_in_pairs_only) {
  for_all([](std::uint32_t p) {
    const auto last = [&](double each) {
      const Outcome run = carry_out(calls({.kind = ActionKind::alltoall, .bytes = each * p}, p).plans, costs);
      EXPECT_EQ(run.problem, "");
      return run.last();
    };
    EXPECT_EQ(last(40000), seconds({p - 1.0, 40000.0 * (p - 1), 0}));
    // One after the other here.
    if (p > 1) {
      EXPECT_EQ(last(300), seconds({static_cast<double>(p), 300.0 * p, 0}));
    }
  });
}

TEST_F(Schedules, of_reduce_scatter_fold_around_the_halving) {
  const auto last = [](std::uint32_t p, double n) {
    const Outcome run = carry_out(calls({.kind = ActionKind::reduce_scatter_block, .bytes = n}, p).plans, costs);
    EXPECT_EQ(run.problem, "");
    return run.last();
  };
  // 6 members, n = 60, of whom 1, 3, 4 and 5 take part with blocks 0 and 1, 2 and 3, 4, 5. Member 1 has member 0's 60
  // after one message; what 4 sent it, 40, is there by then; 20 come from member 3, which was as late; 10 go to member
  // 0.
  EXPECT_EQ(last(6, 60), seconds({3, 60 + 20 + 10, 60 + 40 + 20}));
  for (std::uint32_t p = 3; p <= most_members; ++p) {
    if (std::has_single_bit(p)) continue;
    const double n = 8.0 * p;
    const double log = std::floor(std::log2(p));
    // At most as many messages as the table says; the halves are not equal.
    EXPECT_GE(last(p, n), seconds({log + 1, n, n}));
    EXPECT_LE(last(p, n), seconds({log + 2, 2.5 * n, 2.5 * n}));
  }
}

// ---- parts of different sizes

TEST_F(Schedules, with_parts_of_different_sizes_carry_the_sizes_in_the_call) {
  for_all([](std::uint32_t p) {
    // Member i's part is i * 100 bytes; member 0's and every seventh are empty.
    std::vector<Bytes> counts;
    for (std::uint32_t member = 0; member < p; ++member)
      counts.push_back(member % 7 == 0 ? 0 : member * 100);
    double total = 0;
    for (const Bytes count : counts)
      total += static_cast<double>(count);
    std::vector<std::vector<Bytes>> to(p);
    std::vector<std::vector<Bytes>> from(p);
    for (std::uint32_t i = 0; i < p; ++i)
      for (std::uint32_t j = 0; j < p; ++j) {
        to[i].push_back((i + 2 * j) % 3 * 50);
        from[i].push_back((j + 2 * i) % 3 * 50);
      }
    for (const ActionKind kind : {ActionKind::gatherv, ActionKind::scatterv, ActionKind::allgatherv,
                                  ActionKind::alltoallv, ActionKind::reduce_scatter}) {
      std::vector<SchedulePlan> plans;
      const std::uint32_t root = p / 3;
      for (std::uint32_t me = 0; me < p; ++me) {
        Action action{.kind = kind};
        if (kind == ActionKind::gatherv) {
          action.bytes = counts[me];
          if (me == root) action.receive_counts = counts;
        } else if (kind == ActionKind::scatterv) {
          action.receive_bytes = counts[me];
          if (me == root) action.counts = counts;
        } else if (kind == ActionKind::allgatherv) {
          action.bytes = counts[me];
          action.receive_counts = counts;
        } else if (kind == ActionKind::alltoallv) {
          action.counts = to[me];
          action.receive_counts = from[me];
        } else {
          action.counts = counts;
        }
        plans.push_back(plan({.kind = kind, .members = p, .bytes = total, .element_bytes = 1}, action,
                             {.members = p, .me = me, .root = root}));
      }
      const Outcome run = carry_out(plans, costs);
      ASSERT_EQ(run.problem, "") << trace::name(kind) << ", " << p << " members";
      if (kind == ActionKind::gatherv || kind == ActionKind::scatterv) {
        double largest = 0;
        for (std::uint32_t me = 0; me < p; ++me)
          if (me != root) largest = std::max(largest, static_cast<double>(counts[me]));
        EXPECT_EQ(run.last(), largest > 0 ? seconds({1, largest, 0}) : 0) << p;
        // Who has nothing to send waits for nobody.
        if (root != 0) {
          EXPECT_EQ(run.ends[0], 0);
        }
      }
    }
  });
}

// ---- between groups

TEST_F(Schedules, between_groups_end_for_every_pair_of_sizes_and_every_root) {
  for (std::uint32_t left = 1; left <= 9; ++left)
    for (std::uint32_t right = 1; right <= 9; ++right)
      for (const ActionKind kind :
           {ActionKind::barrier, ActionKind::broadcast, ActionKind::reduce, ActionKind::allreduce, ActionKind::gather,
            ActionKind::scatter, ActionKind::allgather, ActionKind::alltoall, ActionKind::reduce_scatter_block,
            ActionKind::gatherv, ActionKind::scatterv, ActionKind::allgatherv, ActionKind::alltoallv,
            ActionKind::reduce_scatter, ActionKind::intercomm_merge})
        for (std::uint32_t root = 0; root < left + right; ++root)
          for (const Bytes bytes : {Bytes{8}, Bytes{20000}}) {
            // Both groups have as much to scatter.
            const Bytes all = bytes * left * right;
            const std::vector<Bytes> of_left(left, all / left);
            const std::vector<Bytes> of_right(right, all / right);
            const std::vector<Bytes> each(9, bytes);
            const bool root_left = root < left;
            std::vector<SchedulePlan> plans;
            for (std::uint32_t place = 0; place < left + right; ++place) {
              const bool here_left = place < left;
              GroupPosition at{.base = here_left ? 0 : left,
                               .members = here_left ? left : right,
                               .me = here_left ? place : place - left,
                               .remote_base = here_left ? left : 0,
                               .remote_members = here_left ? right : left,
                               .root = root};
              if (here_left == root_left && place != root) at.root = nobody;
              const auto& own = here_left ? of_left : of_right;
              const auto& theirs = here_left ? of_right : of_left;
              Action action{.kind = kind, .bytes = bytes, .receive_bytes = bytes, .element_bytes = 1};
              double n = static_cast<double>(bytes);
              if (kind == ActionKind::gather || kind == ActionKind::scatter) n *= root_left ? right : left;
              if (kind == ActionKind::allgather || kind == ActionKind::alltoall) n *= at.remote_members;
              if (kind == ActionKind::reduce_scatter_block) {
                action.bytes = own.front();
                n = static_cast<double>(all);
              }
              if (kind == ActionKind::reduce_scatter) {
                action.counts = own;
                n = static_cast<double>(all);
              }
              if (kind == ActionKind::gatherv) {
                action.bytes = own[at.me];
                action.receive_counts = theirs;
              }
              if (kind == ActionKind::scatterv) {
                action.receive_bytes = own[at.me];
                action.counts = theirs;
              }
              if (kind == ActionKind::allgatherv) {
                action.bytes = own[at.me];
                action.receive_counts = theirs;
              }
              if (kind == ActionKind::alltoallv)
                action.counts = action.receive_counts = std::span(each).first(at.remote_members);
              plans.push_back(
                  plan({.kind = kind, .members = left + right, .bytes = n, .element_bytes = 1}, action, at));
            }
            const Outcome run = carry_out(plans, costs);
            ASSERT_EQ(run.problem, "") << trace::name(kind) << ", " << left << " and " << right << " members, root "
                                       << root << ", " << bytes << " bytes";
          }
}

TEST_F(Schedules, between_groups_reduce_within_swap_and_broadcast) {
  // 4 and 4 members, 100 bytes: a tree of 2 levels, the leaders, a tree of 2 levels back.
  std::vector<SchedulePlan> plans;
  for (std::uint32_t place = 0; place < 8; ++place) {
    const GroupPosition at = place < 4 ? GroupPosition{.members = 4, .me = place, .remote_base = 4, .remote_members = 4}
                                       : GroupPosition{.base = 4, .members = 4, .me = place - 4, .remote_members = 4};
    plans.push_back(plan({.kind = ActionKind::allreduce, .members = 8, .bytes = 100}, {.bytes = 100}, at));
  }
  const Outcome run = carry_out(plans, costs);
  EXPECT_EQ(run.problem, "");
  EXPECT_EQ(run.last(), seconds({5, 500, 200}));
  EXPECT_EQ(
      collective_cost(CollectiveModel::mpich, {.kind = ActionKind::allreduce, .members = 8, .group = 4, .bytes = 100}),
      (CollectiveCost{
          .messages = 5, .bytes = 500, .reduced_bytes = 200, .sends = 2 + 2, .nonblocking_sends = 1, .receives = 5}));
}

// ---- neighbours

TEST_F(Schedules, of_neighbours_send_to_all_and_take_from_all) {
  // A line of 4: everyone with the one before and the one after, nobody beyond the ends.
  std::vector<std::vector<trace::Rank>> ranks;
  std::vector<SchedulePlan> plans;
  for (trace::Rank me = 0; me < 4; ++me) {
    const trace::Rank left = me == 0 ? trace::no_rank : me - 1;
    const trace::Rank right = me == 3 ? trace::no_rank : me + 1;
    ranks.push_back({left, right, left, right});
  }
  for (std::uint32_t me = 0; me < 4; ++me)
    plans.push_back(plan({.kind = ActionKind::neighbor_allgather, .members = 4},
                         {.tag = 3, .bytes = 50 * (me + 1), .ranks = ranks[me]}, {.members = 4, .me = me}));
  const Outcome run = carry_out(plans, costs);
  EXPECT_EQ(run.problem, "");
  EXPECT_EQ(run.ends[0], seconds({1, 100, 0}));
  EXPECT_EQ(run.ends[1], seconds({1, 150, 0}));
  EXPECT_EQ(run.ends[3], seconds({1, 150, 0}));
}

} // namespace
} // namespace timeless::replay::schedules::schedule_times_test
