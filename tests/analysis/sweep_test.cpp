#include "analysis/sweep/advising.h"
#include "analysis/sweep/cost_search.h"
#include "analysis/sweep/crossovers.h"
#include "analysis/sweep/front_search.h"
#include "analysis/sweep/sweep.h"
#include "analysis/sweep/upgrades.h"

#include "base/error.h"
#include "replay/result/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace timeless::analysis {
namespace {

using replay::LaneResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// Returns one rank that computes for a second, and on its way to the end pays latencies of 0.1 s and bytes of 0.4 s.
LaneResult lane(double latency, double byte_time, double compute) {
  replay::RankTimes times;
  times.compute = 1 * compute;
  times.latency = 0.1 * latency;
  times.bandwidth = 0.4 * byte_time;
  times.end = times.compute + times.latency + times.bandwidth;
  return {.name = "lane",
          .makespan = times.end,
          .ideal_makespan = times.compute,
          .ranks = {times},
          .sensitivity = {.latency = times.latency, .bandwidth = times.bandwidth, .compute = times.compute}};
}

/// Replays of that program, which remember what was asked of them.
struct Machine {
  std::vector<std::size_t> passes;
  double largest_latency_that_ends = 1e9;

  ReplayPoints replay() {
    return [this](std::span<const SweepPoint> points) {
      passes.push_back(points.size());
      if (std::ranges::all_of(points,
                              [&](const SweepPoint& point) { return point.latency > largest_latency_that_ends; }))
        throw replay::ReplayProblem({});
      replay::Result result;
      result.actions = 3;
      result.notes = {"a note"};
      for (const SweepPoint& point : points)
        result.lanes.push_back(lane(point.latency, 1 / point.bandwidth, point.compute));
      return result;
    };
  }
};

SweepOptions options_of(std::size_t most_lanes = 1024) {
  return {.machines = {"net", "other"},
          .share_a_pass =
              [](const SweepPoint& one, const SweepPoint& other) {
                return one.ranks_per_node == other.ranks_per_node && one.collectives == other.collectives;
              },
          .most_lanes = most_lanes};
}

TEST(SweepPlan, holds_every_point_once_and_says_where) {
  SweepPlan plan;
  EXPECT_EQ(plan.add(SweepPoint{.bandwidth = 2}), 0U);
  EXPECT_EQ(plan.add(SweepPoint{.latency = 2}), 1U);
  EXPECT_EQ(plan.add(SweepPoint{.bandwidth = 2}), 0U);
  EXPECT_THAT(plan.add(SweepAxes{.bandwidth = {1, 2}, .latency = {1, 2}}), ElementsAre(2U, 1U, 0U, 3U));
  EXPECT_THAT(plan.points(), SizeIs(4));
}

TEST(SweepPlan, refuses_more_than_memory_holds_before_it_makes_any) {
  const std::vector<double> many(100'000, 1);
  SweepPlan plan;
  EXPECT_THROW(plan.add(SweepAxes{.bandwidth = many, .latency = many, .compute = many}), Error);
  EXPECT_TRUE(plan.points().empty());
  const std::vector<double> more(SweepPlan::most_points + 1, 1);
  EXPECT_THROW(plan.add(SweepAxes{.bandwidth = more}), Error);
}

TEST(SweepPlan, a_classification_needs_powers_of_two_that_neighbours_share) {
  SweepPlan plan;
  const std::vector<double> factors{0.125, 0.25, 0.5, 1, 2, 4, 8};
  plan.add(SweepAxes{.bandwidth = factors, .latency = factors});
  for (const SweepPoint& point : std::vector<SweepPoint>(plan.points()))
    for (const SweepPoint& around : classification_points(point))
      plan.add(around);
  EXPECT_LE(plan.points().size(), 13U * 13U);
}

TEST(Sweep, what_shares_no_pass_is_replayed_apart_and_comes_back_in_order) {
  SweepPlan plan;
  plan.add(SweepAxes{.ranks_per_node = {1, 2}, .bandwidth = {1, 2, 4}});
  Machine machine;
  const Sweep all = sweep(plan.points(), machine.replay(), options_of());
  EXPECT_THAT(machine.passes, ElementsAre(3U, 3U));
  EXPECT_EQ(all.passes, 2U);
  EXPECT_THAT(all.notes, ElementsAre("a note"));
  for (std::size_t i = 0; i < all.configurations.size(); ++i) {
    EXPECT_EQ(all.configurations[i].point, plan.points()[i]);
    EXPECT_EQ(all.configurations[i].makespan, lane(1, 1 / plan.points()[i].bandwidth, 1).makespan);
  }
  EXPECT_EQ(all.configurations[1].name, "net bandwidth x2");
}

TEST(Sweep, many_configurations_take_several_passes) {
  SweepPlan plan;
  std::vector<double> factors;
  for (int i = 1; i <= 100; ++i)
    factors.push_back(i);
  plan.add(SweepAxes{.bandwidth = factors});
  Machine machine;
  sweep(plan.points(), machine.replay(), options_of(40));
  EXPECT_THAT(machine.passes, ElementsAre(40U, 40U, 20U));
  machine.passes.clear();
  SweepOptions narrow = options_of();
  narrow.ranks = 1'000'000;
  sweep(plan.points(), machine.replay(), narrow);
  EXPECT_THAT(machine.passes, testing::AllOf(SizeIs(50), testing::Each(2U)));
  narrow.keep_ranks = true;
  EXPECT_THROW(sweep(plan.points(), machine.replay(), narrow), Error);
}

TEST(Sweep, configurations_that_deadlock_together_do_not_end_the_others) {
  SweepPlan plan;
  plan.add(SweepPoint{.ranks_per_node = 1, .latency = 10});
  plan.add(SweepPoint{.ranks_per_node = 2, .latency = 1});
  Machine machine{.passes = {}, .largest_latency_that_ends = 5};
  const Sweep all = sweep(plan.points(), machine.replay(), options_of());
  EXPECT_NE(all.configurations[0].deadlock, nullptr);
  EXPECT_TRUE(std::isinf(all.configurations[0].makespan));
  EXPECT_EQ(all.configurations[1].deadlock, nullptr);
  EXPECT_FALSE(classification(all, std::vector<std::size_t>(classification_lane_count, 0)));
  machine.largest_latency_that_ends = 0;
  EXPECT_THROW(sweep(plan.points(), machine.replay(), options_of()), replay::ReplayProblem);
}

TEST(Sweep, turns_are_bracketed_ever_more_closely) {
  // Bytes are 0.4 s / bandwidth: more than the second of computation below 0.4, less than latency's 0.1 s above 4.
  SweepPlan plan;
  plan.add(SweepAxes{.bandwidth = {0.125, 0.25, 0.5, 1, 2, 8}});
  Machine machine;
  const Sweep all = sweep(plan.points(), machine.replay(), options_of());
  const std::vector<std::size_t> places{0, 1, 2, 3, 4, 5};
  std::vector<Crossover> found = crossovers(all, places, SweepAxis::bandwidth, &SweptConfiguration::longest_part);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].before, PathPart::bandwidth);
  EXPECT_EQ(found[0].after, PathPart::computation);
  EXPECT_EQ(found[0].least, 0.25);
  EXPECT_EQ(found[0].most, 0.5);
  const auto replay = [&](std::span<const SweepPoint> points) { return sweep(points, machine.replay(), options_of()); };
  for (int round = 0; round < 2; ++round)
    narrow(found, replay);
  EXPECT_LT(found[0].least, 0.4);
  EXPECT_GE(found[0].most, 0.4);
  EXPECT_LT(found[0].most / found[0].least, 1.01);

