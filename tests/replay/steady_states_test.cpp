#include "iterating_programs.h"
#include "machines.h"
#include "tests/trace/samples.h"
#include "tests/trace/shared_structures.h"

#include "base/error.h"
#include "replay/engine/clocks/exact_sum.h"
#include "replay/engine/steady/loop_walk.h"
#include "replay/replay.h"
#include "trace/archive/reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

namespace timeless::replay::test::steady_states_test {
namespace {

using trace::ActionKind;
using trace::MemorySource;
using trace::Rank;
using trace::Source;

Result replayed(const Source& source, Jumps jumps, ReplayOptions options = {},
                std::vector<std::size_t> lanes = {0, 1, 2}) {
  options.jumps = jumps;
  return replay(source, fractional_machine(source.run().size, lanes), options);
}

void expect_same_bits(const Result& left, const Result& right) {
  ASSERT_EQ(left.lanes.size(), right.lanes.size());
  EXPECT_EQ(left.actions, right.actions);
  EXPECT_EQ(left.notes, right.notes);
  EXPECT_EQ(left.not_modelled, right.not_modelled);
  EXPECT_EQ(left.attribution.calls, right.attribution.calls);
  ASSERT_EQ(left.attribution.parts.size(), right.attribution.parts.size());
  for (std::size_t i = 0; i < left.attribution.parts.size(); ++i)
    EXPECT_TRUE(same_bits(left.attribution.parts[i], right.attribution.parts[i])) << "part " << i;
  ASSERT_EQ(left.incast.has_value(), right.incast.has_value());
  if (left.incast) {
    EXPECT_EQ(left.incast->rank, right.incast->rank);
    EXPECT_EQ(left.incast->seconds, right.incast->seconds);
  }
  for (std::size_t lane = 0; lane < left.lanes.size(); ++lane) {
    EXPECT_TRUE(same_bits(left.lanes[lane], right.lanes[lane])) << "lane " << lane;
    EXPECT_EQ(left.lanes[lane].ideal_makespan, right.lanes[lane].ideal_makespan);
  }
}

/// Expects that jumps change no bit, and next to nothing against a replay without cuts. Returns the replay with jumps.
Result expect_exact(const Source& source, const ReplayOptions& options = {},
                    const std::vector<std::size_t>& lanes = {0, 1, 2}) {
  Result jumped = replayed(source, Jumps::taken, options, lanes);
  expect_same_bits(jumped, replayed(source, Jumps::dry, options, lanes));
  const Result plain = replayed(source, Jumps::none, options, lanes);
  EXPECT_EQ(jumped.actions, plain.actions);
  for (std::size_t lane = 0; lane < plain.lanes.size(); ++lane) {
    const double span = plain.lanes[lane].makespan;
    EXPECT_NEAR(jumped.lanes[lane].makespan, span, 1e-12 * span);
    for (std::size_t rank = 0; rank < plain.lanes[lane].ranks.size(); ++rank)
      for (const auto counter : rank_counters)
        EXPECT_NEAR(jumped.lanes[lane].ranks[rank].*counter, plain.lanes[lane].ranks[rank].*counter, 1e-10 * span);
  }
  EXPECT_EQ(jumped.attribution.parts.size(), plain.attribution.parts.size());
  for (std::size_t i = 0; i < jumped.attribution.parts.size(); ++i) {
    const AttributedTimes& part = jumped.attribution.parts[i];
    const AttributedTimes& played = plain.attribution.parts.at(i);
    EXPECT_EQ(part.subject, played.subject);
    EXPECT_EQ(part.count, played.count);
    for (std::size_t lane = 0; lane < part.lanes.size(); ++lane)
      for (const auto counter : rank_counters)
        EXPECT_NEAR(part.lanes[lane].*counter, played.lanes[lane].*counter, 1e-10 * plain.lanes[lane].makespan);
  }
  return jumped;
}

double share_jumped(const Result& result) {
  return static_cast<double>(result.steady.value().actions) / static_cast<double>(result.actions);
}

TEST(ExactSum, adds_n_times_the_same_as_n_times_in_one) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const double step = std::ldexp(static_cast<double>(random() >> 11U), -static_cast<int>(random() % 90) - 30);
    ExactSeconds played;
    played.add(0.1);
    ExactSeconds jumped = played;
    ExactSeconds once = jumped;
    once.add(step);
    for (int i = 0; i < 1000; ++i)
      played.add(step);
    ExactSeconds grown;
    grown.add(step);
    jumped.add(grown, 1000);
    EXPECT_EQ(played, jumped);
    EXPECT_NEAR(played.plus(0), 0.1 + 1000 * step, 1e-12 * (1 + 1000 * step));
  }
}

