#include "analysis/extrapolation/action_comparison.h"
#include "analysis/extrapolation/extrapolated_source.h"
#include "base/mixing.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace timeless::analysis {
namespace {

using testing::HasSubstr;
using trace::ActionKind;
using trace::MemorySource;
using trace::Rank;

using MadeProgram = std::function<void(MemorySource&)>;

std::unique_ptr<MemorySource> run_of(Rank ranks, const MadeProgram& program) {
  auto source = std::make_unique<MemorySource>(ranks);
  program(*source);
  source->finalize();
  return source;
}

Extrapolation extrapolated(const MadeProgram& program, const std::vector<Rank>& from, Rank to,
                           std::vector<std::uint32_t> grid = {}, double tolerance = 0) {
  std::vector<std::unique_ptr<MemorySource>> sources;
  ExtrapolationQuestion question{.ranks = to, .grid = std::move(grid), .tolerance = tolerance};
  for (const Rank ranks : from) {
    sources.push_back(run_of(ranks, program));
    question.runs.push_back({std::to_string(ranks), sources.back().get()});
  }
  return extrapolation(question);
}

/// Extrapolates a program and compares the result with the program itself.
ActionComparison beside_the_program(const MadeProgram& program, const std::vector<Rank>& from, Rank to) {
  const auto recorded = run_of(to, program);
  const ExtrapolatedSource made(extrapolated(program, from, to), recorded->run(), "from tests");
  return compare_actions(made, *recorded);
}

void expect_the_same(const ActionComparison& beside) {
  EXPECT_EQ(beside.ranks_alike, beside.ranks) << beside.first_difference;
  EXPECT_EQ(beside.actions_alike, beside.actions);
  EXPECT_EQ(beside.sized_equal, beside.sized);
  EXPECT_EQ(beside.volumes_equal, beside.volumes);
}

void expect_refused(const MadeProgram& program, const std::vector<Rank>& from, Rank to, const std::string& words) {
  try {
    (void)extrapolated(program, from, to);
    FAIL() << "not refused";
  } catch (const NotUnderstood& reason) {
    EXPECT_THAT(reason.what(), HasSubstr(words));
  }
}

void ring(MemorySource& run) {
  const Rank ranks = run.run().size;
  for (Rank rank = 0; rank < ranks; ++rank) {
    run.compute(rank, 50 + 720720 / static_cast<std::uint64_t>(ranks));
    run.add(rank, {.kind = ActionKind::exchange,
                   .peer = (rank + 1) % ranks,
                   .bytes = static_cast<trace::Bytes>(3840 / ranks),
                   .receive_peer = (rank + ranks - 1) % ranks,
                   .receive_bytes = static_cast<trace::Bytes>(3840 / ranks)});
  }
}

/// Ranks of a grid, by rows, that send east and south and reduce over rows.
void wavefront(MemorySource& run) {
  const Rank ranks = run.run().size;
  const RankGrid grid = GridRule{.dimensions = 2}.grid(ranks);
  const auto wide = static_cast<Rank>(grid.sides[1].extent);
  const auto high = static_cast<Rank>(grid.sides[0].extent);
  const trace::CommunicatorId all = run.add_communicator(grid.line(0, 3));
  run.description().communicators[all].grid = grid.sides;
  std::vector<trace::CommunicatorId> rows;
  for (Rank row = 0; row < high; ++row)
    rows.push_back(run.add_communicator(grid.line(row * wide, 2)));
  for (Rank rank = 0; rank < ranks; ++rank) {
    const trace::CommunicatorId row = rows[static_cast<std::size_t>(rank / wide)];
    const auto edge = static_cast<trace::Bytes>(8 * 120 / wide);
    run.add(rank, {.kind = ActionKind::comm_split, .new_communicator = row});
    if (rank % wide > 0) run.add(rank, {.kind = ActionKind::receive, .peer = rank - 1, .bytes = edge});
    if (rank / wide > 0) run.add(rank, {.kind = ActionKind::receive, .peer = rank - wide, .bytes = 64});
    run.compute(rank, static_cast<std::uint64_t>(10 + 14400 / ranks));
    if (rank % wide < wide - 1) run.add(rank, {.kind = ActionKind::send, .peer = rank + 1, .bytes = edge});
    if (rank / wide < high - 1) run.add(rank, {.kind = ActionKind::send, .peer = rank + wide, .bytes = 64});
    run.add(rank, {.kind = ActionKind::allreduce, .communicator = row, .bytes = 8, .element_bytes = 8});
  }
}

TEST(Extrapolation, makes_a_ring_action_by_action) {
  expect_the_same(beside_the_program(ring, {4, 6, 8, 12, 16}, 48));
}

TEST(Extrapolation, makes_a_wavefront_with_rows_action_by_action) {
  expect_the_same(beside_the_program(wavefront, {9, 12, 16, 20, 25}, 36));
}

TEST(Extrapolation, drops_what_partners_cannot_be_at_the_target) {
  // On even numbers of ranks the last one's neighbour differs in bit 0, too: on 15 ranks nobody does.
  const MadeProgram chain = [](MemorySource& run) {
    const Rank ranks = run.run().size;
    for (Rank rank = 0; rank < ranks; ++rank) {
      run.compute(rank, 1000);
      if (rank > 0) run.add(rank, {.kind = ActionKind::receive, .peer = rank - 1, .bytes = 8});
      if (rank < ranks - 1) run.add(rank, {.kind = ActionKind::send, .peer = rank + 1, .bytes = 8});
    }
  };
  expect_the_same(beside_the_program(chain, {4, 6, 8, 10}, 15));
}

/// Ranks of a periodic grid, recorded, in which all go `step` ranks further on.
MadeProgram shift_on_grid(const std::function<std::vector<trace::GridDimension>(Rank)>& sides, Rank step) {
  return [=](MemorySource& run) {
    const Rank ranks = run.run().size;
    std::vector<Rank> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    run.description().communicators[run.add_communicator(all)].grid = sides(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      run.compute(rank, 1000);
      run.add(rank, {.kind = ActionKind::exchange,
                     .peer = (rank + step) % ranks,
                     .bytes = 8,
                     .receive_peer = (rank + ranks - step) % ranks,
                     .receive_bytes = 8});
    }
  };
}

TEST(Extrapolation, chooses_none_of_two_partners_that_the_runs_do_not_tell_apart) {
  // Four ranks further on is the next row in all runs, but not on 6 x 6: another grid must not decide.
  const auto sides = [](Rank ranks) {
    const RankGrid grid = GridRule{.dimensions = 2, .longest_first = false, .periodic = true}.grid(ranks);
    return grid.sides;
  };
  expect_refused(shift_on_grid(sides, 4), {8, 12, 16}, 36, "may be rank");
}

TEST(Extrapolation, names_all_grids_that_it_tried) {
  const MadeProgram by_chance = [](MemorySource& run) {
    for (Rank rank = 0; rank < run.run().size; ++rank)
      run.add(rank, {.kind = ActionKind::send,
                     .peer = static_cast<Rank>(splitmix64(static_cast<std::uint64_t>(rank + 7 * run.run().size)) %
                                               static_cast<std::uint64_t>(run.run().size)),
                     .bytes = 8});
  };
  expect_refused(by_chance, {8, 12, 16, 20}, 36, "; nor a line of ranks");
  expect_refused(by_chance, {8, 12, 16, 20}, 36, "a grid of 3 sides, the shortest first)");
}

TEST(Extrapolation, gives_ranks_the_shares_of_another_grid) {
  const auto on = [](MemorySource& run, const RankGrid& grid) {
    for (Rank rank = 0; rank < run.run().size; ++rank) {
      const Shares of = shares(grid, rank, {33, 33, 0});
      const auto high = static_cast<std::uint64_t>(of[0]);
      const auto wide = static_cast<std::uint64_t>(of[1]);
      run.add(rank, {.kind = ActionKind::gather, .peer = 0, .bytes = 8 * high, .receive_bytes = 8});
      run.compute(rank, 200 + 30 * high + 1431 * high * wide);
      run.add(rank, {.kind = ActionKind::gather, .peer = 0, .bytes = 8 * wide, .receive_bytes = 8});
    }
  };
  const MadeProgram program = [&](MemorySource& run) { on(run, GridRule{.dimensions = 2}.grid(run.run().size)); };
  const auto recorded = run_of(36, [&](MemorySource& run) { on(run, RankGrid{{{9, false}, {4, false}}}); });
  const ExtrapolatedSource made(extrapolated(program, {9, 12, 16, 20, 25}, 36, {9, 4}), recorded->run(), "from tests");
  expect_the_same(compare_actions(made, *recorded));
}

TEST(Extrapolation, shares_out_points_that_do_not_divide) {
  // 33 points along each side, the first ranks having one more: edges are sent, and each point computed, but for those
  // at the boundary.
  const MadeProgram program = [](MemorySource& run) {
    const RankGrid grid = GridRule{.dimensions = 2}.grid(run.run().size);
    for (Rank rank = 0; rank < run.run().size; ++rank) {
      const Shares of = shares(grid, rank, {33, 33, 0});
      const auto high = static_cast<std::uint64_t>(of[0]);
      const auto wide = static_cast<std::uint64_t>(of[1]);
      const auto next = grid.rank_at({grid.place(rank)[0], grid.place(rank)[1] + 1, 0});
      const auto before = grid.rank_at({grid.place(rank)[0], grid.place(rank)[1] - 1, 0});
      if (before) run.add(rank, {.kind = ActionKind::receive, .peer = *before, .bytes = 40 * high});
      run.compute(rank, 200 + 30 * high + 1431 * high * (wide - (before ? 0 : 1)));
      if (next) run.add(rank, {.kind = ActionKind::send, .peer = *next, .bytes = 40 * high});
      run.add(rank, {.kind = ActionKind::gather, .peer = 0, .bytes = 8 * wide, .receive_bytes = 8});
    }
  };
  expect_the_same(beside_the_program(program, {9, 12, 16, 20, 25}, 36));
  expect_refused(program, {9, 12, 16, 20, 25}, 1296, "more ranks along a side than points");
}

/// Ranks in a line that share out 240 rows, the first of which have one more where these do not divide.
void rows_in_a_line(MemorySource& run) {
  const Rank ranks = run.run().size;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto rows = static_cast<std::uint64_t>(240 / ranks + (rank < 240 % ranks ? 1 : 0));
    if (rank > 0) run.add(rank, {.kind = ActionKind::receive, .peer = rank - 1, .bytes = 1920});
    run.compute(rank, 99 + 3104 * rows);
    if (rank < ranks - 1) run.add(rank, {.kind = ActionKind::send, .peer = rank + 1, .bytes = 1920});
    run.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
  }
}