  const auto of_network = crossovers(all, places, SweepAxis::bandwidth, &SweptConfiguration::longer_network_part);
  ASSERT_THAT(of_network, SizeIs(1));
  EXPECT_EQ(of_network[0].after, PathPart::latency);
  EXPECT_LT(of_network[0].least, 4);
  EXPECT_GT(of_network[0].most, 4);
}

replay::Result vary(std::span<const replay::Variation> variations) {
  replay::Result result;
  for (const replay::Variation& one : variations)
    result.lanes.push_back(lane(one.latency, one.byte_time, one.compute));
  return result;
}

TEST(CostSearch, finds_what_buys_a_gain_or_that_nothing_does) {
  // Of 1.5 s latency is 0.1, bytes are 0.4, computation is 1.
  const LaneTolerance found = search_costs(vary, 0, {.growths = {-0.05, -0.1, -0.5}});
  const auto& latency = found.latency.tolerances;
  EXPECT_NEAR(latency[0].least, 0.25, 1e-3);
  EXPECT_NEAR(latency[0].most, 0.25, 1e-3);
  EXPECT_LE(latency[0].least, 0.25);
  EXPECT_GE(latency[0].most, 0.25 - 1e-12);
  EXPECT_TRUE(latency[1].beyond);
  EXPECT_DOUBLE_EQ(*found.latency.makespan_without, 1.4);
  EXPECT_NEAR(found.bandwidth.tolerances[1].most, 1 - 0.15 / 0.4, 1e-3);
  EXPECT_TRUE(found.bandwidth.tolerances[2].beyond);
  EXPECT_NEAR(found.compute.tolerances[2].most, 0.25, 1e-3);
  EXPECT_TRUE(found.compute.tolerances[2].certified);
}