TEST(SteadyStates, of_wavefronts_are_jumped_over) {
  for (const Rank ranks : {4, 9, 16}) {
    const Result result = expect_exact(iterating(ranks, 300, wavefront(ranks, 5, true)));
    EXPECT_GT(share_jumped(result), 0.9) << ranks << testing::PrintToString(result.steady->played_since);
  }
}

TEST(SteadyStates, of_halos_with_a_collective_are_jumped_over) {
  for (const Rank ranks : {2, 5, 12}) {
    const Result result = expect_exact(iterating(ranks, 400, halo(ranks, 7, true)));
    EXPECT_GT(share_jumped(result), 0.9) << ranks << testing::PrintToString(result.steady->played_since);
  }
}

TEST(SteadyStates, with_messages_under_way_at_the_cuts_are_jumped_over) {
  for (const Rank ranks : {2, 3}) {
    const Result result = expect_exact(iterating(ranks, 2000, ring_under_way(ranks, 11)));
    EXPECT_GT(share_jumped(result), 0.5) << ranks;
    ASSERT_EQ(result.steady->loops.size(), 1U);
  }
}

TEST(SteadyStates, of_more_than_one_iteration_are_jumped_over) {
  double jumped = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    jumped += share_jumped(expect_exact(iterating(8, 600, doubling(8, seed))));
  EXPECT_GT(jumped, 4);
}

/// All send to rank 0 at once, and meet.
Iteration many_to_one(Rank ranks) {
  return [=](MemorySource& program, Rank rank, std::uint64_t iteration) {
    if (iteration == after_all) return;
    program.compute(rank, 1000);
    if (rank > 0)
      program.add(rank, {.kind = ActionKind::send, .peer = 0, .bytes = 50000});
    else
      for (Rank from = 1; from < ranks; ++from)
        program.add(rank, {.kind = ActionKind::receive, .peer = from, .bytes = 50000});
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
  };
}

TEST(SteadyStates, add_up_how_far_a_receiver_would_fall_behind) {
  ReplayOptions options;
  options.incast = true;
  for (const std::vector<std::size_t>& lanes : {std::vector<std::size_t>{0}, std::vector<std::size_t>{2, 0, 1}}) {
    const Result once = replayed(iterating(6, 1, many_to_one(6)), Jumps::none, options, lanes);
    const Result jumped = expect_exact(iterating(6, 300, many_to_one(6)), options, lanes);
    EXPECT_GT(share_jumped(jumped), 0.9) << testing::PrintToString(jumped.steady->played_since);
    ASSERT_TRUE(jumped.incast);
    EXPECT_EQ(jumped.incast->rank, 0);
    EXPECT_GT(once.incast->seconds, 0);
    // Several iterations may be one between cuts.
    EXPECT_LE(jumped.incast->seconds, 300 * once.incast->seconds * (1 + 1e-9));
    EXPECT_GT(jumped.incast->seconds, 100 * once.incast->seconds);
  }
}

TEST(SteadyStates, are_looked_for_in_long_exact_runs_that_repeat) {
  constexpr std::uint64_t enough = 300'000; // of 2 ranks with 7 actions each
  MemorySource program = iterating(2, enough, halo(2, 7, true));
  const Result jumped = replay(program, fractional_machine(2, {0, 1}), {});
  EXPECT_GT(share_jumped(jumped), 0.99);
  expect_same_bits(jumped, replayed(program, Jumps::taken, {}, {0, 1}));
  ReplayOptions more;
  more.attribute = AttributeBy::calls;
  EXPECT_TRUE(replay(program, fractional_machine(2, {0}), more).steady);
  more.ports = Ports::receiver;
  EXPECT_FALSE(replay(program, fractional_machine(2, {0}), more).steady);
  program.description().counter.exactness = trace::Exactness::inexact;
  EXPECT_FALSE(replay(program, fractional_machine(2, {0}), {}).steady);
}