TEST(Extrapolation, does_not_guess_how_what_all_runs_share_out_evenly_is_shared_out_unevenly) {
  expect_refused(rows_in_a_line, {4, 6, 8, 12}, 18, "what is shared out does not divide");
  EXPECT_TRUE(extrapolated(rows_in_a_line, {4, 6, 8, 12}, 16).even_shares) << "24 rows would not divide";
  EXPECT_FALSE(extrapolated(rows_in_a_line, {4, 6, 8, 12}, 24).even_shares) << "4, 6, 8 and 12 parts of it do";
  EXPECT_GT(extrapolated(rows_in_a_line, {4, 6, 8, 12}, 18, {}, 2).error, 0.05) << "240 rows are 14 for some";
}

TEST(Extrapolation, says_that_laws_disagree_where_that_is_most_of_the_error) {
  const MadeProgram program = [](MemorySource& run) {
    static const std::map<Rank, std::uint64_t> volumes{{4, 537005}, {6, 537005}, {8, 537139}, {12, 537086}};
    for (Rank rank = 0; rank < run.run().size; ++rank) {
      run.compute(rank, volumes.at(run.run().size));
      run.add(rank, {.kind = ActionKind::barrier});
    }
  };
  expect_refused(program, {4, 6, 8, 12}, 64, "others about as good, or simpler, are");
}