TEST(CostSearch, finds_losses_and_gains_at_once) {
  const LaneTolerance found = search_costs(vary, 0, {.growths = {0.1, -0.1}});
  EXPECT_NEAR(found.compute.tolerances[0].least, 1.15, 1e-3);
  EXPECT_NEAR(found.compute.tolerances[1].least, 0.85, 1e-3);
}

TEST(CostSearch, a_gain_of_everything_or_of_nothing_is_refused) {
  EXPECT_THROW(search_costs(vary, 0, {.growths = {-1}}), Error);
  EXPECT_THROW(search_costs(vary, 0, {.growths = {0}}), Error);
}

TEST(CostSearch, a_gain_of_a_run_that_takes_no_time_is_beyond) {
  const auto nothing = [](std::span<const replay::Variation> variations) {
    replay::Result result;
    result.lanes.resize(variations.size());
    return result;
  };
  EXPECT_TRUE(search_costs(nothing, 0, {.growths = {-0.1}}).latency.tolerances[0].beyond);
}

TEST(Upgrades, on_the_front_is_what_nothing_beats_in_price_and_time) {
  const std::vector<PricedTime> upgrades{{100, 9}, {100, 8}, {200, 8}, {300, 5}, {0, 10}, {50, 11}};
  EXPECT_THAT(pareto_front(upgrades, 10), ElementsAre(false, true, false, true, false, false));
}

/// What takes the longest of some lines, each of a fixed time and of computation.
using Lines = std::vector<std::pair<double, double>>;

TimeAndSlope longest(const Lines& lines, double speed) {
  TimeAndSlope found;
  for (const auto& [fixed, computation] : lines)
    if (fixed + computation / speed > found.makespan) found = {fixed + computation / speed, computation};
  return found;
}

FrontSearch searched(const std::vector<double>& prices, const Lines& before, const std::vector<Lines>& upgrades,
                     std::size_t& looked_at) {
  FrontSearch search(prices);
  looked_at = 0;
  for (std::vector<double> speeds{1, 0.5, 2}; !speeds.empty(); speeds = search.next())
    for (const double speed : speeds) {
      std::vector<TimeAndSlope> times;
      for (const Lines& one : upgrades)
        times.push_back(longest(one, speed));
      search.take(speed, longest(before, speed), times);
      ++looked_at;
    }
  return search;
}