TEST(SteadyStates, are_not_looked_for_in_short_runs_nor_where_volumes_do_not_repeat) {
  EXPECT_FALSE(replay(iterating(2, 3000, halo(2, 7, true)), fractional_machine(2, {0}), {}).steady);
  const Iteration even = halo(2, 7, true);
  const MemorySource uneven = iterating(2, 300'000, [&](MemorySource& program, Rank rank, std::uint64_t iteration) {
    even(program, rank, iteration);
    program.compute(rank, 1000 + iteration * iteration % 1009);
  });
  EXPECT_FALSE(replay(uneven, fractional_machine(2, {0}), {}).steady);
}

TEST(SteadyStates, of_loops_within_iterations_that_differ_are_jumped_over) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    const Result result = expect_exact(iterating(8, 90, sweeps(doubling(8, seed), 40, 5)));
    EXPECT_GT(share_jumped(result), 0.6) << testing::PrintToString(result.steady->played_since);
    ASSERT_EQ(result.steady->loops.size(), 1U);
    EXPECT_GT(result.steady->loops.front().jumps, 80U);
    EXPECT_LE(result.steady->loops.front().jumped, result.steady->loops.front().iterations);
  }
}

TEST(SteadyStates, that_were_met_in_a_sweep_before_are_jumped_at_once) {
  const auto played = [](std::uint64_t sweeps_played) {
    const Result result = expect_exact(iterating(8, sweeps_played, sweeps(doubling(8, 1), 40, 1000)));
    EXPECT_EQ(result.steady->loops.front().period, 2U);
    return result.actions - result.steady->actions;
  };
  // Until a state of period 2 is proved to come again, two more iterations of 120 actions are played in each sweep.
  EXPECT_LE(played(60) - played(40), 20 * 512U);
}

TEST(SteadyStates, of_inner_loops_are_sought_four_times_before_any_is_proved) {
  const MemorySource program = iterating(4, 60, sweeps(halo(4, 7, true), 40, 1000));
  for (const std::uint64_t proof : {0U, 1U, 4U}) {
    SCOPED_TRACE(proof);
    LoopWalk walk(program, plan_cuts(program, {0, 4}, false));
    ASSERT_FALSE(walk.look(true)) << "inner loops take its place";
    EXPECT_TRUE(walk.replaced(0));
    const std::uint64_t sweeps_left = walk.times_left();
    std::uint64_t gone_through = 0;
    for (; walk.any(); walk.next()) {
      EXPECT_TRUE(walk.look(true));
      EXPECT_EQ(walk.hopeless(), proof == 0 && gone_through >= 4);
      if (++gone_through == proof) walk.note_proof();
    }
    EXPECT_EQ(gone_through, sweeps_left) << "cuts depend on no proof: other configurations may have others";
    EXPECT_EQ(walk.refused()[1], "");
  }
  const Result result = expect_exact(iterating(9, 100, sweeps(wavefront(9, 3, false), 40, 1000)));
  EXPECT_EQ(result.steady->actions, 0U);
  EXPECT_EQ(result.steady->played_since, std::vector<std::string>{nothing_came_again});
}

TEST(SteadyStates, of_inner_loops_are_looked_for_unasked_where_these_are_long) {
  const auto share = [](std::uint64_t inner) {
    const MemorySource program = iterating(4, 60, sweeps(halo(4, 7, true), inner, 1000));
    const Result result = replayed(program, Jumps::none);
    return static_cast<double>(repeated_actions(program)) / static_cast<double>(result.actions);
  };
  EXPECT_LT(share(25), 0.01);
  EXPECT_GT(share(200), 0.7);
}

/// As `iteration`, and more work in some iterations: rank 0 with a period of its own.
Iteration with_periods(Iteration iteration, std::uint64_t period, std::uint64_t of_rank_0) {
  return [=](MemorySource& program, Rank rank, std::uint64_t number) {
    iteration(program, rank, number);
    if (number == after_all) return;
    program.compute(rank, 1000 + 77 * (number % (rank == 0 ? of_rank_0 : period)));
  };
}