TEST(Extrapolation, states_a_larger_error_than_there_is_where_no_law_is_exact) {
  // Squares of shares are no part of any law; five runs leave one of four parts little to miss.
  const MadeProgram program = [](MemorySource& run) {
    const RankGrid grid = GridRule{.dimensions = 2, .longest_first = false}.grid(run.run().size);
    const trace::CommunicatorId all = run.add_communicator(grid.line(0, 3));
    run.description().communicators[all].grid = grid.sides;
    for (Rank rank = 0; rank < run.run().size; ++rank) {
      const Shares of = shares(grid, rank, {33, 33, 0});
      const double volume = 50000 + 700 * of[0] + 30 * of[0] * of[0] + 9000 * of[0] * of[1] + 7 * of[0] * of[1] * of[1];
      run.add(
          rank,
          {.kind = ActionKind::gather, .peer = 0, .bytes = 8 * static_cast<trace::Bytes>(of[0]), .receive_bytes = 8});
      run.compute(rank, static_cast<std::uint64_t>(volume));
      run.add(
          rank,
          {.kind = ActionKind::gather, .peer = 0, .bytes = 8 * static_cast<trace::Bytes>(of[1]), .receive_bytes = 8});
    }
  };
  const auto recorded = run_of(36, program);
  const Extrapolation extrapolation = extrapolated(program, {9, 12, 16, 20, 25}, 36, {}, 0.5);
  EXPECT_GT(extrapolation.error, 0);
  const ExtrapolatedSource made(extrapolation, recorded->run(), "from tests");
  const ActionComparison beside = compare_actions(made, *recorded);
  EXPECT_EQ(beside.sized_equal, beside.sized);
  EXPECT_GT(beside.rank_error, 0);
  EXPECT_GE(extrapolation.error, beside.rank_error);
}

