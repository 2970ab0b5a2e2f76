#include "analysis/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace timeless::analysis {
namespace {

/// A program described by what it spends on its critical path, and by how evenly its ranks compute.
struct Path {
  double compute = 0;
  double wait = 0;
  double latency = 0;
  double bandwidth = 0;
  double load_balance = 1;
};

ChangedTimes times_of(const Path& path, double speed = 1) {
  const double compute = path.compute / speed;
  const double total = compute + path.wait + path.latency + path.bandwidth;
  return {.speed = speed,
          .as_it_is = total,
          .bandwidth = total - path.bandwidth / 2,
          .latency = total - path.latency / 2,
          .network = total - (path.bandwidth + path.latency) / 2,
          .free_network = total - path.bandwidth - path.latency,
          .processors = total - compute / 2,
          .processor_step = total - compute * (1 - 1 / processor_step_speed),
          .balance = total * path.load_balance};
}

ChangeKind what_helps(const Path& path) {
  return advise({times_of(path)}, usual_worth, true).what();
}

Advice over_rates(const Path& path, const std::vector<double>& speeds) {
  std::vector<ChangedTimes> times{times_of(path)};
  for (const double speed : speeds)
    times.push_back(times_of(path, speed));
  return advise(times, usual_worth, true);
}

TEST(Advice, leaves_undecided_what_a_simulation_answers_otherwise) {
  const auto compared = [](double saving, double simulated) {
    Change one = change(ChangeKind::machine, {{1, 1, 1 - saving}}, 0.05);
    compare_with_simulation(one, simulated);
    return one;
  };
  for (const auto& [saving, simulated] : {std::pair(0.24, -0.26), std::pair(0.06, 0.04), std::pair(0.01, 0.05)}) {
    EXPECT_EQ(compared(saving, simulated).worth, Worth::undecided) << saving << " in SMPI " << simulated;
    EXPECT_TRUE(compared(saving, simulated).contradicted);
    EXPECT_EQ(compared(saving, simulated).simulated, simulated);
  }
  EXPECT_EQ(compared(0.24, 0.05).worth, Worth::pays);
  EXPECT_EQ(compared(-0.2, 0.04).worth, Worth::ruled_out);
  EXPECT_FALSE(compared(0.24, 0.05).contradicted) << "another saving is no other answer";
  EXPECT_EQ(compared(0.24, 0.05).simulated, 0.05);
}

TEST(Advice, names_what_saves_most_of_what_is_made_twice_as_good) {
  EXPECT_EQ(what_helps({.compute = 60, .latency = 35, .bandwidth = 5}), ChangeKind::processors);
  EXPECT_EQ(what_helps({.compute = 30, .latency = 65, .bandwidth = 5}), ChangeKind::latency);
  EXPECT_EQ(what_helps({.compute = 30, .latency = 5, .bandwidth = 65}), ChangeKind::bandwidth);
  EXPECT_EQ(what_helps({.compute = 20, .latency = 40, .bandwidth = 40}), ChangeKind::network);
  // Latency alone saves less than processors, the whole network more.
  EXPECT_EQ(what_helps({.compute = 47, .latency = 43, .bandwidth = 10}), ChangeKind::processors);
  // Only both together are worth having.
  EXPECT_EQ(what_helps({.compute = 4, .wait = 86, .latency = 8, .bandwidth = 3}), ChangeKind::network);
  EXPECT_EQ(what_helps({.compute = 92, .bandwidth = 8}), ChangeKind::processors);
  EXPECT_EQ(what_helps({.compute = 60, .wait = 40, .load_balance = 0.6}), ChangeKind::balance);
  EXPECT_EQ(what_helps({.compute = 1, .wait = 99}), ChangeKind::none);
}

TEST(Advice, even_work_goes_before_processors_only_where_it_saves_a_fifth) {
  EXPECT_EQ(what_helps({.compute = 90, .wait = 10, .load_balance = 0.79}), ChangeKind::balance);
  EXPECT_EQ(what_helps({.compute = 90, .wait = 10, .load_balance = 0.81}), ChangeKind::processors);
  EXPECT_EQ(what_helps({.compute = 20, .latency = 80, .load_balance = 0.79}), ChangeKind::latency);
}

TEST(Advice, that_depends_on_the_rate_says_from_which_on) {
  const Path path{.compute = 50, .latency = 50};
  EXPECT_TRUE(over_rates(path, {}).decided());
  const Advice advice = over_rates({.compute = 60, .latency = 40}, {0.5, 0.75, 1.25, 1.75, 2});
  EXPECT_FALSE(advice.decided());
  EXPECT_EQ(advice.what(), ChangeKind::processors);
  ASSERT_EQ(advice.helps.size(), 2U);
  EXPECT_EQ(advice.helps[0].what, ChangeKind::processors);
  EXPECT_EQ(advice.helps[0].speeds.fastest, 1.25);
  EXPECT_EQ(advice.helps[1].what, ChangeKind::latency);
  EXPECT_EQ(advice.helps[1].speeds.slowest, 1.75);
  EXPECT_EQ(advice.switchovers().front().slowest, 1.25);
  EXPECT_EQ(advice.switchovers().front().fastest, 1.75);
}

TEST(Advice, is_decided_where_one_sentence_says_it_whatever_its_changes) {
  // Half the latency pays above 0.9 times the speed; processors are what to buy at all of them.
  const Advice advice = over_rates({.compute = 100, .latency = 10}, {0.5, 2});
  EXPECT_EQ(advice.find(ChangeKind::latency)->worth, Worth::undecided);
  EXPECT_TRUE(advice.decided());
}

TEST(Advice, says_between_which_rates_a_change_begins_or_ceases_to_pay) {
  // Half the latency saves 5 % where latency is a tenth: at 0.9 times the speed.
  const Advice network = over_rates({.compute = 100, .latency = 10}, {0.5, 0.75, 1.25, 2});
  const Change* latency = network.find(ChangeKind::latency);
  ASSERT_TRUE(latency != nullptr && latency->switchover);
  EXPECT_EQ(latency->worth, Worth::undecided);
  EXPECT_TRUE(latency->switchover->pays_above);
  EXPECT_EQ(latency->switchover->between.slowest, 1);
  EXPECT_EQ(latency->switchover->between.fastest, 1.25);
  const Advice processors = over_rates({.compute = 12, .latency = 88}, {0.5, 2});
  const Change* faster = processors.find(ChangeKind::processors);
  ASSERT_TRUE(faster != nullptr && faster->switchover);
  EXPECT_FALSE(faster->switchover->pays_above);
}

TEST(Advice, weighs_a_step_of_the_processors_that_one_can_buy_beside_twice_the_speed) {
  const Advice advice = over_rates({.compute = 23, .wait = 77}, {0.9, 1.1});
  const Change* twice = advice.find(ChangeKind::processors);
  const Change* step = advice.find(ChangeKind::processor_step);
  ASSERT_TRUE(twice != nullptr && step != nullptr);
  EXPECT_NEAR(twice->saving.expected, 0.115, 1e-12);
  EXPECT_NEAR(step->saving.expected, 0.03, 1e-12);
  EXPECT_EQ(twice->worth, Worth::pays);
  EXPECT_EQ(step->worth, Worth::ruled_out);
  EXPECT_EQ(advice.what(), ChangeKind::processors) << "what helps is of parts made twice as good";
}

TEST(Advice, weighs_no_network_that_is_not_used) {
  const Advice advice = advise({times_of({.compute = 50, .latency = 50})}, usual_worth, false);
  EXPECT_EQ(advice.what(), ChangeKind::processors);
  for (const ChangeKind kind :
       {ChangeKind::bandwidth, ChangeKind::latency, ChangeKind::network, ChangeKind::free_network})
    EXPECT_EQ(advice.find(kind), nullptr) << name(kind);
}

TEST(Advice, of_an_incomplete_recording_says_so_of_each_change) {
  Advice advice = over_rates({.compute = 60, .latency = 40}, {0.5, 2});
  for (const Change& change : advice.changes)
    EXPECT_FALSE(change.recorded_part);
  advice.limit_to_recorded_part();
  EXPECT_TRUE(advice.recorded_part);
  for (const Change& change : advice.changes)
    EXPECT_TRUE(change.recorded_part);
}

TEST(Changes, pay_or_are_ruled_out_only_where_that_holds_at_every_rate) {
  EXPECT_EQ(worth({.expected = 0.10, .least = 0.06, .most = 0.20}, 0.05), Worth::pays);
  EXPECT_EQ(worth({.expected = 0.01, .least = 0.00, .most = 0.04}, 0.05), Worth::ruled_out);
  EXPECT_EQ(worth({.expected = 0.04, .least = 0.02, .most = 0.07}, 0.05), Worth::undecided);
}

TEST(Changes, save_nothing_where_times_are_none) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<TimesAtSpeed> times{{1, 2, 1}, {2, none, 1}, {0.5, 0, 1}};
  const Saving saved = saving(times);
  EXPECT_EQ(saved.expected, 0.5);
  EXPECT_EQ(saved.least, 0.5);
  EXPECT_EQ(saved.most, 0.5);
  EXPECT_EQ(saving(std::span(&times[1], 1)).expected, 0);
  EXPECT_EQ(what_helps({}), ChangeKind::none);
}

} // namespace
} // namespace timeless::analysis