TEST(SteadyStates, of_volumes_that_come_again_after_some_iterations_are_jumped_over) {
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> periods{{2, 1}, {2, 2}, {2, 3}, {5, 5}, {1, 7}};
  for (const auto& [period, of_rank_0] : periods) {
    SCOPED_TRACE(testing::Message() << period << " " << of_rank_0);
    const Result result = expect_exact(iterating(4, 960, with_periods(halo(4, 7, true), period, of_rank_0)));
    EXPECT_GT(share_jumped(result), 0.8) << testing::PrintToString(result.steady->played_since);
    EXPECT_LE(result.steady->loops.front().jumped, result.steady->loops.front().iterations);
    EXPECT_NEAR(static_cast<double>(result.steady->loops.front().iterations), 960, 2);
  }
  // One of 7 and one of 11 come together after 77, which is too many.
  const Result result = expect_exact(iterating(4, 960, with_periods(halo(4, 7, true), 7, 11)));
  EXPECT_EQ(result.steady->actions, 0U);
}

TEST(SteadyStates, add_no_iterations_where_every_action_is_played) {
  ReplayOptions options;
  options.iterations = 500;
  options.ports = Ports::receiver;
  try {
    replayed(iterating(4, 100, halo(4, 7, true)), Jumps::taken, options);
    ADD_FAILURE() << "it was replayed";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::usage);
  }
}

TEST(SteadyStates, are_never_found_where_there_are_none) {
  // Ranks that nobody waits for run ahead for ever, each at its own rate.
  const Result result = expect_exact(iterating(9, 200, wavefront(9, 3, false)));
  EXPECT_EQ(result.steady->actions, 0U);
  EXPECT_EQ(result.steady->played_since, std::vector<std::string>{"no state came again while volumes stayed the same"});
}

TEST(SteadyStates, of_any_program_are_exact) {
  std::uint64_t jumped = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    const auto ranks = static_cast<Rank>(2 + seed % 9);
    ReplayOptions options;
    options.sensitivities = seed % 3 == 0;
    options.ideal = seed % 4 == 0;
    options.incast = seed % 2 == 0;
    if (seed % 3 != 0) options.attribute = seed % 3 == 1 ? AttributeBy::kernels : AttributeBy::calls;
    if (seed % 5 == 0) options.collectives = CollectiveModel::schedule;
    if (seed % 7 == 0) options.overlap = Overlap::bandwidth_first;
    if (seed % 4 == 1) options.eager_limit = seed % 3000;
    const std::vector<std::size_t> lanes =
        seed % 2 == 0 ? std::vector<std::size_t>{seed % 5} : std::vector<std::size_t>{0, 3, 1};
    const MemorySource program = iterating(ranks, 40 + seed * 7 % 300, anything(ranks, seed));
    try {
      replayed(program, Jumps::none, options, lanes);
    } catch (const ReplayProblem&) {
      continue; // all ranks send first, and wait
    }
    const Result result = expect_exact(program, options, lanes);
    jumped += result.steady->actions > 0 ? 1 : 0;
  }
  EXPECT_GT(jumped, 60U);
}

TEST(SteadyStates, give_more_iterations_than_were_recorded_to_the_last_bit) {
  constexpr std::uint64_t all = 2000;
  const std::vector<Iteration> programs{wavefront(9, 5, true), halo(6, 7, true), halo(5, 2, true)};
  const std::vector<Rank> ranks{9, 6, 5};

  for (std::size_t i = 0; i < programs.size(); ++i) {
    SCOPED_TRACE(i);
    ReplayOptions options;
    options.iterations = all;
    options.sensitivities = true;
    const Result whole = replayed(iterating(ranks[i], all, programs[i]), Jumps::taken, options);
    for (const std::uint64_t more : {0U, 1U, 7U, 250U}) {
      const std::uint64_t recorded = 300 + more;
      SCOPED_TRACE(recorded);
      const Result longer = replayed(iterating(ranks[i], recorded, programs[i]), Jumps::taken, options);
      expect_same_bits(whole, longer);
      const SteadyReport::Loop& loop = longer.steady->loops.front();
      EXPECT_EQ(loop.iterations, whole.steady->loops.front().iterations);
      EXPECT_EQ(loop.added, all - recorded);
    }
  }
}

