#include "analysis/calibration/compute/rates.h"
#include "analysis/calibration/compute/steady_clocks.h"
#include "base/error.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace timeless::analysis {
namespace {

using testing::AllOf;
using testing::DoubleNear;
using testing::HasSubstr;
using trace::Action;
using trace::ActionKind;
using trace::MemorySource;

/// A kernel as it truly is.
struct TrueKernel {
  double units_per_second = 0;
  double fixed_seconds = 0;
  std::uint64_t volume = 0; ///< of a visit, on average
  double volumes_spread = 0;
  int visits = 0;
};

/// How a launch is disturbed.
struct Disturbance {
  double deviation = 0; ///< of the log of a visit's time
  bool preempted = false;
  bool processor_time = false;
  unsigned seed = 1;
};

void add_modules(MemorySource& source, std::size_t kernels, const std::string& build = "build") {
  trace::Run& run = source.description();
  run.modules = {{.path = "/bin/program", .build_id = build}};
  run.kernels.clear();
  for (std::size_t kernel = 0; kernel < kernels; ++kernel)
    source.add_kernel({.begin = {0, 16 * kernel}, .end = {0, 16 * kernel + 16}});
}

/// Two ranks that visit each kernel as often as it says, with an allreduce after each.
struct Program {
  std::vector<TrueKernel> kernels;

  std::vector<std::uint64_t> volumes(const TrueKernel& truth) const {
    std::mt19937 random(static_cast<unsigned>(truth.volume));
    std::lognormal_distribution<double> draw(0, truth.volumes_spread);
    std::vector<std::uint64_t> all;
    for (int visit = 0; visit < truth.visits; ++visit)
      all.push_back(static_cast<std::uint64_t>(
          static_cast<double>(truth.volume) * (truth.volumes_spread > 0 ? draw(random) : 1) + 1));
    return all;
  }

  std::unique_ptr<MemorySource> recorded() const {
    return source([](const TrueKernel&, std::uint64_t volume) { return volume; });
  }

  std::unique_ptr<MemorySource> launched(const Disturbance& noise) const {
    std::mt19937 random(noise.seed);
    std::lognormal_distribution<double> stretch(0, noise.deviation > 0 ? noise.deviation : 1e-9);
    std::uniform_real_distribution<double> uniform(0, 1);
    auto launch = source([&](const TrueKernel& truth, std::uint64_t volume) {
      double seconds = (truth.fixed_seconds + static_cast<double>(volume) / truth.units_per_second) * stretch(random);
      // Others get the processor once in 4 ms, for up to 3 ms.
      if (noise.preempted && !noise.processor_time)
        for (double left = seconds; left > 0; left -= 4e-3)
          if (uniform(random) < std::min(left, 4e-3) / 4e-3) seconds += 3e-3 * uniform(random);
      return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
    });
    launch->description().counter = {.name = noise.processor_time ? "cputime" : "walltime",
                                     .version = {},
                                     .unit = trace::VolumeUnit::nanoseconds,
                                     .exactness = trace::Exactness::inexact};
    return launch;
  }

  ComputeSpeeds calibrated(std::vector<Disturbance> launches) const {
    const auto volumes = recorded();
    std::vector<JoinedLaunch> joined;
    for (const Disturbance& noise : launches)
      joined.push_back(join(*volumes, *launched(noise)));
    return compute_speeds(joined);
  }

private:
  template <typename Volume>
  std::unique_ptr<MemorySource> source(Volume&& of_visit) const {
    auto run = std::make_unique<MemorySource>(2);
    add_modules(*run, kernels.size());
    for (trace::Rank rank = 0; rank < 2; ++rank)
      for (trace::KernelId kernel = 0; kernel < kernels.size(); ++kernel)
        for (const std::uint64_t volume : volumes(kernels[kernel])) {
          if (const std::uint64_t amount = of_visit(kernels[kernel], volume); amount > 0)
            run->compute(rank, amount, kernel);
          run->add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
        }
    run->finalize();
    return run;
  }
};

std::vector<Disturbance> five_launches(Disturbance noise) {
  std::vector<Disturbance> launches;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    noise.seed = seed;
    launches.push_back(noise);
  }
  return launches;
}

double error(const KernelSpeed& speed, const TrueKernel& truth) {
  return std::abs(speed.units_per_second / truth.units_per_second - 1);
}

