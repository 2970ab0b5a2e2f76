#include "analysis/classification.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace timeless::analysis {
namespace {

/// A program described by what it spends at the anchor: communication times that scale with bandwidth and latency,
/// computation and wait that do not. One rank stands for all.
struct Program {
  double compute = 0;
  double wait = 0;
  double latency = 0;
  double bandwidth = 0;
};

std::vector<replay::LaneResult> lanes_of(const Program& program) {
  std::vector<replay::LaneResult> lanes;
  const auto add_set = [&](bool bandwidth, bool latency) {
    for (int k = -3; k <= 3; ++k) {
      replay::RankTimes times;
      times.compute = program.compute;
      times.wait = program.wait;
      times.latency = program.latency * (latency ? std::exp2(-k) : 1);
      times.bandwidth = program.bandwidth * (bandwidth ? std::exp2(-k) : 1);
      times.end = times.compute + times.wait + times.latency + times.bandwidth;
      lanes.push_back({.name = "lane", .makespan = times.end, .ranks = {times}});
    }
  };
  add_set(true, false);
  add_set(false, true);
  add_set(true, true);
  return lanes;
}

std::string class_of(const Program& program, const Thresholds& thresholds = {}) {
  return name(classify(lanes_of(program), thresholds));
}

TEST(Classification, a_program_that_only_computes_is_bound_by_computation) {
  EXPECT_EQ(class_of({.compute = 1}), "computation");
  EXPECT_EQ(class_of({.compute = 99.5, .latency = 0.25, .bandwidth = 0.25}), "computation");
}

TEST(Classification, much_computation_that_an_eightfold_network_change_still_moves_is_not_computation_bound) {
  EXPECT_EQ(class_of({.compute = 92, .bandwidth = 8}), "mixed");
}

TEST(Classification, waiting_that_no_network_changes_is_imbalance) {
  EXPECT_EQ(class_of({.compute = 70, .wait = 29, .latency = 1}), "imbalance");
  EXPECT_EQ(class_of({.compute = 85, .wait = 15}), "imbalance-sensitive");
}

TEST(Classification, bytes_make_it_bandwidth_bound_and_messages_latency_bound) {
  EXPECT_EQ(class_of({.compute = 50, .bandwidth = 50}), "bandwidth");
  EXPECT_EQ(class_of({.compute = 50, .latency = 50}), "latency");
}

TEST(Classification, both_together_make_it_communication_bound) {
  EXPECT_EQ(class_of({.compute = 50, .latency = 25, .bandwidth = 25}), "communication");
}

TEST(Classification, between_ten_and_twentyfive_percent_it_is_only_sensitive) {
  EXPECT_EQ(class_of({.compute = 80, .bandwidth = 20}), "bandwidth-sensitive");
  EXPECT_EQ(class_of({.compute = 80, .latency = 20}), "latency-sensitive");
  EXPECT_EQ(class_of({.compute = 80, .latency = 10, .bandwidth = 10}), "communication-sensitive");
}

TEST(Classification, where_nothing_holds_the_answer_is_mixed_with_figures) {
  const Classification result = classify(lanes_of({.compute = 60, .wait = 24, .latency = 8, .bandwidth = 8}));
  EXPECT_EQ(name(result), "mixed");
  EXPECT_NE(reason(result).find("computation takes 60 %"), std::string::npos) << reason(result);
}

TEST(Classification, every_answer_names_what_the_nearest_other_definition_missed) {
  // Latency but for what bandwidth does: 16 % of the time at an eighth of it.
  const Classification latency = classify(lanes_of({.compute = 58, .latency = 40, .bandwidth = 2}));
  const std::optional<Definition> missed = nearest_missed(latency);
  ASSERT_TRUE(missed);
  EXPECT_EQ(name(*missed), "latency");
  EXPECT_THAT(
      reason(latency),
      testing::HasSubstr("nearest other class is latency, missed because bandwidth alone, from eight times worse to "
                         "eight times better, changes communication by up to 14 % of the time (less than 5 % is "
                         "needed)"));

  const Classification sensitive = classify(lanes_of({.compute = 80, .bandwidth = 20}));
  EXPECT_THAT(reason(sensitive),
              testing::HasSubstr("the stronger class is bandwidth, missed because communication takes 20 % of the time "
                                 "(25 % or more is needed)"));

  const Classification mixed = classify(lanes_of({.compute = 92, .bandwidth = 8}));
  EXPECT_THAT(
      reason(mixed),
      testing::StartsWith("the nearest other class is bandwidth-sensitive, missed because communication takes 8 % of "
                          "the time (10 % or more is needed); computation takes 92 %"));
}

TEST(Classification, a_figure_has_the_digits_that_tell_it_from_its_limit) {
  const auto words = [](double found, double limit, bool gain) {
    return Condition{.what = "{}", .found = found, .limit = limit, .at_least = true, .gain = gain}.words();
  };
  EXPECT_EQ(words(0.0549, 0.05, false), "5.5 %");
  EXPECT_EQ(words(0.098, 0.1, false), "9.8 %");
  EXPECT_EQ(words(0.09996, 0.1, false), "9.996 %");
  EXPECT_EQ(words(0.13, 0.25, false), "13 %");
  EXPECT_EQ(words(0.05, 0.05, false), "5 %");
  EXPECT_EQ(words(1.97, 2, true), "1.97");
  EXPECT_EQ(words(3.14, 2, true), "3.1");
}

TEST(Classification, a_mixed_answer_names_what_each_class_missed_whose_share_suffices) {
  const Classification computing = classify(lanes_of({.compute = 96, .latency = 4}));
  EXPECT_EQ(name(*nearest_missed(computing)), "latency-sensitive");
  EXPECT_THAT(reason(computing),
              testing::HasSubstr("computation takes 96 % of the time, enough for computation, but networks from eight "
                                 "times worse to eight times better change the time by up to 28 %, of which the best "
                                 "saves 3.5 % (less than 5 % is needed); wait 0 %;"));
  // Of the nearest class, that is said already.
  const Classification nearest = classify(lanes_of({.compute = 99, .latency = 1}));
  EXPECT_EQ(name(*nearest_missed(nearest)), "computation");
  EXPECT_THAT(reason(nearest), testing::HasSubstr("computation takes 99 % of the time; wait 0 %;"));
}

TEST(Classification, a_change_of_the_time_says_what_the_best_network_saves_of_it) {
  // Eight times worse costs much, eight times better saves little.
  const Classification result = classify(lanes_of({.compute = 96, .latency = 2, .bandwidth = 2}));
  const std::vector<Definition> all = definitions(result.evidence, result.thresholds);
  EXPECT_THAT(all.front().conditions.at(1).words(),
              testing::MatchesRegex("networks from eight times worse to eight times better change the time by up to "
                                    "[0-9.]+ %, of which the best saves 3.5 %"));
}

TEST(Classification, a_class_holds_as_its_definition_does) {
  for (const Program& program : {Program{.compute = 1},
                                 {.compute = 70, .wait = 29, .latency = 1},
                                 {.compute = 85, .wait = 15},
                                 {.compute = 50, .bandwidth = 50},
                                 {.compute = 80, .latency = 20},
                                 {.compute = 50, .latency = 25, .bandwidth = 25}}) {
    const Classification found = classify(lanes_of(program));
    bool holds = false;
    for (const Definition& one : definitions(found.evidence, found.thresholds))
      if (one.bound == found.bound && one.sensitive == found.sensitive)
        holds = std::ranges::all_of(one.conditions, &Condition::holds);
    EXPECT_TRUE(holds) << name(found);
  }
}

TEST(Classification, insensitivity_is_of_the_total_unless_asked_of_the_quantity_itself) {
  const Program program{.compute = 40, .latency = 0.5, .bandwidth = 59.5};
  EXPECT_EQ(class_of(program), "bandwidth");
  EXPECT_EQ(class_of(program, {.insensitive_of_own = true}), "communication");
}

TEST(Classification, every_threshold_can_be_moved) {
  EXPECT_EQ(class_of({.compute = 92, .bandwidth = 8}, {.insensitive = 0.6}), "computation");
  EXPECT_EQ(class_of({.compute = 80, .bandwidth = 20}, {.communication = 0.2}), "bandwidth");
  EXPECT_EQ(class_of({.compute = 93, .bandwidth = 7}, {.sensitive = 0.05}), "bandwidth-sensitive");
  EXPECT_EQ(class_of({.compute = 56, .wait = 24, .bandwidth = 20}), "mixed");
  EXPECT_EQ(class_of({.compute = 56, .wait = 24, .bandwidth = 20}, {.gain = 1.5}), "bandwidth");
  EXPECT_EQ(class_of({.compute = 89, .wait = 11}, {.computation = 0.85}), "computation");
}

TEST(Classification, a_run_that_takes_no_time_is_answered_without_a_division_by_zero) {
  const Classification result = classify(lanes_of({}));
  EXPECT_EQ(name(result), "mixed");
  EXPECT_TRUE(std::isfinite(result.evidence.total_change));
}

TEST(Classification, another_number_of_lanes_is_refused) {
  EXPECT_THROW(classify(std::vector<replay::LaneResult>(3)), Error);
}

} // namespace
} // namespace timeless::analysis