TEST(SteadyStates, are_needed_for_more_iterations_than_were_recorded) {
  ReplayOptions options;
  options.iterations = 100'000;
  EXPECT_THROW(replayed(iterating(9, 200, wavefront(9, 3, false)), Jumps::taken, options), Error);
  EXPECT_THROW(replayed(iterating(4, 3, halo(4, 7, true)), Jumps::taken, options), Error);
  options.iterations = 100;
  EXPECT_THROW(replayed(iterating(6, 300, halo(6, 7, true)), Jumps::taken, options), Error) << "fewer";
  options.iterations = 400;
  options.ports = Ports::receiver;
  EXPECT_THROW(replayed(iterating(6, 300, halo(6, 7, true)), Jumps::taken, options), Error);
}

TEST(SteadyStates, end_where_a_volume_changes) {
  constexpr std::uint64_t iterations = 200;
  for (const std::uint64_t other : {1U, 2U, 3U, 50U, 120U, 198U, 199U}) {
    SCOPED_TRACE(other);
    const Iteration usual = halo(6, 1, true);
    const MemorySource program = iterating(6, iterations, [&](MemorySource& to, Rank rank, std::uint64_t iteration) {
      if (iteration == after_all) return;
      usual(to, rank, iteration);
      to.compute(rank, rank == 4 && iteration == other ? 90001 : 90000);
    });
    const Result result = expect_exact(program);
    EXPECT_GT(share_jumped(result), 0.8);
  }
}

TEST(SteadyStates, go_on_between_changes) {
  const Iteration usual = wavefront(9, 2, true);
  const MemorySource program = iterating(9, 1000, [&](MemorySource& to, Rank rank, std::uint64_t iteration) {
    if (iteration == after_all) return;
    usual(to, rank, iteration);
    to.compute(rank, rank == 0 && iteration % 50 == 0 ? 2262 : 22);
  });
  const Result result = expect_exact(program);
  EXPECT_GT(share_jumped(result), 0.6);
  ASSERT_EQ(result.steady->loops.size(), 1U);
  EXPECT_GT(result.steady->loops.front().jumps, 5U);
}

TEST(SteadyStates, of_several_loops_are_jumped_over_one_after_the_other) {
  MemorySource program(4, 500);
  const Iteration first = halo(4, 3, true);
  const Iteration second = wavefront(4, 4, true);
  for (Rank rank = 0; rank < 4; ++rank) {
    for (std::uint64_t i = 0; i < 300; ++i)
      first(program, rank, i);
    for (std::uint64_t i = 0; i < 400; ++i)
      second(program, rank, i);
    for (std::uint64_t i = 0; i < 300; ++i)
      first(program, rank, i);
  }
  program.finalize();
  const Result result = expect_exact(program);
  EXPECT_EQ(result.steady->loops.size(), 3U);
  EXPECT_GT(share_jumped(result), 0.9);
}

TEST(SteadyStates, are_the_same_from_a_gathered_archive) {
  for (const std::uint64_t iterations : {100U, 2500U}) {
    const trace::test::TemporaryDirectory directory;
    const MemorySource program = iterating(4, iterations, halo(4, 5, true));
    trace::test::write_archive(program, directory.path() / "run.tia");
    trace::test::share_structures(trace::ArchiveReader(directory.path() / "run.tia"),
                                  directory.path() / "gathered.tia");
    const trace::ArchiveReader gathered(directory.path() / "gathered.tia");
    const Result result = expect_exact(gathered);
    expect_same_bits(result, replayed(program, Jumps::taken));
    EXPECT_EQ(result.steady, replayed(program, Jumps::taken).steady);
    EXPECT_GT(share_jumped(result), 0.8);
  }
}

TEST(SteadyStates, have_the_same_bits_with_any_number_of_threads) {
  const MemorySource program = iterating(8, 300, doubling(8, 4));
  std::vector<std::size_t> lanes;
  for (std::size_t lane = 0; lane < 40; ++lane)
    lanes.push_back(lane);
  ReplayOptions options;
  const Result alone = replayed(program, Jumps::taken, options, lanes);
  options.threads = 3;
  expect_same_bits(alone, replayed(program, Jumps::taken, options, lanes));
}