TEST(Upgrades, what_the_front_is_between_three_rates_is_found_out) {
  // The second, as dear, is slower at all three, and faster at speeds from 7 / 6.4 to 3 / 1.6.
  std::size_t looked_at = 0;
  const FrontSearch search = searched({100, 100}, {{20, 10}}, {{{3.4, 3}}, {{5, 0}, {-3, 10}}}, looked_at);
  for (const double speed : {0.5, 1.0, 2.0}) {
    EXPECT_TRUE(search.on_front(0, speed));
    EXPECT_FALSE(search.on_front(1, speed));
  }
  const std::vector<BeatenRange> first = search.beaten(0);
  const std::vector<BeatenRange> second = search.beaten(1);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(second.size(), 2U);
  const auto expect_turn = [](const std::optional<SpeedRange>& turn, double speed) {
    ASSERT_TRUE(turn);
    EXPECT_LE(turn->slowest, speed);
    EXPECT_GE(turn->fastest, speed);
    EXPECT_LE(turn->fastest, turn->slowest * switchover_precision);
  };
  expect_turn(first[0].from, 7 / 6.4);
  expect_turn(first[0].to, 3 / 1.6);
  EXPECT_FALSE(second[0].from);
  expect_turn(second[0].to, 7 / 6.4);
  expect_turn(second[1].from, 3 / 1.6);
  EXPECT_FALSE(second[1].to);
}

TEST(Upgrades, a_front_that_is_proved_to_hold_between_rates_is_replayed_no_further) {
  std::size_t looked_at = 0;
  const FrontSearch search =
      searched({100, 50, 70, 10}, {{20, 10}}, {{{1, 1}, {2, 0.1}}, {{2, 2}}, {{3, 3}}, {{30, 10}}}, looked_at);
  EXPECT_EQ(looked_at, 3U);
  EXPECT_TRUE(search.beaten(0).empty());
  EXPECT_TRUE(search.beaten(1).empty());
  for (const std::size_t never : {2, 3}) { // slower than what is cheaper; slower than the machine as it is
    ASSERT_EQ(search.beaten(never).size(), 1U);
    EXPECT_FALSE(search.beaten(never)[0].from || search.beaten(never)[0].to);
  }
}

TEST(Upgrades, a_per_cent_has_a_price_where_something_is_gained) {
  EXPECT_DOUBLE_EQ(*price_per_percent({500, 5}, 10), 10);
  EXPECT_FALSE(price_per_percent({500, 10}, 10));
  EXPECT_FALSE(price_per_percent({500, 12}, 10));
}

/// Replays of the program of lane(), as a sweep has them, which count their points.
ReplayedPoints replayed(std::vector<std::size_t>& rounds) {
  return [&rounds](std::span<const SweepPoint> points) {
    rounds.push_back(points.size());
    Sweep swept;
    for (const SweepPoint& point : points) {
      LaneResult one = lane(point.latency, 1 / point.bandwidth, point.compute);
      SweptConfiguration& kept = swept.configurations.emplace_back();
      kept.point = point;
      kept.makespan = one.makespan;
      kept.ideal_makespan = one.ideal_makespan;
    }
    return swept;
  };
}