TEST(ComputeSpeeds, come_back_from_noise_and_preemption) {
  const Program program{{{.units_per_second = 1e9, .volume = 20000, .volumes_spread = 0.2, .visits = 400},
                         {.units_per_second = 12e9, .volume = 90000, .volumes_spread = 0.2, .visits = 400},
                         {.units_per_second = 4e9, .volume = 4000, .volumes_spread = 0.2, .visits = 400}}};
  const ComputeSpeeds speeds = program.calibrated(five_launches({.deviation = 0.1, .preempted = true}));
  for (std::size_t kernel = 0; kernel < 3; ++kernel) {
    EXPECT_LT(error(speeds.kernels[kernel], program.kernels[kernel]), 0.03) << kernel;
    EXPECT_TRUE(speeds.kernels[kernel].own());
    EXPECT_LE(speeds.kernels[kernel].interval.low, speeds.kernels[kernel].units_per_second);
    EXPECT_GE(speeds.kernels[kernel].interval.high, speeds.kernels[kernel].units_per_second);
    EXPECT_NEAR(speeds.kernels[kernel].spread.value(), 0.135, 0.03); // 1.349 standard deviations
  }
  EXPECT_DOUBLE_EQ(speeds.coverage, 1);
}

TEST(ComputeSpeeds, of_long_visits_come_from_processor_time_where_there_is_some) {
  const Program program{{{.units_per_second = 2e9, .volume = 20'000'000, .visits = 30},
                         {.units_per_second = 3e9, .volume = 30000, .visits = 100}}};
  std::vector<Disturbance> launches = five_launches({.deviation = 0.02, .preempted = true});
  for (const Disturbance& noise : five_launches({.deviation = 0.02, .preempted = true, .processor_time = true}))
    launches.push_back(noise);
  const ComputeSpeeds both = program.calibrated(launches);
  EXPECT_TRUE(both.kernels[0].processor_time);
  EXPECT_FALSE(both.kernels[1].processor_time);
  EXPECT_LT(error(both.kernels[0], program.kernels[0]), 0.01);
  const ComputeSpeeds alone = program.calibrated(five_launches({.deviation = 0.02, .preempted = true}));
  EXPECT_GT(error(alone.kernels[0], program.kernels[0]), 0.1);
}

TEST(ComputeSpeeds, have_fixed_seconds_where_volumes_spread_and_times_follow_a_line) {
  const Program program{
      {{.units_per_second = 5e9, .fixed_seconds = 2e-6, .volume = 10000, .volumes_spread = 0.8, .visits = 500}}};
  const KernelSpeed speed = program.calibrated(five_launches({.deviation = 0.05})).kernels[0];
  EXPECT_NEAR(speed.fixed_seconds, 2e-6, 2e-7);
  EXPECT_LT(error(speed, program.kernels[0]), 0.05);
  EXPECT_NEAR(speed.explained, 1, 0.05);
}

TEST(ComputeSpeeds, have_no_fixed_seconds_where_volumes_are_alike) {
  const Program program{
      {{.units_per_second = 5e9, .fixed_seconds = 2e-6, .volume = 10000, .volumes_spread = 0.1, .visits = 500}}};
  EXPECT_EQ(program.calibrated(five_launches({})).kernels[0].fixed_seconds, 0);
}

// CoMD packs its halo five times between two calls of one place, and computes all forces the sixth time.
TEST(ComputeSpeeds, of_visits_of_two_kinds_are_right_where_the_time_is) {
  JoinedLaunch launch;
  VisitSample& kernel = launch.kernels.emplace_back();
  for (int step = 0; step < 20; ++step) {
    for (int packing = 0; packing < 5; ++packing)
      kernel.add({.volume = 1e6, .seconds = 1e6 / 4e9});
    kernel.add({.volume = 40e6, .seconds = 40e6 / 8e9});
  }
  const std::vector<JoinedLaunch> launches(5, launch);
  const KernelSpeed speed = compute_speeds(launches).kernels[0];
  EXPECT_DOUBLE_EQ(speed.units_per_second, 8e9);
  EXPECT_NEAR(speed.explained, 1, 0.12);
  EXPECT_DOUBLE_EQ(speed.relative_times[5], 1);
}

TEST(ComputeSpeeds, of_what_the_clock_cannot_time_are_drawn_towards_the_programs) {
  const Program program{{{.units_per_second = 4e9, .volume = 1'000'000, .visits = 100},
                         {.units_per_second = 5e9, .volume = 2'000'000, .visits = 100},
                         {.units_per_second = 1e9, .volume = 5, .visits = 100}}};
  const ComputeSpeeds speeds = program.calibrated(five_launches({.deviation = 0.01}));
  EXPECT_FALSE(speeds.kernels[2].own());
  EXPECT_GT(speeds.kernels[2].units_per_second, 2e9);
  EXPECT_TRUE(speeds.kernels[0].own());
  EXPECT_GT(speeds.coverage, 0.9);
  EXPECT_LT(speeds.coverage, 1);
}