TEST(Extrapolation, leaves_exact_laws_that_the_largest_run_refutes_for_approximate_ones) {
  // What MPI_Init leaves to the first kernel: of 4, 6 and 12 ranks it lies on a line over a side of some grid.
  const MadeProgram program = [](MemorySource& run) {
    const Rank ranks = run.run().size;
    const std::uint64_t first = ranks < 12 ? 459'229 : ranks == 12 ? 459'310 : ranks == 16 ? 459'639 : 461'909;
    for (Rank rank = 0; rank < ranks; ++rank) {
      run.compute(rank, first);
      run.add(rank, {.kind = ActionKind::barrier});
    }
  };
  const auto recorded = run_of(256, program);
  Extrapolation extrapolation = extrapolated(program, {4, 6, 12, 16}, 256, {}, 0.05);
  EXPECT_LT(extrapolation.error, 0.05);
  EXPECT_GT(extrapolation.error, 0.001);
  const ExtrapolatedSource made(std::move(extrapolation), recorded->run(), "from tests");
  EXPECT_LT(compare_actions(made, *recorded).rank_error, 0.01);
}

TEST(Extrapolation, keeps_what_only_the_first_rank_does) {
  const MadeProgram program = [](MemorySource& run) {
    for (Rank rank = 0; rank < run.run().size; ++rank) {
      run.add(rank, {.kind = ActionKind::reduce, .peer = 0, .bytes = 8, .element_bytes = 8});
      if (rank == 0) run.compute(rank, 1000);
      run.add(rank, {.kind = ActionKind::barrier});
    }
  };
  expect_the_same(beside_the_program(program, {2, 4, 8}, 32));
}

TEST(Extrapolation, gives_lists_as_many_counts_as_there_are_ranks) {
  const MadeProgram program = [](MemorySource& run) {
    const auto ranks = static_cast<std::size_t>(run.run().size);
    const std::vector<trace::Bytes> counts(ranks, 6400 / ranks);
    for (Rank rank = 0; rank < run.run().size; ++rank)
      run.add(rank, {.kind = ActionKind::alltoallv, .counts = counts, .receive_counts = counts});
  };
  expect_the_same(beside_the_program(program, {4, 8, 16}, 64));
}

TEST(Extrapolation, refuses_an_irregular_partner) {
  const MadeProgram program = [](MemorySource& run) {
    const Rank ranks = run.run().size;
    for (Rank rank = 0; rank < ranks; ++rank)
      run.add(rank, {.kind = ActionKind::exchange, .peer = (rank * 5 + 3) % ranks, .bytes = 8, .receive_peer = 0});
  };
  expect_refused(program, {4, 8, 16}, 32, "partner");
}

/// Ranks of a line that receive from both neighbours, whichever comes first: `chance` decides, by rank.
MadeProgram receives_from_anybody(std::function<bool(Rank)> chance) {
  return [chance = std::move(chance)](MemorySource& run) {
    const Rank ranks = run.run().size;
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<Rank> neighbours;
      if (rank > 0) neighbours.push_back(rank - 1);
      if (rank + 1 < ranks) neighbours.push_back(rank + 1);
      if (chance(rank + ranks)) std::ranges::reverse(neighbours);
      trace::RequestId request = 0;
      for (const Rank from : neighbours) {
        run.compute(rank, 10);
        run.add(rank, {.kind = ActionKind::receive,
                       .flags = trace::flag_wildcard,
                       .peer = from,
                       .bytes = from < rank ? 8U : 16U,
                       .request = request++});
      }
      for (trace::RequestId wait = 0; wait < request; ++wait) {
        const std::vector<trace::RequestId> of{wait};
        run.add(rank, {.kind = ActionKind::wait, .requests = of});
      }
    }
  };
}

TEST(Extrapolation, takes_receives_from_anybody_in_the_order_of_their_sources) {
  const auto recorded = run_of(16, receives_from_anybody([](Rank number) { return number % 5 == 1; }));
  const MadeProgram program = receives_from_anybody([](Rank number) { return number % 3 == 0; });
  const ExtrapolatedSource made(extrapolated(program, {4, 6, 8}, 16), recorded->run(), "from tests");
  expect_the_same(compare_actions(made, *recorded));
}