TEST(Advising, looks_between_the_ends_of_the_range_only_where_these_do_not_agree) {
  // Twice the network saves 0.25 s, and twice the processors half the computation.
  const AdvisedPoint same{.point = {}, .speeds = {0.8, 1.25}};
  std::vector<std::size_t> rounds;
  const auto decided = advise(std::span(&same, 1), 0.1, replayed(rounds));
  ASSERT_TRUE(decided[0]);
  EXPECT_EQ(decided[0]->what(), ChangeKind::processors);
  EXPECT_EQ(rounds.size(), 1U);
  const AdvisedPoint differs{.point = {}, .speeds = {0.5, 4}};
  const auto undecided = advise(std::span(&differs, 1), 0.1, replayed(rounds));
  ASSERT_TRUE(undecided[0]);
  EXPECT_GT(rounds.size(), 3U);
  ASSERT_EQ(undecided[0]->helps.size(), 2U);
  // The part of the network that helps saves 0.2 s, half of a computation at two and a half times the speed.
  EXPECT_LT(undecided[0]->helps[0].speeds.fastest, 2.501);
  EXPECT_GT(undecided[0]->helps[1].speeds.slowest, 2.499);
  for (const SpeedRange& turn : undecided[0]->switchovers())
    EXPECT_LE(turn.fastest / turn.slowest, switchover_precision);
  const Change* const latency = undecided[0]->find(ChangeKind::latency);
  ASSERT_TRUE(latency->worth != Worth::undecided || latency->switchover);
}

TEST(Advising, a_turn_is_bracketed_as_closely_whatever_else_is_asked) {
  // Another network with twice the bandwidth saves 0.2 s of 0.5 s and the computation: a fifth above twice the speed.
  const SpeedRange speeds{0.5, 4};
  const auto times = [](double speed) { return TimesAtSpeed{speed, 0.5 + 1 / speed, 0.3 + 1 / speed}; };
  const ChangedPoint better{
      .before = {}, .after = {.bandwidth = 2}, .speeds = speeds, .times = {times(1), times(4), times(0.5)}};
  std::vector<std::size_t> rounds;
  const std::vector<Change> weighed = weigh(std::span(&better, 1), 0.2, replayed(rounds));
  ASSERT_TRUE(weighed[0].switchover);
  const SpeedRange& between = weighed[0].switchover->between;
  EXPECT_LE(between.slowest, 2);
  EXPECT_GE(between.fastest, 2);
  EXPECT_LE(between.fastest / between.slowest, switchover_precision);
  EXPECT_TRUE(weighed[0].switchover->pays_above);
  EXPECT_LT(rounds.size(), 6U);
  // The advice on the same change looks at other speeds, too, and tells the same.
  const AdvisedPoint advised{.point = {}, .speeds = speeds};
  const Change* const bandwidth = advise(std::span(&advised, 1), 0.2, replayed(rounds))[0]->find(ChangeKind::bandwidth);
  ASSERT_TRUE(bandwidth != nullptr && bandwidth->switchover);
  EXPECT_EQ(bandwidth->switchover->between.slowest, between.slowest);
  EXPECT_EQ(bandwidth->switchover->between.fastest, between.fastest);
}

TEST(Advising, a_change_that_pays_or_does_not_is_replayed_no_further) {
  const ChangedPoint much{.before = {}, .after = {}, .speeds = {0.5, 2}, .times = {{1, 2, 1}, {2, 2, 1}, {0.5, 2, 1}}};
  const ChangedPoint nothing{.before = {}, .after = {}, .speeds = {}, .times = {{1, 2, 2}}};
  std::vector<std::size_t> rounds;
  const std::vector<Change> weighed = weigh(std::vector{much, nothing}, 0.05, replayed(rounds));
  EXPECT_EQ(weighed[0].worth, Worth::pays);
  EXPECT_EQ(weighed[1].worth, Worth::ruled_out);
  EXPECT_TRUE(rounds.empty());
}

TEST(Advising, leaves_open_what_ends_in_a_deadlock) {
  const auto replay = [](std::span<const SweepPoint> points) {
    Sweep swept;
    for (const SweepPoint& point : points) {
      SweptConfiguration& one = swept.configurations.emplace_back();
      one.point = point;
      if (point.bandwidth > 1) one.deadlock = std::make_shared<const replay::Diagnosis>();
    }
    return swept;
  };
  const AdvisedPoint where{.point = {}, .speeds = {}};
  EXPECT_FALSE(advise(std::span(&where, 1), 0.1, replay)[0]);
}

} // namespace
} // namespace timeless::analysis
