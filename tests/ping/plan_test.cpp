#include "base/error.h"
#include "ping/ping_plan.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <vector>

namespace timeless::ping {
namespace {

/// A machine that answers orders: 2 us and a nanosecond a byte, messages above a limit wait for their receives.
struct Machine {
  std::uint64_t eager_limit = 65536;
  double now = 0;
  double byte_time = 1e-9;

  std::vector<Measurement> carry_out(const Order& order) {
    std::vector<Measurement> all;
    const double message = 2e-6 + byte_time * static_cast<double>(order.bytes);
    for (std::uint32_t repetition = 0; repetition < order.repetitions; ++repetition) {
      double seconds = message;
      if (order.experiment == Experiment::round_trip) seconds = 2 * message;
      const bool delayed =
          order.experiment == Experiment::delayed_send || order.experiment == Experiment::delayed_isend;
      if (order.experiment == Experiment::train) seconds = order.messages * (message + order.gap);
      if (delayed) seconds = order.bytes <= eager_limit ? 1e-6 : order.gap + message;
      all.push_back({.order = order, .repetition = repetition, .start = now, .seconds = seconds});
      now += seconds + 1e-5;
    }
    return all;
  }
};

std::vector<Order> orders(const PlanOptions& options, const std::vector<int>& nodes, Machine machine = {}) {
  PingPlan plan(options, nodes);
  std::vector<Order> all;
  std::vector<Measurement> last;
  while (const auto order = plan.next(last, machine.now)) {
    all.push_back(*order);
    last = machine.carry_out(*order);
  }
  return all;
}

const PlanOptions short_plan{.most_bytes = 1U << 20U, .budget = 2, .seed = 3};

TEST(Plan, draws_the_sizes_asked_for_beside_others) {
  PlanOptions plan = short_plan;
  plan.sizes = {777, 123456, 0, std::uint64_t{1} << 40U};
  std::size_t asked_for = 0;
  std::size_t round_trips = 0;
  std::set<std::uint64_t> sizes;
  for (const Order& order : orders(plan, {0, 1})) {
    if (order.experiment != Experiment::round_trip) continue;
    ++round_trips;
    sizes.insert(order.bytes);
    if (order.bytes == 777 || order.bytes == 123456) ++asked_for;
  }
  EXPECT_NEAR(static_cast<double>(asked_for) / static_cast<double>(round_trips), 0.25, 0.15);
  EXPECT_TRUE(sizes.contains(777) && sizes.contains(123456));
  EXPECT_GT(sizes.size(), round_trips / 2);
  EXPECT_LE(*sizes.rbegin(), plan.most_bytes);
}

TEST(Plan, finds_the_eager_limit_to_the_byte_for_each_kind_of_link_and_send) {
  for (const std::uint64_t limit : {0ULL, 1ULL, 4095ULL, 65536ULL, (1ULL << 20U) - 1, 1ULL << 20U}) {
    std::map<std::pair<Experiment, int>, std::pair<std::uint64_t, std::uint64_t>> found; // eager and waiting
    Machine machine{.eager_limit = limit};
    PingPlan plan(short_plan, {0, 0, 1});
    std::vector<Measurement> last;
    while (const auto order = plan.next(last, machine.now)) {
      last = machine.carry_out(*order);
      const bool delayed =
          order->experiment == Experiment::delayed_send || order->experiment == Experiment::delayed_isend;
      if (!delayed) continue;
      auto& [eager, waiting] = found[{order->experiment, order->second}];
      (order->bytes <= limit ? eager : waiting) = order->bytes;
    }
    ASSERT_EQ(found.size(), 4U);
    for (const auto& [what, sizes] : found) {
      EXPECT_EQ(sizes.first, limit);
      EXPECT_EQ(sizes.second, limit < short_plan.most_bytes ? limit + 1 : 0);
    }
  }
}

TEST(Plan, searches_on_where_senders_were_late_and_measured_nothing) {
  Machine machine{.eager_limit = 4040};
  PingPlan plan(short_plan, {0, 1});
  std::vector<Measurement> last;
  std::map<Experiment, std::pair<std::uint64_t, std::uint64_t>> found; // eager and waiting
  std::size_t searched = 0;
  while (const auto order = plan.next(last, machine.now)) {
    last = machine.carry_out(*order);
    const bool delayed =
        order->experiment == Experiment::delayed_send || order->experiment == Experiment::delayed_isend;
    if (!delayed) continue;
    if (++searched % 3 == 1) {
      last.clear();
      continue;
    }
    auto& [eager, waiting] = found[order->experiment];
    (order->bytes <= machine.eager_limit ? eager : waiting) = order->bytes;
  }
  ASSERT_EQ(found.size(), 2U);
  for (const auto& [what, sizes] : found)
    EXPECT_EQ(sizes, std::pair(machine.eager_limit, machine.eager_limit + 1)) << name(what);
}

TEST(Plan, a_large_message_that_was_interrupted_makes_no_search_longer) {
  Machine machine;
  PingPlan plan(short_plan, {0, 1});
  std::vector<Measurement> last;
  double longest = 0;
  bool ended = false;
  while (const auto order = plan.next(last, machine.now)) {
    last = machine.carry_out(*order);
    if (order->experiment == Experiment::round_trip && order->bytes > 100000) last.back().seconds += 0.5;
    if (order->experiment == Experiment::delayed_isend) longest = std::max(longest, order->gap);
    ended |= order->experiment == Experiment::delayed_isend && order->bytes == machine.eager_limit + 1;
  }
  EXPECT_TRUE(ended);
  EXPECT_LT(longest, 0.01);
}

TEST(Plan, does_every_experiment_that_the_ranks_allow) {
  std::set<Experiment> near;
  for (const Order& order : orders(short_plan, {0, 0}))
    near.insert(order.experiment);
  EXPECT_EQ(near.size(), experiments - 2) << "all but those of two nodes";
  std::set<Experiment> both;
  for (const Order& order : orders(short_plan, {0, 0, 1, 1}))
    both.insert(order.experiment);
  EXPECT_EQ(both.size(), experiments);
}

TEST(Plan, draws_sizes_of_every_order_of_magnitude_and_none_too_large) {
  std::map<int, int> by_magnitude;
  std::set<std::uint64_t> sizes;
  PlanOptions plan = short_plan;
  plan.budget = 60; // of seven digits are one in three hundred
  for (const Order& order : orders(plan, {0, 1})) {
    ASSERT_LE(order.bytes, short_plan.most_bytes);
    ASSERT_GE(order.repetitions, 1U);
    if (order.experiment != Experiment::round_trip) continue;
    sizes.insert(order.bytes);
    ++by_magnitude[static_cast<int>(std::to_string(order.bytes).size())];
  }
  EXPECT_EQ(by_magnitude.size(), 7U);
  EXPECT_GT(sizes.size(), 20U);
}

TEST(Plan, spends_no_large_part_of_its_time_on_one_order_where_the_link_is_slow) {
  const PlanOptions options{.most_bytes = 1U << 22U, .budget = 20, .seed = 3};
  std::map<Experiment, int> counts;
  Machine machine{.byte_time = 8e-8};
  PingPlan plan(options, {0, 1});
  std::vector<Measurement> last;
  double before = 0;
  std::uint64_t largest = 0;
  while (const auto order = plan.next(last, machine.now)) {
    ++counts[order->experiment];
    last = machine.carry_out(*order);
    EXPECT_LT(machine.now - before, options.budget / 10) << name(order->experiment) << " of " << order->bytes;
    before = machine.now;
    if (order->experiment == Experiment::round_trip) largest = std::max(largest, order->bytes);
  }
  for (const auto& [experiment, count] : counts)
    EXPECT_GE(count, 10) << name(experiment);
  EXPECT_EQ(counts.size(), experiments);
  EXPECT_GT(largest, options.most_bytes / 4) << "round trips up to large sizes";
}

TEST(Plan, is_the_same_for_the_same_seed_and_another_for_another) {
  const auto bytes = [](std::uint64_t seed) {
    std::vector<std::uint64_t> all;
    PlanOptions options = short_plan;
    options.seed = seed;
    for (const Order& order : orders(options, {0, 1}))
      all.push_back(order.bytes);
    return all;
  };
  EXPECT_EQ(bytes(1), bytes(1));
  EXPECT_NE(bytes(1), bytes(2));
}

TEST(Plan, refuses_what_cannot_be_measured) {
  EXPECT_THROW(PingPlan(short_plan, {0}), Error);
  EXPECT_THROW(PingPlan({.budget = 0}, {0, 1}), Error);
  EXPECT_THROW(PingPlan({.most_bytes = 10}, {0, 1}), Error);
}

} // namespace
} // namespace timeless::ping
