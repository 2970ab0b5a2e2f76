// M. J. Brim's equations (1) to (8) against replays of the program that they describe, on the networks lam-mpi-fortran
// and lam-mpi-c. docs/networks.md says where they agree.
#include "analysis/wavefront/wavefront_program.h"
#include "base/error.h"
#include "replay/network/network_file.h"
#include "replay/replay.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

namespace timeless::analysis::test {
namespace {

using replay::LaneResult;
using replay::NetworkDescription;
using trace::Rank;

constexpr const char* names[] = {"lam-mpi-fortran", "lam-mpi-c"};
constexpr std::uint32_t even_sizes[] = {24, 48, 96};   ///< that all grids divide
constexpr std::uint32_t class_sizes[] = {33, 64, 102}; ///< the paper's: W, A, B
constexpr std::pair<std::uint32_t, std::uint32_t> grids[] = {{2, 2}, {4, 2}, {3, 3}, {4, 4}, {8, 4}};

NetworkDescription network(const std::string& name) {
  return replay::read_network(std::string(TIMELESS_PLATFORMS "/networks/") + name + ".json");
}

/// Returns the network without what sending costs the sender.
NetworkDescription without_send_overhead(NetworkDescription network) {
  for (replay::MessageCosts& some : network.between_nodes.sizes)
    some.send = some.nonblocking_send = {};
  return network;
}

Wavefront cube(std::uint32_t size, std::pair<std::uint32_t, std::uint32_t> grid, std::uint64_t iterations = 1) {
  return {.points = {size, size, size}, .columns = grid.first, .rows = grid.second, .iterations = iterations};
}

LaneResult replayed(const Wavefront& wavefront, const NetworkDescription& network) {
  const WavefrontProgram program(wavefront);
  return replay::replay(program,
                        replay::machine_network({lane(network)}, replay::one_rank_per_node(program.run().size, 1e-9)))
      .lanes.at(0);
}

/// Volumes are whole nanoseconds, so a slice may be half of one off.
void expect_seconds(double seconds, double expected, const Wavefront& wavefront) {
  const double slices = wavefront.points[2] + wavefront.columns + wavefront.rows;
  EXPECT_NEAR(seconds, expected, 1e-9 * expected + 2e-9 * slices * static_cast<double>(wavefront.iterations));
}

/// T_send of the messages that the equation leaves out, of the last processor's boundaries.
double two_sends(const Wavefront& wavefront, const NetworkDescription& network) {
  return network.between_nodes.of(wavefront.bytes_south(0)).send.fixed +
         network.between_nodes.of(wavefront.bytes_east(0)).send.fixed;
}

TEST(Wavefront, two_by_two_processors_by_hand) {
  // Class A on 2 x 2 of lam-mpi-c: 32 x 32 points, boundaries of 1280 bytes, below 1400: G_a = 0.374008, o = 39.03.
  const double message = 39.03e-6 + 60e-6 + 1280 * 0.374008e-6 + 39.03e-6;
  const double work = 1024 * 3.22e-6;
  // The last processor hears from the west, which first sends south no more, and from the north, then receives.
  const double middle = work + 39.03e-6 + message; // (1,0): the west one sends south first
  const double start = middle + work + message + 39.03e-6;
  const WavefrontTimes times = wavefront_times(cube(64, {2, 2}, 250), network("lam-mpi-c"));
  EXPECT_NEAR(times.lower_start, start, 1e-12);
  EXPECT_NEAR(times.lower, start + 64 * work + 63 * (1024 * 4.19e-6 + 2 * 39.03e-6), 1e-9);
  EXPECT_NEAR(times.ssor, 250 * (times.lower + times.upper), 1e-9);
}

TEST(Wavefront, every_processor_starts_when_equation_4_says) {
  for (const char* name : names)
    for (const std::uint32_t size : class_sizes)
      for (const auto& grid : grids) {
        Wavefront wavefront = cube(size, grid);
        wavefront.points[2] = 1;
        wavefront.work.upper = 0;
        const NetworkDescription costs = network(name);
        const std::vector<double> starts = wavefront_starts(wavefront, costs, false);
        // The last processor begins the sweep back when it has ended the one there.
        EXPECT_NEAR(starts.back(), wavefront_times(wavefront, costs).lower_start, 1e-12);
        const WavefrontProgram program(wavefront);
        trace::MemorySource first(program.run().size);
        for (Rank rank = 0; rank < program.run().size; ++rank) {
          trace::ActionBlock block;
          const auto stream = program.open(rank);
          stream->next(block); // the initialisation
          stream->next(block);
          // Up to the sends that end the sweep: the next sweep receives.
          std::size_t volume = 0;
          bool worked = false;
          for (const std::uint32_t entry : block.sequence()) {
            const trace::Action& action = block.dictionary()[entry];
            if (worked && action.kind != trace::ActionKind::send) break;
            if (action.kind == trace::ActionKind::compute) {
              first.compute(rank, block.volumes()[volume++]);
              worked = true;
            } else {
              first.add(rank, action);
            }
          }
        }
        first.finalize();
        const LaneResult lane =
            replay::replay(first, replay::machine_network({replay::lane(costs)},
                                                          replay::one_rank_per_node(first.run().size, 1e-9)))
                .lanes.at(0);
        for (std::uint32_t row = 0; row < wavefront.rows; ++row)
          for (std::uint32_t column = 0; column < wavefront.columns; ++column) {
            const auto rank = static_cast<std::size_t>(wavefront.rank(column, row));
            double end = starts[rank] + wavefront.slice(column, row) * wavefront.work.lower;
            if (row + 1 < wavefront.rows) end += costs.between_nodes.of(wavefront.bytes_south(column)).send.fixed;
            if (column + 1 < wavefront.columns) end += costs.between_nodes.of(wavefront.bytes_east(row)).send.fixed;
            expect_seconds(lane.ranks[rank].end, end, wavefront);
          }
      }
}

TEST(Wavefront, takes_the_time_of_equations_5_to_8_when_sending_is_free) {
  for (const char* name : names)
    for (const std::uint32_t size : even_sizes)
      for (const auto& grid : grids) {
        Wavefront wavefront = cube(size, grid, 3);
        wavefront.initialisation = 12.345e-3;
        wavefront.verification = 678e-6;
        const NetworkDescription costs = without_send_overhead(network(name));
        expect_seconds(replayed(wavefront, costs).makespan, wavefront_times(wavefront, costs).total, wavefront);
      }
}

TEST(Wavefront, inner_processors_hold_a_sweep_up_by_two_sends_a_slice_which_equation_5_leaves_out) {
  for (const char* name : names)
    for (const std::uint32_t size : even_sizes)
      for (const auto& grid : grids) {
        const Wavefront wavefront = cube(size, grid);
        const NetworkDescription costs = network(name);
        const double left_out = 2 * (size - 1) * two_sends(wavefront, costs); // of both sweeps
        const double predicted = wavefront_times(wavefront, costs).total;
        const double makespan = replayed(wavefront, costs).makespan;
        if (grid.first > 2 && grid.second > 2)
          expect_seconds(makespan, predicted + left_out, wavefront);
        else if (grid.first == 2 && grid.second == 2)
          expect_seconds(makespan, predicted, wavefront);
        else
          EXPECT_TRUE(makespan > predicted && makespan < predicted + left_out);
      }
}

TEST(Wavefront, ranks_of_a_node_pay_what_messages_cost_within_it) {
  NetworkDescription costs = network("lam-mpi-c");
  costs.within_node = replay::hockney_costs(1e-6, 1e-10);
  Wavefront wavefront = cube(48, {2, 1});
  const double apart = wavefront_times(wavefront, costs).total;
  wavefront.ranks_per_node = 2;
  const double together = wavefront_times(wavefront, costs).total;
  const double message = 1e-6 + 24 * 2 * 40e-10; // a boundary of 48 points
  EXPECT_LT(together, apart);
  EXPECT_NEAR(wavefront_times(wavefront, costs).lower_start, 48 * 24 * 3.22e-6 + message, 1e-12);
}

TEST(Wavefront, boundary_above_the_eager_limit_waits_for_the_handshake) {
  NetworkDescription costs = network("lam-mpi-c");
  costs.eager_limit = 1000;
  costs.between_nodes = replay::hockney_costs(10e-6, 1e-9);
  const Wavefront wavefront = cube(64, {2, 1}, 2);
  const double message = 10e-6 + 64 * 40e-9 + 2 * 10e-6;
  EXPECT_NEAR(wavefront_times(wavefront, costs).lower_start, 32 * 64 * 3.22e-6 + message, 1e-12);
}

TEST(Wavefront, refuses_what_cannot_be) {
  const NetworkDescription costs = network("lam-mpi-c");
  EXPECT_THROW(wavefront_times(cube(4, {8, 1}), costs), Error);
  EXPECT_THROW(wavefront_times(cube(64, {0, 1}), costs), Error);
  EXPECT_THROW(wavefront_times(cube(64, {2, 1}, 0), costs), Error);
  Wavefront wavefront = cube(64, {2, 1});
  wavefront.work.lower = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(WavefrontProgram{wavefront}, Error);
}

} // namespace
} // namespace timeless::analysis::test
