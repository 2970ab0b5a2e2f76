// Iterations that nearly repeat are replayed as if they did: what that moves stays within what is said.
#include "iterating_programs.h"
#include "machines.h"
#include "tests/trace/samples.h"
#include "tests/trace/shared_structures.h"

#include "base/error.h"
#include "base/mixing.h"
#include "replay/engine/steady/cut_plan.h"
#include "replay/engine/steady/near_volumes.h"
#include "replay/replay.h"
#include "trace/archive/reader.h"
#include "trace/loops/changes.h"

#include <gtest/gtest.h>

namespace timeless::replay::test::near_volumes_test {
namespace {

using trace::ActionKind;
using trace::MemorySource;
using trace::Rank;
using trace::Source;

constexpr std::uint64_t iterations = 400;

/// A number below `most`, of rank and iteration.
std::uint64_t drawn(Rank rank, std::uint64_t iteration, std::uint64_t most) {
  return splitmix64(splitmix64(static_cast<std::uint64_t>(rank)) ^ iteration) % most;
}

/// Computes a little beside an iteration: so many instructions more or less than the usual, by chance.
MemorySource with_noise(Rank ranks, const Iteration& usual, std::uint64_t usual_volume, std::uint64_t noise) {
  return iterating(ranks, iterations, [&, usual_volume, noise](MemorySource& to, Rank rank, std::uint64_t iteration) {
    usual(to, rank, iteration);
    if (iteration != after_all) to.compute(rank, usual_volume + drawn(rank, iteration, 2 * noise + 1) - noise);
  });
}

/// Every 20th iteration of rank 0 prints.
MemorySource with_prints(Rank ranks, const Iteration& usual, std::uint64_t print) {
  return iterating(ranks, iterations, [&, print](MemorySource& to, Rank rank, std::uint64_t iteration) {
    usual(to, rank, iteration);
    if (iteration == after_all) return;
    const bool prints = rank == 0 && iteration % 20 == 19;
    to.compute(rank, 300 + (prints ? print + drawn(rank, iteration, 50) : 0));
  });
}

Result replayed(const Source& source, double within, Jumps jumps = Jumps::taken, ReplayOptions options = {}) {
  options.jumps = jumps;
  options.within = within;
  return replay(source, fractional_machine(source.run().size, {0, 1, 2}), options);
}

double share_jumped(const Result& result) {
  return static_cast<double>(result.steady.value().actions) / static_cast<double>(result.actions);
}

/// Expects that the ends of the recorded volumes lie within what is said, and that this is within what was asked.
void expect_enclosed(const Source& source, const Result& near, double within) {
  const Result exact = replayed(source, 0, Jumps::none);
  ASSERT_EQ(exact.lanes.size(), near.lanes.size());
  EXPECT_EQ(exact.actions, near.actions);
  for (std::size_t lane = 0; lane < exact.lanes.size(); ++lane) {
    const LaneResult& said = near.lanes[lane];
    const double rounding = 1e-12 * said.makespan;
    EXPECT_LE(said.earlier + said.later, within * exact.lanes[lane].makespan);
    EXPECT_GE(exact.lanes[lane].makespan, said.makespan - said.earlier - rounding);
    EXPECT_LE(exact.lanes[lane].makespan, said.makespan + said.later + rounding);
    for (std::size_t rank = 0; rank < said.ranks.size(); ++rank) {
      EXPECT_GE(exact.lanes[lane].ranks[rank].end, said.ranks[rank].end - said.earlier - rounding);
      EXPECT_LE(exact.lanes[lane].ranks[rank].end, said.ranks[rank].end + said.later + rounding);
    }
  }
}

TEST(NearVolumes, let_prints_be_jumped_over) {
  const MemorySource program = with_prints(9, wavefront(9, 2, true), 2000);
  const Result exact = replayed(program, 0);
  const Result near = replayed(program, 1e-3);
  EXPECT_GT(share_jumped(near), 0.9);
  EXPECT_GT(share_jumped(near), share_jumped(exact) + 0.05);
  ASSERT_TRUE(near.steady->replaced);
  EXPECT_EQ(near.steady->replaced->iterations, iterations / 20);
  EXPECT_GT(near.lanes[0].later, near.lanes[0].earlier) << "prints make it later";
  expect_enclosed(program, near, 1e-3);
}

TEST(NearVolumes, let_volumes_be_replaced_that_never_repeat) {
  const MemorySource program = with_noise(6, halo(6, 7, true), 30000, 3);
  EXPECT_EQ(replayed(program, 0).steady->actions, 0U);
  const Result near = replayed(program, 1e-2);
  EXPECT_GT(share_jumped(near), 0.9);
  EXPECT_GT(near.lanes[0].earlier, 0);
  EXPECT_GT(near.lanes[0].later, 0);
  expect_enclosed(program, near, 1e-2);
}

TEST(NearVolumes, are_replaced_no_further_than_was_asked) {
  const MemorySource program = with_prints(9, wavefront(9, 2, true), 200'000);
  for (const double within : {1e-6, 1e-4, 3e-3, 1e-2, 5e-2}) {
    SCOPED_TRACE(within);
    const Result near = replayed(program, within);
    expect_enclosed(program, near, within);
    EXPECT_EQ(near.lanes[0].earlier + near.lanes[0].later > 0, near.steady->replaced.has_value());
  }
  EXPECT_FALSE(replayed(program, 1e-6).steady->replaced);
  const Result some = replayed(program, 5e-2);
  ASSERT_TRUE(some.steady->replaced);
  EXPECT_GT(some.steady->replaced->iterations, 0U);
}

TEST(NearVolumes, change_nothing_where_all_volumes_repeat) {
  const MemorySource program = iterating(6, iterations, halo(6, 7, true));
  const Result near = replayed(program, 1e-2);
  const Result exact = replayed(program, 0);
  EXPECT_FALSE(near.steady->replaced);
  EXPECT_EQ(near.steady, exact.steady);
  for (std::size_t lane = 0; lane < exact.lanes.size(); ++lane)
    EXPECT_TRUE(same_bits(near.lanes[lane], exact.lanes[lane]));
}

TEST(NearVolumes, are_played_as_recorded_where_nothing_can_be_jumped_over) {
  const MemorySource program = with_prints(4, halo(4, 1, true), 2000);
  ReplayOptions options;
  options.ports = Ports::receiver; // there is no bound
  const Result near = replayed(program, 1e-2, Jumps::taken, options);
  const Result exact = replayed(program, 0, Jumps::taken, options);
  EXPECT_FALSE(near.steady->replaced);
  for (std::size_t lane = 0; lane < exact.lanes.size(); ++lane)
    EXPECT_TRUE(same_bits(near.lanes[lane], exact.lanes[lane]));
}

TEST(NearVolumes, jumped_over_are_to_the_last_bit_what_they_are_played) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto ranks = static_cast<Rank>(2 + seed % 9);
    const MemorySource program = with_noise(ranks, anything(ranks, seed), 20000, 1 + seed % 40);
    const Network network = fractional_machine(ranks, {0, 1, 2});
    const NearVolumes near(program, network, 1e-2, false);
    const Result taken = replayed(near, 0);
    const Result dry = replayed(near, 0, Jumps::dry);
    for (std::size_t lane = 0; lane < dry.lanes.size(); ++lane)
      EXPECT_TRUE(same_bits(taken.lanes[lane], dry.lanes[lane]));
    expect_enclosed(program, replayed(program, 1e-2), 1e-2);
  }
}

/// Returns a rank's actions as a source whose changes are read.
MemorySource copied(const Source& source, Rank rank) {
  MemorySource read(4);
  trace::ActionBlock block;
  for (const auto stream = source.open(rank); stream->next(block);)
    trace::for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
      if (has_volume(action.kind))
        read.volume(0, action.kind, volume);
      else
        read.add(0, action);
    });
  return read;
}