/// A master that gives each worker one piece, in an order of `chance`, and workers who ask for it.
MadeProgram master_and_workers(std::uint16_t flags) {
  return [flags](MemorySource& run) {
    const Rank ranks = run.run().size;
    for (Rank asked = 1; asked < ranks; ++asked) {
      const Rank worker = 1 + (asked * 5) % (ranks - 1);
      run.add(0, {.kind = ActionKind::receive, .flags = flags, .peer = worker, .bytes = 8});
      run.add(0, {.kind = ActionKind::send, .peer = worker, .bytes = 4});
      run.add(worker, {.kind = ActionKind::send, .peer = 0, .bytes = 8});
      run.add(worker, {.kind = ActionKind::receive, .peer = 0, .bytes = 4});
    }
  };
}

TEST(Extrapolation, names_what_takes_any_message_where_it_refuses) {
  expect_refused(
      master_and_workers(trace::flag_wildcard), {4, 8, 16}, 32,
      "rank 0 of 16 takes whichever message comes (MPI_ANY_SOURCE or MPI_ANY_TAG in MPI_Recv, first in action 0)");
  try {
    (void)extrapolated(master_and_workers(0), {4, 8, 16}, 32);
    FAIL() << "not refused";
  } catch (const NotUnderstood& reason) {
    EXPECT_THAT(reason.what(), testing::Not(HasSubstr("MPI_ANY_SOURCE")));
  }
}

TEST(Extrapolation, makes_a_butterfly_whose_trips_grow) {
  const MadeProgram program = [](MemorySource& run) {
    for (Rank rank = 0; rank < run.run().size; ++rank)
      for (Rank distance = 1; distance < run.run().size; distance *= 2)
        run.add(rank, {.kind = ActionKind::exchange,
                       .peer = rank ^ distance,
                       .bytes = 8,
                       .receive_peer = rank ^ distance,
                       .receive_bytes = 8});
  };
  expect_the_same(beside_the_program(program, {4, 8, 16}, 64));
  const Extrapolation made = extrapolated(program, {4, 8, 16}, 64);
  ASSERT_EQ(made.loops.size(), made.classes.size());
  EXPECT_EQ(made.loops.front().law, "log2(P) + 0");
  EXPECT_EQ(made.loops.front().trips, 6U);
}

/// Rank 0 hands each other rank its part, and takes the results one after the other.
void serial_output(MemorySource& run) {
  const Rank ranks = run.run().size;
  for (Rank step = 0; step < 2; ++step)
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (rank > 0) {
        run.add(rank, {.kind = ActionKind::receive, .peer = 0, .bytes = 64});
        run.compute(rank, 5000);
        run.add(rank, {.kind = ActionKind::send, .peer = 0, .bytes = 512});
        continue;
      }
      for (Rank other = ranks; --other > 0;)
        run.add(rank, {.kind = ActionKind::send, .peer = other, .bytes = 64});
      for (Rank other = 1; other < ranks; ++other) {
        run.compute(rank, 30);
        run.add(rank, {.kind = ActionKind::receive, .peer = other, .bytes = 512});
      }
    }
}

TEST(Extrapolation, makes_loops_over_all_ranks_whose_partner_goes_with_the_trip) {
  expect_the_same(beside_the_program(serial_output, {3, 4, 6, 9}, 40));
  const Extrapolation made = extrapolated(serial_output, {3, 4, 6, 9}, 40);
  ASSERT_FALSE(made.loops.empty());
  EXPECT_EQ(made.loops.front().law, "P - 1");
  EXPECT_EQ(made.loops.front().trips, 39U);
}

TEST(Extrapolation, makes_exchanges_with_all_ranks_by_rising_distance) {
  const MadeProgram program = [](MemorySource& run) {
    const Rank ranks = run.run().size;
    for (Rank rank = 0; rank < ranks; ++rank)
      for (Rank distance = 1; distance < ranks; ++distance)
        run.add(rank, {.kind = ActionKind::exchange,
                       .peer = (rank + distance) % ranks,
                       .bytes = 8,
                       .receive_peer = (rank - distance + ranks) % ranks,
                       .receive_bytes = 8});
  };
  expect_the_same(beside_the_program(program, {3, 4, 6, 9}, 24));
}

TEST(Extrapolation, refuses_a_loop_over_ranks_in_an_order_of_its_own) {
  const MadeProgram program = [](MemorySource& run) {
    const Rank ranks = run.run().size;
    for (Rank rank = 1; rank < ranks; ++rank)
      run.add(rank, {.kind = ActionKind::send, .peer = 0, .bytes = 8});
    for (Rank trip = 0; trip + 1 < ranks; ++trip)
      run.add(0, {.kind = ActionKind::receive, .peer = 1 + (trip * trip + trip) / 2 % (ranks - 1), .bytes = 8});
  };
  expect_refused(program, {4, 6, 8}, 16, "partner");
}