TEST(SteadyStates, of_programs_whose_messages_wait_for_their_receives_are_jumped_over) {
  for (const std::uint64_t limit : {100U, 900U, 4500U}) {
    ReplayOptions options;
    options.eager_limit = limit;
    options.sensitivities = limit == 900;
    EXPECT_GT(share_jumped(expect_exact(iterating(9, 300, wavefront(9, 1, true)), options)), 0.9);
    EXPECT_GT(share_jumped(expect_exact(iterating(4, 300, halo(4, 1, true)), options)), 0.9);
  }
}

/// Expects that each lane jumps over what it does alone, or half as much, together with the others.
void expect_lanes_apart(const Source& source, const ReplayOptions& options = {}) {
  const std::vector<std::size_t> lanes{0, 1, 2, 3, 4, 5};
  const Result together = expect_exact(source, options, lanes);
  for (const std::size_t lane : lanes) {
    const Result alone = replayed(source, Jumps::taken, options, {lane});
    EXPECT_TRUE(same_bits(together.lanes[lane], alone.lanes.front())) << lane;
    EXPECT_EQ(together.lanes[lane].name, alone.lanes.front().name);
    // What settles when hardly anything is left is not worth a replay of its own.
    const std::uint64_t worth = share_jumped(alone) > 0.3 ? alone.steady->actions / 2 : 0;
    EXPECT_GE(together.lanes[lane].jumped, worth) << lane;
    EXPECT_GE(together.lanes[lane].jumped, together.steady->actions) << lane;
  }
}

TEST(SteadyStates, of_configurations_that_settle_apart_are_jumped_over_apart) {
  ReplayOptions options;
  options.sensitivities = true;
  expect_lanes_apart(iterating(8, 600, halo(8, 2, false)), options);    // three settle, three do not
  expect_lanes_apart(iterating(7, 600, ring_under_way(7, 4)), options); // after 1 and 7 iterations, and not
  options.ideal = true;
  expect_exact(iterating(7, 600, ring_under_way(7, 4)), options, {0, 1, 2, 3, 4, 5});
}

TEST(SteadyStates, of_configurations_with_eager_limits_of_their_own_are_jumped_over) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const MemorySource program = iterating(6, 300, halo(6, seed, true));
    const Network network = with_eager_limits(fractional_machine(6, {0, 1, 2, 3}), {1, 4000, 1, no_eager_limit});
    ReplayOptions options;
    options.jumps = Jumps::taken;
    const Result jumped = replay(program, network, options);
    EXPECT_GT(share_jumped(jumped), 0.8);
    options.jumps = Jumps::dry;
    expect_same_bits(jumped, replay(program, network, options));
    options.jumps = Jumps::none;
    const Result plain = replay(program, network, options);
    for (std::size_t lane = 0; lane < 4; ++lane)
      EXPECT_NEAR(jumped.lanes[lane].makespan, plain.lanes[lane].makespan, 1e-12 * plain.lanes[lane].makespan);
  }
}

TEST(SteadyStates, are_jumped_over_beside_configurations_that_deadlock) {
  const MemorySource program = iterating(4, 300, [](MemorySource& run, Rank rank, std::uint64_t) {
    run.compute(rank, 5000 + 10 * static_cast<std::uint64_t>(rank));
    run.add(rank, {.kind = ActionKind::send, .peer = (rank + 1) % 4, .bytes = 5000}); // all send first
    run.add(rank, {.kind = ActionKind::receive, .peer = (rank + 3) % 4, .bytes = 5000});
    run.add(rank, {.kind = ActionKind::barrier});
  });
  const Network network = with_eager_limits(fractional_machine(4, {0, 1, 2}), {6000, 1000, no_eager_limit});
  ReplayOptions options;
  options.jumps = Jumps::taken;
  const Result jumped = replay(program, network, options);
  options.jumps = Jumps::none;
  const Result plain = replay(program, network, options);
  for (const std::size_t lane : {0U, 1U, 2U}) {
    EXPECT_EQ(jumped.lanes[lane].deadlock != nullptr, lane == 1);
    EXPECT_EQ(plain.lanes[lane].deadlock != nullptr, lane == 1);
    EXPECT_EQ(jumped.lanes[lane].name, plain.lanes[lane].name);
    if (lane == 1) continue;
    EXPECT_NEAR(jumped.lanes[lane].makespan, plain.lanes[lane].makespan, 1e-12);
  }
  EXPECT_GT(share_jumped(jumped), 0.8);
}