TEST(NearVolumes, know_their_changes) {
  const MemorySource program = with_prints(4, wavefront(4, 3, true), 2000);
  const Network network = fractional_machine(4, {0});
  const NearVolumes near(program, network, 1e-4, true);
  const auto cuts = plan_cuts(program, {.begin = 0, .end = 4}, true);
  ASSERT_FALSE(cuts.empty());
  for (const CutLoop& cut : cuts)
    for (Rank rank = 0; rank < 4; ++rank) {
      trace::Loop loop = cut.ranks[static_cast<std::size_t>(rank)];
      loop.iterations = cut.iterations;
      const auto known = near.known_changes(rank, loop);
      ASSERT_TRUE(known);
      EXPECT_EQ(*known, trace::changes(copied(near, rank), 0, loop)) << rank;
      loop.first += 1; // it has not looked there
      EXPECT_FALSE(near.known_changes(rank, loop));
    }
}

TEST(NearVolumes, are_the_same_from_a_gathered_archive) {
  const trace::test::TemporaryDirectory directory;
  const MemorySource program = with_prints(4, halo(4, 5, true), 2000);
  trace::test::write_archive(program, directory.path() / "run.tia");
  trace::test::share_structures(trace::ArchiveReader(directory.path() / "run.tia"), directory.path() / "gathered.tia");
  const trace::ArchiveReader gathered(directory.path() / "gathered.tia");
  const Result near = replayed(gathered, 1e-3);
  const Result same = replayed(program, 1e-3);
  ASSERT_TRUE(near.steady->replaced);
  EXPECT_EQ(near.steady, same.steady);
  for (std::size_t lane = 0; lane < near.lanes.size(); ++lane)
    EXPECT_TRUE(same_bits(near.lanes[lane], same.lanes[lane]));
}

} // namespace
} // namespace timeless::replay::test::near_volumes_test