/// Two kernels that are visited often, with noise, and one that is visited once.
JoinedLaunch launch_with_a_single_visit(unsigned seed, double single_rate) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> stretch(0, 0.3);
  JoinedLaunch launch;
  for (const double rate : {4e9, 5e9}) {
    VisitSample& kernel = launch.kernels.emplace_back();
    for (int visit = 0; visit < 100; ++visit)
      kernel.add({.volume = 1e6, .seconds = 1e6 / rate * stretch(random)});
  }
  launch.kernels.emplace_back().add({.volume = 1e6, .seconds = 1e6 / single_rate * stretch(random)});
  return launch;
}

TEST(ComputeSpeeds, of_one_visit_are_less_certain_than_those_of_many) {
  const std::vector<JoinedLaunch> one{launch_with_a_single_visit(1, 8e9)};
  const ComputeSpeeds speeds = compute_speeds(one);
  EXPECT_LT(speeds.kernels[2].weight, speeds.kernels[0].weight);
  EXPECT_LT(speeds.kernels[2].weight, 0.9);
  EXPECT_FALSE(speeds.kernels[2].spread);
  EXPECT_TRUE(speeds.kernels[0].spread);
  std::vector<JoinedLaunch> many;
  for (unsigned seed = 1; seed <= 9; ++seed)
    many.push_back(launch_with_a_single_visit(seed, 8e9));
  EXPECT_GT(compute_speeds(many).kernels[2].weight, speeds.kernels[2].weight);
}

TEST(ComputeSpeeds, of_kernels_that_were_all_timed_once_are_pooled) {
  JoinedLaunch launch;
  for (const double rate : {1e9, 4e9, 9e9})
    launch.kernels.emplace_back().add({.volume = 1e6, .seconds = 1e6 / rate});
  const ComputeSpeeds speeds = compute_speeds({{launch}});
  EXPECT_EQ(speeds.coverage, 0);
  for (const KernelSpeed& speed : speeds.kernels) {
    EXPECT_EQ(speed.weight, 0);
    EXPECT_NEAR(speed.units_per_second, speeds.units_per_second, 1);
  }
}

TEST(ComputeSpeeds, differ_between_launches_and_the_interval_says_so) {
  Program program{{{.units_per_second = 1e9, .volume = 50000, .visits = 50}}};
  const auto volumes = program.recorded();
  std::vector<JoinedLaunch> joined;
  for (const double rate : {0.9e9, 1.0e9, 1.1e9, 0.95e9, 1.05e9}) {
    program.kernels[0].units_per_second = rate;
    joined.push_back(join(*volumes, *program.launched({})));
  }
  const KernelSpeed speed = compute_speeds(joined).kernels[0];
  EXPECT_NEAR(speed.units_per_second, 1e9, 1e6);
  EXPECT_NEAR(speed.interval.low, 0.9e9, 1e6);
  EXPECT_NEAR(speed.interval.high, 1.1e9, 1e6);
  EXPECT_EQ(speed.launches.size(), 5U);
}

TEST(ComputeSpeeds, are_the_same_for_the_same_launches) {
  const Program program{{{.units_per_second = 1e9, .volume = 20000, .volumes_spread = 0.5, .visits = 3000}}};
  const auto once = program.calibrated(five_launches({.deviation = 0.1, .preempted = true}));
  const auto again = program.calibrated(five_launches({.deviation = 0.1, .preempted = true}));
  EXPECT_EQ(once.kernels[0].units_per_second, again.kernels[0].units_per_second);
  EXPECT_EQ(once.kernels[0].relative_times, again.kernels[0].relative_times);
}

TEST(ComputeSpeeds, of_no_time_at_all_are_refused) {
  const Program program{{{.units_per_second = 1e12, .volume = 10, .visits = 5}}};
  EXPECT_THROW(program.calibrated(five_launches({})), Error);
}