/// Ranks of a square that sweep over the p cells each of them has of a cube (multi-partition), a plane in each trip:
/// faces go to the next rank of the row, without the points of the boundary; the tag says of which cell.
void sweep(MemorySource& run) {
  constexpr std::uint64_t points = 60;
  const RankGrid square = GridRule{.dimensions = 2, .longest_first = true, .periodic = true}.grid(run.run().size);
  const auto p = static_cast<int>(square.sides[0].extent);
  for (Rank rank = 0; rank < run.run().size; ++rank) {
    const GridPlace place = square.place(rank);
    const Rank next = *square.rank_at({place[0], place[1] + 1, 0});
    const Rank before = *square.rank_at({place[0], place[1] - 1, 0});
    for (int plane = 0; plane < p; ++plane) {
      const int c = (plane - place[1] + p) % p;
      const int y = (place[0] - c + p) % p;
      const auto of = [&](int at) { return points / static_cast<std::uint64_t>(p) - (at == 0 || at == p - 1 ? 1 : 0); };
      if (plane > 0) run.add(rank, {.kind = ActionKind::receive, .peer = before, .tag = 100 + y + p * c, .bytes = 8});
      run.compute(rank, 40 * of(y) * of(c));
      if (plane < p - 1)
        run.add(rank, {.kind = ActionKind::send, .peer = next, .tag = 100 + y + p * c, .bytes = 176 * of(y) * of(c)});
    }
  }
}

TEST(Extrapolation, makes_sweeps_over_the_cells_of_a_multi_partition) {
  expect_the_same(beside_the_program(sweep, {9, 16, 25}, 36));
}

TEST(Extrapolation, refuses_trips_without_a_law) {
  const MadeProgram program = [](MemorySource& run) {
    for (Rank rank = 0; rank < run.run().size; ++rank)
      for (Rank trip = 0; trip < 3 + run.run().size * run.run().size % 7; ++trip)
        run.add(rank, {.kind = ActionKind::barrier});
  };
  expect_refused(program, {4, 8, 16}, 32, "trips");
}

TEST(Extrapolation, refuses_work_that_differs_between_ranks_in_the_same_position) {
  const MadeProgram program = [](MemorySource& run) {
    for (Rank rank = 0; rank < run.run().size; ++rank)
      run.compute(rank, 1000 + static_cast<std::uint64_t>(rank * rank % 7));
  };
  expect_refused(program, {4, 8, 16}, 32, "ranks in the same position differ");
}

/// Ranks of a cube that exchange with their neighbours along each side; bytes grow by `more` with the ranks along a
/// side.
MadeProgram cube_exchange(trace::Bytes more) {
  return [more](MemorySource& run) {
    const RankGrid grid = GridRule{.dimensions = 3}.grid(run.run().size);
    for (Rank rank = 0; rank < run.run().size; ++rank) {
      run.compute(rank, 5000);
      for (std::size_t side = 0; side < 3; ++side)
        for (const int step : {-1, 1}) {
          GridPlace place = grid.place(rank);
          place[side] += step;
          if (const auto peer = grid.rank_at(place))
            run.add(rank, {.kind = ActionKind::send, .peer = *peer, .bytes = 64 + more * grid.sides[0].extent});
        }
    }
  };
}

TEST(Extrapolation, refuses_a_number_unlike_those_of_all_runs_and_says_which_are_like_them) {
  expect_refused(sweep, {9, 16, 25}, 50, "all runs have a square number of ranks, 50 is none");
  try {
    (void)extrapolated(cube_exchange(0), {8, 27, 64}, 100);
    FAIL() << "not refused";
  } catch (const NotUnderstood& reason) {
    EXPECT_THAT(reason.what(), HasSubstr("all runs have a cubic number of ranks"));
    EXPECT_THAT(reason.advice, HasSubstr("ask for 125"));
  }
  expect_refused(ring, {4, 8, 16}, 24, "all runs have a power of two");
}

TEST(Extrapolation, takes_a_number_that_is_something_all_runs_are_or_whose_grid_is_given) {
  // 4, 16 and 64 are squares, and powers of two.
  const MadeProgram barriers = [](MemorySource& run) {
    for (Rank rank = 0; rank < run.run().size; ++rank)
      run.add(rank, {.kind = ActionKind::barrier});
  };
  EXPECT_EQ(extrapolated(barriers, {4, 16, 64}, 144).grid.ranks(), 144);
  EXPECT_EQ(extrapolated(barriers, {4, 8, 16}, 24, {24}).grid.ranks(), 24);
}

