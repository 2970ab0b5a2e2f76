#include "analysis/critical_path.h"
#include "analysis/scaling/rank_classes.h"
#include "analysis/scaling/time/equations.h"
#include "analysis/scaling/time/growth.h"
#include "analysis/scaling/time/part_observer.h"
#include "replay/network/machine_network.h"
#include "replay/network/presets.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace timeless::analysis {
namespace {

using trace::ActionKind;

/// A program that shares out its work, with a part that the last rank alone has, for which the others wait.
std::unique_ptr<trace::MemorySource> uneven_program(trace::Rank ranks, std::uint64_t of_last = 0) {
  auto source = std::make_unique<trace::MemorySource>(ranks);
  source->description().modules = {{"/bin/solver", "build one"}};
  const trace::KernelId shared = source->add_kernel({{0, 100}, {0, 200}});
  const trace::KernelId uneven = source->add_kernel({{0, 200}, {0, 300}});
  for (trace::Rank rank = 0; rank < ranks; ++rank) {
    for (int step = 0; step < 4; ++step) {
      source->compute(rank, 64'000'000 / static_cast<std::uint64_t>(ranks), shared);
      source->add(rank, {.kind = ActionKind::allreduce, .bytes = 8});
      source->compute(rank, rank == ranks - 1 ? 1'000'000 + of_last : 1'000'000, uneven);
      source->add(rank, {.kind = ActionKind::barrier});
    }
  }
  source->finalize();
  return source;
}

TimedRun timed(const trace::Source& source) {
  const trace::Run& run = source.run();
  const replay::Network network = replay::machine_network({replay::machine_lane(replay::lane(replay::preset("e10g")))},
                                                          replay::one_rank_per_node(run.size, 1e-9));
  PartObserver observer;
  replay::ReplayOptions options;
  options.ideal = true;
  options.attribute = replay::AttributeBy::kernels;
  options.observer = &observer;
  const replay::Result result = replay::replay(source, network, options);
  replay::ReplayOptions explained;
  explained.critical_path = true;
  const replay::Result path = replay::replay(source, network, explained);
  return timed_run(run, result, observer.parts().value(),
                   explain_path(source, path.critical_path, [](trace::KernelId) { return 1.0; }));
}

TEST(ScalingTime, one_replay_observed_has_the_parts_of_one_by_calls) {
  const auto source = uneven_program(8, 500'000);
  const TimedRun observed = timed(*source);
  const replay::Network network = replay::machine_network({replay::machine_lane(replay::lane(replay::preset("e10g")))},
                                                          replay::one_rank_per_node(8, 1e-9));
  replay::ReplayOptions options;
  options.attribute = replay::AttributeBy::calls;
  const TimeByPart by_call = time_by_part(replay::replay(*source, network, options), run_figures(*source).families);
  EXPECT_NEAR(observed.parts.computation, by_call.computation, 1e-12);
  EXPECT_NEAR(observed.parts.collective, by_call.collective, 1e-12);
  EXPECT_NEAR(observed.parts.point_to_point, by_call.point_to_point, 1e-12);
  EXPECT_NEAR(observed.parts.other, by_call.other, 1e-12);
}

TEST(ScalingTime, parts_of_the_time_add_up_to_the_mean_end) {
  const TimedRun run = timed(*uneven_program(8, 500'000));
  EXPECT_NEAR(run.parts.sum(), run.makespan, 1e-9);
  EXPECT_NEAR(run.parts.computation, 4 * (8e6 + 1e6 + 0.5e6 / 8) * 1e-9, 1e-12);
  EXPECT_GT(run.parts.collective, 0);
  EXPECT_EQ(run.parts.point_to_point, 0);
}

TEST(ScalingTime, parts_of_a_growth_add_up_to_what_is_lost) {
  const TimedRun few = timed(*uneven_program(4));
  const TimedRun many = timed(*uneven_program(16, 2'000'000));
  const Growth grown = growth(few, many, perfect_factor({.ranks = 4}, {.ranks = 16}, Scaling{}));
  EXPECT_EQ(grown.factor, 0.25);
  double lost = 0;
  double after = 0;
  for (const GrownPart& part : grown.parts) {
    lost += part.lost();
    after += part.after;
  }
  EXPECT_NEAR(lost, grown.lost(), 1e-12);
  EXPECT_NEAR(after, many.makespan, 1e-12);
}

TEST(ScalingTime, growth_names_the_kernel_that_the_others_wait_for) {
  const TimedRun few = timed(*uneven_program(4));
  const TimedRun many = timed(*uneven_program(16, 2'000'000));
  const Growth grown = growth(few, many, 0.25);
  const GrownPart& first = grown.parts.front();
  EXPECT_EQ(first.of, GrowthOf::imbalance);
  EXPECT_EQ(first.kernel.begin.front().second, 200U);
  EXPECT_NEAR(first.lost(), 4 * 2e-3 * 15 / 16, 1e-9) << "what the last rank has beyond the mean";
  ASSERT_FALSE(grown.waits.empty());
  const GrownWait& wait = grown.waits.front();
  ASSERT_TRUE(wait.known);
  EXPECT_EQ(wait.behind, first.kernel) << "they wait in the barrier behind it";
  EXPECT_EQ(wait.cause, first.kernel);
  EXPECT_EQ(many.kernels.at(wait.cause).rank, 15);
}

/// Ranks in a line exchange their edges, work, and add up; before that, rank 0 alone works for all.
std::unique_ptr<trace::MemorySource> line_with_a_busy_first_rank(trace::Rank ranks) {
  auto source = std::make_unique<trace::MemorySource>(ranks);
  source->description().modules = {{"/bin/solver", "build one"}};
  const trace::KernelId alone = source->add_kernel({{0, 100}, {0, 200}});
  const trace::KernelId between = source->add_kernel({{0, 200}, {0, 300}});
  const trace::KernelId shared = source->add_kernel({{0, 300}, {0, 400}});
  for (trace::Rank rank = 0; rank < ranks; ++rank) {
    const trace::Rank up = rank == 0 ? trace::no_rank : rank - 1;
    const trace::Rank down = rank == ranks - 1 ? trace::no_rank : rank + 1;
    const auto exchange = [&](trace::Rank to, trace::Rank from) {
      source->add(rank,
                  {.kind = ActionKind::exchange, .peer = to, .bytes = 8, .receive_peer = from, .receive_bytes = 8});
    };
    for (int step = 0; step < 4; ++step) {
      source->compute(rank, rank == 0 ? 500'000 : 100, alone);
      exchange(up, down);
      source->compute(rank, 50, between);
      exchange(down, up);
      source->compute(rank, 1'000'000, shared);
      source->add(rank, {.kind = ActionKind::allreduce, .bytes = 8});
    }
  }
  source->finalize();
  return source;
}

TEST(ScalingTime, a_wait_is_for_the_kernel_that_makes_the_path_late_some_messages_before) {
  const Growth grown = growth(timed(*line_with_a_busy_first_rank(4)), timed(*line_with_a_busy_first_rank(12)), 1);
  const auto in_allreduce =
      std::ranges::find(grown.waits, 300U, [](const GrownWait& wait) { return wait.behind.begin.front().second; });
  ASSERT_NE(in_allreduce, grown.waits.end());
  EXPECT_GT(in_allreduce->after, 1e-3) << "of 2 ms";
  ASSERT_TRUE(in_allreduce->known);
  EXPECT_EQ(in_allreduce->cause.begin.front().second, 100U);
}

TEST(ScalingTime, a_wait_is_not_for_what_was_waited_for_before_all_were_together) {
  auto source = std::make_unique<trace::MemorySource>(8);
  source->description().modules = {{"/bin/solver", "build one"}};
  const trace::KernelId early = source->add_kernel({{0, 100}, {0, 200}});
  const trace::KernelId late = source->add_kernel({{0, 200}, {0, 300}});
  for (trace::Rank rank = 0; rank < 8; ++rank) {
    source->compute(rank, rank == 0 ? 5'000'000 : 1'000'000, early);
    source->add(rank, {.kind = ActionKind::allreduce, .bytes = 8});
    source->compute(rank, rank == 7 ? 2'000'000 : 1'000'000, late);
    source->add(rank, {.kind = ActionKind::barrier});
  }
  source->finalize();
  const TimedRun run = timed(*source);
  const Growth grown = growth(run, run, 0.5);
  const auto in_barrier =
      std::ranges::find(grown.waits, 200U, [](const GrownWait& wait) { return wait.behind.begin.front().second; });
  ASSERT_NE(in_barrier, grown.waits.end());
  ASSERT_TRUE(in_barrier->known);
  EXPECT_EQ(in_barrier->cause.begin.front().second, 200U) << "the first kernel has more beyond the mean";
}

TEST(ScalingTime, equations_meet_runs_whose_calls_cost_what_they_say) {
  ScalingQuestion question{.unit = "instructions"};
  std::vector<TimedRun> runs;
  for (const trace::Rank ranks : {2, 4, 8, 16, 32}) {
    const auto source = uneven_program(ranks);
    question.runs.push_back({std::to_string(ranks), {.ranks = static_cast<double>(ranks)}, run_figures(*source)});
    runs.push_back(timed(*source));
  }
  const Scaling answer = scaling(std::move(question));
  const ScaleEquations equations = scale_equations(answer, runs);
  EXPECT_NEAR(equations.communication_factor, 1, 1e-6) << "nobody waits for uneven work";
  const TimedRun real = timed(*uneven_program(128));
  const EquationTime said = equation_time(equations, answer, runs, {.ranks = 128});
  EXPECT_EQ(said.lawless, 0);
  EXPECT_NEAR(said.parts.computation, real.parts.computation, 1e-9);
  EXPECT_NEAR(said.makespan, real.makespan, 0.02 * real.makespan);
}

TEST(ScalingTime, equations_say_what_rests_on_laws_that_do_not_reach) {
  ScalingQuestion question{.unit = "instructions"};
  std::vector<TimedRun> runs;
  for (const trace::Rank ranks : {2, 4, 8}) {
    const auto source = uneven_program(ranks, ranks == 4 ? 3'000 : 1'000); // follows no law exactly
    question.runs.push_back({std::to_string(ranks), {.ranks = static_cast<double>(ranks)}, run_figures(*source)});
    runs.push_back(timed(*source));
  }
  const Scaling answer = scaling(std::move(question));
  const ScaleEquations equations = scale_equations(answer, runs);
  const EquationTime close = equation_time(equations, answer, runs, {.ranks = 10});
  EXPECT_EQ(close.doubtful, 0);
  const EquationTime far = equation_time(equations, answer, runs, {.ranks = 1024});
  EXPECT_NEAR(far.longest_kernel, 4e-3, 1e-4) << "that of the part without a law that reaches";
  const double uneven = 4e-3 / far.makespan; // about 1 ms in each of four steps
  EXPECT_NEAR(far.doubtful, uneven, 0.1 * uneven) << "the part that all have is exact and confirmed";
}

TEST(ScalingTime, ranks_by_position_share_out_what_is_computed) {
  const TimedRun run = timed(*uneven_program(4, 1'000'000));
  const RankPositions positions{.names = {"inside", "last"}, .of_rank = {0, 0, 0, 1}};
  const std::vector<PositionTime> times = time_by_position(run, positions);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].position, "last") << "the busiest first";
  EXPECT_NEAR(times[0].computed - times[1].computed, 4e-3, 1e-9);
  EXPECT_NEAR((times[0].computed + 3 * times[1].computed) / 4, run.parts.computation, 1e-9);
}

TEST(ScalingTime, memory_is_a_part_of_the_computation_in_runs_and_equations) {
  ScalingQuestion question{.unit = "instructions"};
  std::vector<TimedRun> runs;
  for (const trace::Rank ranks : {2, 4, 8, 16, 32}) {
    const auto source = uneven_program(ranks);
    question.runs.push_back({std::to_string(ranks), {.ranks = static_cast<double>(ranks)}, run_figures(*source)});
    runs.push_back(timed(*source));
    EXPECT_FALSE(runs.back().parts.memory);
    add_memory(runs.back(), source->run(), std::vector<double>{0, 0.5, 0}); // kernel 1 is shared out
    EXPECT_NEAR(*runs.back().parts.memory, 0.5 * 4 * 64e-3 / ranks, 1e-9);
  }
  const Scaling answer = scaling(std::move(question));
  const EquationTime said = equation_time(scale_equations(answer, runs), answer, runs, {.ranks = 128});
  EXPECT_NEAR(*said.parts.memory, 0.5 * 4 * 64e-3 / 128, 1e-9);
}

TEST(ScalingTime, computation_that_does_not_shrink_scales_worse) {
  const TimedRun few = timed(*uneven_program(2));
  const TimedRun many = timed(*uneven_program(32));
  EXPECT_NEAR(*computation_scaling(few, many, Scaling{}), (32e6 + 1e6) / 16 / (2e6 + 1e6), 1e-9);
  Scaling sized;
  sized.sizes_given = true;
  EXPECT_NEAR(perfect_factor({.ranks = 2, .size = 10}, {.ranks = 4, .size = 20}, sized), 1, 1e-12);
  sized.size_of_rank = true;
  EXPECT_NEAR(perfect_factor({.ranks = 2, .size = 10}, {.ranks = 4, .size = 20}, sized), 2, 1e-12);
}

/// The figures of a run whose ranks on a grid's edge have less work.
RunFigures grid_figures(trace::Rank ranks, std::size_t dimensions) {
  trace::MemorySource source(ranks);
  const trace::KernelId kernel = source.add_kernel({{0, 100}, {0, 200}});
  const RankGrid grid = GridRule{.dimensions = dimensions}.grid(ranks);
  for (trace::Rank rank = 0; rank < ranks; ++rank) {
    std::uint64_t neighbours = 0;
    for (std::size_t side = 0; side < grid.sides.size(); ++side) {
      const GridPlace place = grid.place(rank);
      neighbours += place[side] > 0 ? 1U : 0U;
      neighbours += place[side] + 1 < static_cast<int>(grid.sides[side].extent) ? 1U : 0U;
    }
    source.compute(rank, 1000 + 10 * neighbours, kernel);
  }
  source.finalize();
  return run_figures(source);
}

TEST(RankClasses, finds_the_grid_whose_edges_do_less) {
  for (const std::size_t dimensions : {1U, 2U}) {
    const std::vector<RunFigures> figures{grid_figures(12, dimensions), grid_figures(20, dimensions)};
    const std::vector<const RunFigures*> runs{&figures[0], &figures[1]};
    const auto classes = rank_classes(runs);
    ASSERT_TRUE(classes);
    EXPECT_EQ(classes->assumption, GridRule{.dimensions = dimensions}.text());
    EXPECT_NEAR(classes->explained, 1, 1e-9);
    const std::string inside = dimensions == 1 ? "inside" : "inside, inside";
    const auto& kernel = figures[1].kernels.begin()->second;
    EXPECT_NEAR(*classes->mean(1, inside, kernel.by_rank), 1000 + 20.0 * static_cast<double>(dimensions), 1e-9);
    EXPECT_FALSE(classes->mean(1, "nowhere", kernel.by_rank));
  }
}

TEST(RankClasses, are_none_where_ranks_do_the_same) {
  trace::MemorySource source(6);
  const trace::KernelId kernel = source.add_kernel({{0, 100}, {0, 200}});
  for (trace::Rank rank = 0; rank < 6; ++rank)
    source.compute(rank, 1000, kernel);
  source.finalize();
  const RunFigures figures = run_figures(source);
  const std::vector<const RunFigures*> runs{&figures};
  EXPECT_FALSE(rank_classes(runs));
}

} // namespace
} // namespace timeless::analysis