TEST(WholeRate, is_the_mean_over_ranks_of_units_over_seconds) {
  JoinedLaunch launch;
  launch.ranks = {{.volume = 100, .seconds = 1}, {.volume = 300, .seconds = 1}};
  JoinedLaunch other;
  other.ranks = {{.volume = 100, .seconds = 0.5}, {.volume = 300, .seconds = 0.75}};
  const std::vector<JoinedLaunch> launches{launch, other};
  const WholeRate whole = whole_rate(launches);
  EXPECT_DOUBLE_EQ(whole.launches[0], 200);
  EXPECT_DOUBLE_EQ(whole.launches[1], 300);
  EXPECT_DOUBLE_EQ(whole.units_per_second, 250);
  EXPECT_NEAR(whole.spread, std::sqrt(5000.0) / 250, 1e-12);
}

TEST(VisitSample, keeps_evenly_spaced_visits_and_the_sums_of_all) {
  VisitSample sample;
  for (int visit = 0; visit < 200000; ++visit)
    sample.add({.volume = 1, .seconds = static_cast<double>(visit)});
  EXPECT_EQ(sample.count(), 200000U);
  EXPECT_DOUBLE_EQ(sample.volume(), 200000);
  ASSERT_LE(sample.visits().size(), 32768U);
  for (std::size_t i = 0; i < sample.visits().size(); ++i)
    ASSERT_EQ(sample.visits()[i].seconds, 8 * static_cast<double>(i));
}

/// What two runs of one rank differ in.
class Join : public testing::Test {
protected:
  Join() {
    add_modules(volumes, 2);
    add_modules(times, 2);
    times.description().counter = {.name = "walltime", .version = {}, .unit = trace::VolumeUnit::nanoseconds};
  }
  void both(const Action& action) {
    volumes.add(0, action);
    times.add(0, action);
  }
  std::string difference() {
    volumes.finalize();
    times.finalize();
    try {
      join(volumes, times);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  MemorySource volumes{1};
  MemorySource times{1};
};

TEST_F(Join, names_rank_action_and_call_of_the_first_difference) {
  volumes.compute(0, 10, 0);
  times.compute(0, 10, 0);
  both({.kind = ActionKind::barrier});
  volumes.add(0, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
  times.add(0, {.kind = ActionKind::barrier});
  EXPECT_THAT(difference(), AllOf(HasSubstr("Barrier instead of Allreduce of 8 bytes"), HasSubstr("rank 0, action 2")));
}

TEST_F(Join, refuses_a_message_to_somebody_else) {
  volumes.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8});
  times.add(0, {.kind = ActionKind::send, .peer = 2, .bytes = 8});
  EXPECT_THAT(difference(), HasSubstr("Send of 8 bytes, rank 2 instead of Send of 8 bytes, rank 1"));
}

TEST_F(Join, refuses_another_size) {
  volumes.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 8});
  times.add(0, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 16});
  EXPECT_THAT(difference(), HasSubstr("Bcast of 16 bytes"));
}

TEST_F(Join, refuses_one_that_does_less_or_more) {
  volumes.add(0, {.kind = ActionKind::barrier});
  EXPECT_THAT(difference(), HasSubstr("Finalize instead of Barrier"));
}

TEST_F(Join, refuses_another_build) {
  times.description().modules[0].build_id = "another";
  volumes.compute(0, 10, 0);
  times.compute(0, 10, 0);
  both({.kind = ActionKind::barrier});
  EXPECT_THAT(difference(), HasSubstr("another build"));
}

TEST_F(Join, refuses_another_number_of_ranks) {
  MemorySource two(2);
  two.description().counter.unit = trace::VolumeUnit::nanoseconds;
  two.finalize();
  volumes.finalize();
  EXPECT_THROW(join(volumes, two), Error);
}

TEST_F(Join, refuses_launches_without_times) {
  times.description().counter = {.name = "none", .version = {}, .unit = trace::VolumeUnit::none};
  EXPECT_THAT(difference(), HasSubstr("without the time of its computations"));
}

TEST_F(Join, refuses_a_launch_that_did_not_end) {
  volumes.finalize();
  EXPECT_THROW(join(volumes, times), Error);
}

TEST_F(Join, passes_by_whom_receives_from_anybody_met) {
  const auto from = [](trace::Rank peer) {
    return Action{.kind = ActionKind::receive, .flags = trace::flag_wildcard, .peer = peer, .tag = peer, .bytes = 8};
  };
  volumes.add(0, from(1));
  times.add(0, from(2));
  EXPECT_EQ(difference(), "");
}