TEST(Extrapolation, refuses_positions_that_too_few_runs_have) {
  expect_refused(wavefront, {4, 9, 16}, 25, "laws need 3");
}

TEST(Extrapolation, takes_positions_of_two_runs_where_nothing_changes_with_the_ranks) {
  expect_the_same(beside_the_program(cube_exchange(0), {8, 27, 64}, 125));
}

TEST(Extrapolation, refuses_positions_of_two_runs_where_bytes_change_with_the_ranks) {
  expect_refused(cube_exchange(8), {8, 27, 64}, 125, "laws need 3");
}

TEST(Extrapolation, refuses_counts_that_differ) {
  const MadeProgram program = [](MemorySource& run) {
    const auto ranks = static_cast<std::size_t>(run.run().size);
    std::vector<trace::Bytes> counts(ranks, 8);
    counts.back() = 9;
    for (Rank rank = 0; rank < run.run().size; ++rank)
      run.add(rank, {.kind = ActionKind::alltoallv, .counts = counts, .receive_counts = counts});
  };
  expect_refused(program, {4, 8, 16}, 32, "counts from 8 to 9");
}

TEST(Extrapolation, says_where_it_refuses) {
  const MadeProgram program = [](MemorySource& run) {
    for (Rank rank = 0; rank < run.run().size; ++rank) {
      run.add(rank, {.kind = ActionKind::barrier});
      run.add(rank, {.kind = rank == 2 ? ActionKind::barrier : ActionKind::allreduce, .bytes = 8});
    }
  };
  try {
    (void)extrapolated(program, {4, 8, 16}, 32);
    FAIL() << "not refused";
  } catch (const NotUnderstood& reason) {
    EXPECT_EQ(reason.where.run, "4");
    EXPECT_EQ(reason.where.action, 1U);
    EXPECT_EQ(reason.where.rank, 2);
  }
}

TEST(RankGrid, lists_the_extents_of_all_grids_the_most_even_first) {
  using Extents = std::vector<std::vector<std::uint32_t>>;
  EXPECT_EQ(extents_of(12, 2), (Extents{{3, 4}, {4, 3}, {2, 6}, {6, 2}}));
  EXPECT_EQ(extents_of(8, 3), (Extents{{2, 2, 2}}));
  EXPECT_EQ(extents_of(7, 1), (Extents{{7}}));
  EXPECT_TRUE(extents_of(7, 2).empty());
}

TEST(RankGrid, is_that_of_the_ranks_though_a_column_has_all_of_them) {
  MemorySource source(2);
  const auto add = [&](std::vector<trace::GridDimension> sides) {
    trace::Communicator all = source.run().communicators[trace::world_communicator];
    all.grid = std::move(sides);
    source.description().communicators.push_back(std::move(all));
  };
  add({{2, false}});
  add({{2, false}, {1, false}});
  const std::optional<RankGrid> grid = recorded_grid(source.run());
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->text(), "2 x 1");
  add({{2, true}, {1, false}});
  EXPECT_FALSE(recorded_grid(source.run()));
}

TEST(ShareSearch, takes_no_fewer_points_and_one_more_where_all_sides_divide_them) {
  // 59 points and one more tell it, too: all but the last ranks have as many of them.
  std::vector<RankGrid> grids;
  std::vector<Observation> last;
  for (const std::uint32_t extent : {3U, 4U, 5U}) {
    last.push_back({.run = static_cast<std::uint32_t>(grids.size()),
                    .rank = static_cast<Rank>(extent - 1),
                    .value = 40 * 60 / extent});
    grids.push_back({{{extent, false}}});
  }
  const std::set<std::uint64_t> points = ShareSearch(grids).points(last, 0);
  EXPECT_TRUE(points.contains(60));
  EXPECT_FALSE(points.contains(59));
}