TEST(SteadyStates, are_not_looked_for_where_more_is_asked_and_the_result_says_so) {
  const MemorySource program = iterating(4, 300, halo(4, 1, true));
  ReplayOptions options;
  options.ports = Ports::receiver;
  EXPECT_EQ(expect_exact(program, options).steady->played_since,
            std::vector<std::string>{"messages come through ports"});
}

TEST(SteadyStates, divide_time_by_call_and_kernel_as_when_every_action_is_played) {
  const Iteration usual = halo(4, 1, true);
  std::vector<trace::KernelId> kernels;
  const MemorySource program = iterating(4, 3000, [&](MemorySource& to, Rank rank, std::uint64_t iteration) {
    if (iteration == after_all) return;
    while (kernels.size() < 2)
      kernels.push_back(to.add_kernel({{0, 1}, {0, kernels.size()}}));
    usual(to, rank, iteration);
    for (const trace::KernelId kernel : kernels)
      to.compute(rank, 1000 * kernel + (iteration == 2000 ? 1 : 0), kernel);
    to.add(rank, {.kind = ActionKind::barrier});
  });
  for (const AttributeBy by : {AttributeBy::calls, AttributeBy::kernels}) {
    ReplayOptions options;
    options.attribute = by;
    const Result result = expect_exact(program, options);
    EXPECT_GT(share_jumped(result), 0.9);
    for (const AttributedTimes& part : result.attribution.parts)
      if (by == AttributeBy::kernels && std::ranges::find(kernels, part.subject) != kernels.end()) {
        EXPECT_EQ(part.count, 3000U);
      }
  }
}

/// Expects that the critical path across jumps is the one that a replay of all actions has.
void expect_same_path(const Source& source, ReplayOptions options = {}, std::size_t lane = 1) {
  options.critical_path = true;
  options.sensitivities = options.ideal = false;
  const auto& path = [&](Jumps jumps) { return replayed(source, jumps, options, {lane}).critical_path; };
  const std::vector<PathSegment> jumped = path(Jumps::taken);
  EXPECT_TRUE(jumped == path(Jumps::dry));
  const std::vector<PathSegment> plain = path(Jumps::none);
  ASSERT_EQ(jumped.size(), plain.size());
  const double close = 1e-11 * plain.back().end;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(jumped[i].kind, plain[i].kind) << i;
    EXPECT_EQ(jumped[i].rank, plain[i].rank) << i;
    EXPECT_EQ(jumped[i].from, plain[i].from) << i;
    EXPECT_EQ(jumped[i].first_action, plain[i].first_action) << i;
    EXPECT_EQ(jumped[i].last_action, plain[i].last_action) << i;
    for (const auto part : {&PathSegment::begin, &PathSegment::end, &PathSegment::compute, &PathSegment::latency,
                            &PathSegment::bandwidth})
      EXPECT_NEAR(jumped[i].*part, plain[i].*part, close) << i;
  }
}

TEST(SteadyStates, lead_the_critical_path_through_jumps) {
  expect_same_path(iterating(9, 300, wavefront(9, 5, true)));
  expect_same_path(iterating(5, 400, halo(5, 7, true)));
  expect_same_path(iterating(3, 2000, ring_under_way(3, 11)));
  expect_same_path(iterating(8, 600, doubling(8, 3)));
}

/// Keeps what it sees of its window.
class Watching : public Observer {
public:
  explicit Watching(TimeWindow window) : window_(window) {}
  TimeWindow window() const override { return window_; }
  std::size_t lane(std::span<const std::string>) override { return 1; }
  void begin(const trace::Run&) override { seen.clear(); }
  void observe(const ObservedAction& action) override {
    EXPECT_LE(action.start, action.end);
    if (action.end < window_.from || action.start > window_.to) return;
    seen.emplace(std::pair(action.rank, action.ordinal),
                 std::vector{action.start, action.end, action.wait, action.latency, action.bandwidth});
  }

  std::map<std::pair<Rank, std::uint64_t>, std::vector<double>> seen; ///< by rank and number of an action: its times

private:
  TimeWindow window_;
};