TEST_F(Join, takes_a_computation_too_short_for_the_clock_for_no_time) {
  volumes.compute(0, 10, 0);
  both({.kind = ActionKind::barrier});
  volumes.compute(0, 30, 1);
  times.compute(0, 7, 1);
  both({.kind = ActionKind::barrier});
  volumes.finalize();
  times.finalize();
  const JoinedLaunch launch = join(volumes, times);
  EXPECT_EQ(launch.kernels[0].count(), 1U);
  EXPECT_EQ(launch.kernels[0].seconds(), 0);
  EXPECT_DOUBLE_EQ(launch.kernels[1].seconds(), 7e-9);
  EXPECT_DOUBLE_EQ(launch.ranks[0].volume, 40);
}

TEST_F(Join, takes_volumes_and_times_of_a_launch_that_has_both) {
  times.description().counter = volumes.description().counter;
  const auto compute = [&](std::uint64_t recorded, std::uint64_t launched, std::uint64_t nanoseconds,
                           std::uint64_t entry) {
    volumes.compute(0, recorded, 0);
    times.compute(0, launched, 0);
    times.times(0, {entry, entry + nanoseconds});
    both({.kind = ActionKind::barrier});
    times.times(0, {entry + nanoseconds, entry + nanoseconds});
  };
  compute(100, 110, 1250, 0);
  compute(1, 1, 250, 2000); // nothing but the readings
  volumes.finalize();
  times.finalize();
  const JoinedLaunch launch = join(volumes, times);
  EXPECT_DOUBLE_EQ(launch.kernels[0].volume(), 111);
  EXPECT_DOUBLE_EQ(launch.kernels[0].seconds(), 1e-6);
}

TEST_F(Join, is_kernel_by_kernel_where_probes_and_tests_come_in_another_order) {
  const auto visit = [](MemorySource& run, trace::KernelId kernel, std::uint64_t volume, ActionKind call) {
    run.compute(0, volume, kernel);
    run.add(0, {.kind = call, .peer = call == ActionKind::poll ? 0 : trace::no_rank});
  };
  visit(volumes, 0, 10, ActionKind::poll);
  visit(volumes, 1, 20, ActionKind::test_all);
  visit(volumes, 0, 30, ActionKind::barrier);
  visit(times, 1, 2000, ActionKind::test_all);
  visit(times, 0, 1000, ActionKind::poll);
  visit(times, 1, 500, ActionKind::test_all); // once more than recorded
  visit(times, 0, 3000, ActionKind::barrier);
  volumes.finalize();
  times.finalize();
  const JoinedLaunch launch = join(volumes, times);
  EXPECT_EQ(launch.reordered, (std::vector<trace::Rank>{0}));
  ASSERT_EQ(launch.kernels[0].count(), 2U);
  EXPECT_DOUBLE_EQ(launch.kernels[0].visits()[1].seconds, 3e-6);
  EXPECT_EQ(launch.kernels[1].count(), 0U);
  EXPECT_DOUBLE_EQ(launch.unjoined, 20);
  EXPECT_DOUBLE_EQ(launch.ranks.at(0).volume, 40);
}

TEST_F(Join, counts_the_longest_worker_as_the_burst) {
  volumes.compute(0, 10, 0);
  volumes.volume(0, ActionKind::workers_sum, 90, 0);
  volumes.volume(0, ActionKind::workers_maximum, 50, 0);
  times.compute(0, 7, 0);
  both({.kind = ActionKind::barrier});
  volumes.finalize();
  times.finalize();
  EXPECT_DOUBLE_EQ(join(volumes, times).kernels[0].volume(), 50);
}

TEST(ClockJump, is_told_where_a_rank_took_longer_than_its_launch_or_went_back) {
  const auto launch = [](std::uint64_t end) {
    auto run = std::make_unique<MemorySource>(2);
    for (const trace::Rank rank : {0, 1}) {
      run->add(rank, {.kind = ActionKind::barrier});
      run->times(rank, {1000, rank == 1 ? end : 2000});
    }
    run->finalize();
    for (const trace::Rank rank : {0, 1})
      run->times(rank, {3'000'000'000, 3'000'000'000});
    run->description().ranks[1].recorded_time = 3'000'000'000;
    return run;
  };
  EXPECT_EQ(clock_jump(*launch(2000), 3.1), "");
  EXPECT_EQ(clock_jump(*launch(2000), std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(clock_jump(*launch(2000), 1.5), "the clock of rank 1 jumped: it went on by 3.000 s in a launch of 1.500 s");
  EXPECT_EQ(clock_jump(*launch(2000 - 1'500'000'000ULL), 3.1), "the clock of rank 1 went back by 1.500 s");
}

} // namespace
} // namespace timeless::analysis