TEST(RankGrid, names_positions_and_lines) {
  const RankGrid grid{{{3, false}, {4, false}}};
  EXPECT_EQ(position(grid, 0), "first, first");
  EXPECT_EQ(position(grid, 7), "inside, last");
  EXPECT_THAT(grid.line(5, 2), testing::ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(grid.line(5, 1), testing::ElementsAre(1, 5, 9));
  EXPECT_EQ(grid.text(), "3 x 4");
}

/// A ring whose ranks compute 1,000 instructions on average, and up to 1 % more or less, in ten visits.
void noisy_ring(MemorySource& run) {
  const Rank ranks = run.run().size;
  run.description().counter = {
      .name = "PAPI_TOT_INS", .unit = trace::VolumeUnit::instructions, .exactness = trace::Exactness::hardware};
  const trace::KernelId kernel = run.add_kernel({{0, 100}, {0, 200}});
  std::uint64_t state = static_cast<std::uint64_t>(ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    for (int visit = 0; visit < 10; ++visit) {
      run.compute(rank, 99000 + (state = splitmix64(state)) % 2001, kernel);
      run.add(rank, {.kind = ActionKind::exchange,
                     .peer = (rank + 1) % ranks,
                     .bytes = 64,
                     .receive_peer = (rank + ranks - 1) % ranks,
                     .receive_bytes = 64});
    }
}

/// Returns the volumes of all ranks of a run extrapolated with a seed.
std::vector<std::uint64_t> drawn_volumes(const MadeProgram& program, std::uint64_t seed) {
  std::vector<std::unique_ptr<MemorySource>> sources;
  ExtrapolationQuestion question{.ranks = 32, .tolerance = 0.01, .seed = seed};
  for (const Rank ranks : {4, 8, 16}) {
    sources.push_back(run_of(ranks, program));
    question.runs.push_back({std::to_string(ranks), sources.back().get()});
  }
  const Extrapolation of = extrapolation(question);
  EXPECT_EQ(of.seed, seed);
  EXPECT_DOUBLE_EQ(of.drawn_share, 1);
  const ExtrapolatedSource made(of, sources.back()->run(), "from tests");
  EXPECT_NE(made.run().counter.exactness, trace::Exactness::exact);
  std::vector<std::uint64_t> volumes;
  for (Rank rank = 0; rank < 32; ++rank) {
    const auto stream = made.open(rank);
    trace::ActionBlock block;
    while (stream->next(block))
      volumes.insert(volumes.end(), block.volumes().begin(), block.volumes().end());
  }
  return volumes;
}

TEST(Extrapolation, refuses_noise_that_no_seed_is_given_for) {
  expect_refused(noisy_ring, {4, 8, 16}, 32, "not exactly repeatable");
}

TEST(Extrapolation, draws_noise_about_the_law_of_its_mean_the_same_for_the_same_seed) {
  const std::vector<std::uint64_t> volumes = drawn_volumes(noisy_ring, 7);
  ASSERT_EQ(volumes.size(), 320U);
  double sum = 0;
  for (const std::uint64_t volume : volumes)
    sum += static_cast<double>(volume);
  EXPECT_NEAR(sum / 320, 100000, 500);
  const auto [least, most] = std::ranges::minmax(volumes);
  EXPECT_GT(most - least, 1000U) << "visits differ as those recorded do";
  EXPECT_LT(most - least, 2600U);
  EXPECT_EQ(drawn_volumes(noisy_ring, 7), volumes);
  EXPECT_NE(drawn_volumes(noisy_ring, 8), volumes);
}

TEST(Extrapolation, draws_only_what_ranks_in_the_same_position_differ_by) {
  const auto program = [](MemorySource& run) {
    const Rank ranks = run.run().size;
    for (Rank rank = 0; rank < ranks; ++rank) {
      run.compute(rank, 720720 / static_cast<std::uint64_t>(ranks), run.add_kernel({{0, 100}, {0, 200}}));
      run.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
      run.compute(rank, 9900 + splitmix64(static_cast<std::uint64_t>(100 * ranks + rank)) % 201,
                  run.add_kernel({{0, 200}, {0, 300}}));
      run.add(rank, {.kind = ActionKind::barrier});
    }
  };
  std::vector<std::unique_ptr<MemorySource>> sources;
  ExtrapolationQuestion question{.ranks = 48, .tolerance = 0.02, .seed = 1};
  for (const Rank ranks : {4, 6, 8, 12, 16}) {
    sources.push_back(run_of(ranks, program));
    question.runs.push_back({std::to_string(ranks), sources.back().get()});
  }
  const Extrapolation made = extrapolation(question);
  EXPECT_GT(made.drawn_share, 0.3);
  EXPECT_LT(made.drawn_share, 0.5);
  const ExtrapolatedSource source(made, sources.back()->run(), "from tests");
  const auto stream = source.open(20);
  trace::ActionBlock block;
  ASSERT_TRUE(stream->next(block));
  EXPECT_EQ(block.volumes().front(), 720720U / 48) << "an exact law stays one";
  EXPECT_NE(block.volumes().back(), block.volumes().front());
}

} // namespace
} // namespace timeless::analysis