/// Expects that jumps keep nothing of the window from an observer, and change nothing. Returns how much is jumped over.
double expect_watched(const Source& source, TimeWindow window, const ReplayOptions& options = {}) {
  Watching jumping(window);
  Watching playing(window);
  ReplayOptions watched = options;
  watched.observer = &jumping;
  const Result jumped = replayed(source, Jumps::taken, watched);
  watched.observer = &playing;
  expect_same_bits(jumped, replayed(source, Jumps::dry, watched));
  EXPECT_EQ(jumping.seen, playing.seen);
  expect_same_bits(jumped, replayed(source, Jumps::taken, options));
  return share_jumped(jumped);
}

TEST(SteadyStates, are_jumped_over_before_and_after_what_a_timeline_shows) {
  const MemorySource program = iterating(9, 900, wavefront(9, 5, true));
  const double span = replayed(program, Jumps::taken).lanes[1].makespan;
  EXPECT_GT(expect_watched(program, {.from = 0.4 * span, .to = 0.45 * span}), 0.9);
  EXPECT_GT(expect_watched(program, {.from = 0, .to = 0.05 * span}), 0.9);
  EXPECT_GT(expect_watched(program, {.from = 0.95 * span}), 0.9);
  EXPECT_GT(expect_watched(program, {.from = 2 * span}), 0.9);
  EXPECT_LT(expect_watched(program, {.from = 0.2 * span, .to = 0.8 * span}), 0.5);
  EXPECT_EQ(expect_watched(program, {}), 0);
}

TEST(SteadyStates, of_any_program_show_a_timeline_the_same) {
  std::uint64_t jumped = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto ranks = static_cast<Rank>(2 + seed % 9);
    ReplayOptions options;
    if (seed % 3 == 0) options.attribute = AttributeBy::calls;
    if (seed % 5 == 0) options.collectives = CollectiveModel::schedule;
    const MemorySource program = iterating(ranks, 40 + seed * 7 % 300, anything(ranks, seed));
    const double span = replayed(program, Jumps::taken, options).lanes[1].makespan;
    const double from = static_cast<double>(seed % 10) / 10 * span;
    jumped += expect_watched(program, {.from = from, .to = from + span / 20}, options) > 0 ? 1 : 0;
  }
  EXPECT_GT(jumped, 20U);
}

TEST(SteadyStates, are_not_sought_in_iterations_with_what_keeps_its_own_time) {
  const Iteration usual = halo(4, 1, true);
  const MemorySource program = iterating(4, 100, [&](MemorySource& to, Rank rank, std::uint64_t iteration) {
    if (iteration == after_all) return;
    usual(to, rank, iteration);
    to.add(rank, {.kind = ActionKind::barrier, .request = 7});
    if (iteration > 0) {
      const std::vector<trace::RequestId> before{8};
      to.add(rank, {.kind = ActionKind::wait, .requests = before});
    }
    const std::vector<trace::RequestId> requests{7};
    to.add(rank, {.kind = ActionKind::wait, .requests = requests});
    to.add(rank, {.kind = ActionKind::barrier, .request = 8});
  });
  const Result result = replayed(program, Jumps::taken);
  expect_same_bits(result, replayed(program, Jumps::dry));
  EXPECT_EQ(result.steady->actions, 0U);
  EXPECT_EQ(result.steady->played_since,
            std::vector<std::string>{"nonblocking collectives are under way where iterations end"});
}

TEST(SteadyStates, of_runs_that_do_not_end_are_told_as_without_jumps) {
  MemorySource program(2, 500);
  const Iteration usual = halo(2, 1, true);
  for (Rank rank = 0; rank < 2; ++rank) {
    for (std::uint64_t i = 0; i < 300; ++i)
      usual(program, rank, i);
    if (rank == 0) program.add(rank, {.kind = ActionKind::receive, .peer = 1, .bytes = 1});
    if (rank == 1) program.add(rank, {.kind = ActionKind::barrier});
  }
  program.finalize();
  const auto told = [&](Jumps jumps) {
    try {
      replayed(program, jumps);
    } catch (const ReplayProblem& problem) {
      return std::string(problem.what()) + text(problem.diagnosis());
    }
    return std::string();
  };
  EXPECT_FALSE(told(Jumps::none).empty());
  EXPECT_EQ(told(Jumps::taken), told(Jumps::none));
}

} // namespace
} // namespace timeless::replay::test::steady_states_test
