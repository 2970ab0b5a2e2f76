// M. J. Brim, "Predicting MPI-Based Parallel Application Performance on Workstation Clusters Using LogGP": the two
// benchmarks of section V and equations (1) to (8) of section VI, against replays of the programs they describe on the
// networks lam-mpi-fortran and lam-mpi-c. docs/networks.md says where they agree.
#include "replay/network/network_file.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace timeless::replay::test {
namespace {

using trace::ActionKind;
using trace::MemorySource;

constexpr double microsecond = 1e-6;

/// The paper's tables, in microseconds.
struct Parameters {
  const char* network;
  double gap_a, gap_b, gap_c, overhead_s, overhead_l, latency;

  double overhead(Bytes bytes) const { return bytes < 1400 ? overhead_s : overhead_l; }
  double gap(Bytes bytes) const { return bytes < 1400 ? gap_a : gap_b; }
  /// "Total Comm", section V.iii.
  double total_comm(Bytes bytes) const {
    const double n = static_cast<double>(bytes);
    if (bytes <= 65536) return overhead(bytes) + n * gap(bytes) + latency + overhead(bytes);
    return overhead_s + latency + overhead_s + overhead_s + latency + overhead_l + n * gap_c + latency + overhead_l;
  }
};

constexpr Parameters fortran{"lam-mpi-fortran", 0.372917, 0.183877, 0.212738, 41.26, 159.84, 60};
constexpr Parameters c_language{"lam-mpi-c", 0.374008, 0.182775, 0.216644, 39.03, 163.43, 60};
constexpr Parameters languages[] = {fortran, c_language};

NetworkDescription network_of(const Parameters& parameters) {
  return read_network(std::string(TIMELESS_PLATFORMS "/networks/") + parameters.network + ".json");
}

LaneResult replayed(const MemorySource& program, const NetworkDescription& description) {
  const Network network = machine_network({lane(description)}, one_rank_per_node(program.run().size, 1e-9));
  return replay(program, network).lanes.at(0);
}

void expect_microseconds(double seconds, double expected) {
  EXPECT_NEAR(seconds / microsecond, expected, 1e-9 * expected);
}

const Bytes short_sizes[] = {0, 1, 100, 1399, 1400, 1401, 8192, 65535, 65536};

TEST(LamMpi, ping_pong_takes_twice_the_total_communication_of_every_size) {
  for (const Parameters& parameters : languages)
    for (const Bytes bytes : short_sizes) {
      MemorySource program(2);
      program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = bytes});
      program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
      program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = bytes});
      program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = bytes});
      program.finalize();
      const LaneResult lane = replayed(program, network_of(parameters));
      expect_microseconds(lane.ranks[0].end, 2 * parameters.total_comm(bytes));
    }
}

TEST(LamMpi, long_message_takes_the_envelope_the_acknowledgement_and_the_data) {
  for (const Parameters& parameters : languages)
    for (const Bytes bytes : {Bytes{65537}, Bytes{100000}, Bytes{1000000}}) {
      MemorySource program(2);
      program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = bytes});
      program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
      program.finalize();
      const LaneResult lane = replayed(program, network_of(parameters));
      expect_microseconds(lane.ranks[1].end, parameters.total_comm(bytes));
      expect_microseconds(lane.ranks[0].end, parameters.total_comm(bytes) - parameters.overhead_l);
    }
}

TEST(LamMpi, long_messages_wait_for_their_receive_and_short_ones_do_not) {
  for (const Bytes bytes : {Bytes{65536}, Bytes{65537}}) {
    MemorySource program(2);
    program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = bytes});
    program.compute(1, 1'000'000'000);
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
    program.finalize();
    const LaneResult lane = replayed(program, network_of(c_language));
    EXPECT_EQ(lane.ranks[0].end > 1, bytes > 65536) << bytes;
  }
}

TEST(LamMpi, send_only_keeps_the_sender_for_its_overheads_and_the_receiver_until_the_last_message) {
  constexpr int messages = 10;
  for (const Parameters& parameters : languages)
    for (const Bytes bytes : short_sizes) {
      MemorySource program(2);
      for (int i = 0; i < messages; ++i) {
        program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = bytes});
        program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
      }
      program.finalize();
      const LaneResult lane = replayed(program, network_of(parameters));
      expect_microseconds(lane.ranks[0].end, messages * parameters.overhead(bytes));
      // The overheads of both ends follow each other like the stages of a pipeline.
      expect_microseconds(lane.ranks[1].end,
                          (messages - 1) * parameters.overhead(bytes) + parameters.total_comm(bytes));
    }
}

/// A sweep over a grid of processors, in microseconds.
struct Sweep {
  int columns;
  int rows;
  int slices;
  double work;     ///< W: one slice on one processor
  double jacobian; ///< before each slice but the first
  Bytes bytes;     ///< of a boundary
};

Rank processor(const Sweep& sweep, int column, int row) {
  return row * sweep.columns + column;
}

std::uint64_t nanoseconds(double microseconds) {
  return static_cast<std::uint64_t>(std::llround(1000 * microseconds));
}

/// The slices of a sweep from the north west, or back from the opposite corner.
void add_sweep(MemorySource& program, const Sweep& sweep, bool back = false) {
  const auto place = [&](int column, int row) {
    return back ? processor(sweep, sweep.columns - 1 - column, sweep.rows - 1 - row) : processor(sweep, column, row);
  };
  for (int row = 0; row < sweep.rows; ++row)
    for (int column = 0; column < sweep.columns; ++column) {
      const Rank rank = place(column, row);
      for (int slice = 0; slice < sweep.slices; ++slice) {
        if (slice > 0) program.compute(rank, nanoseconds(sweep.jacobian));
        if (row > 0)
          program.add(rank, {.kind = ActionKind::receive, .peer = place(column, row - 1), .bytes = sweep.bytes});
        if (column > 0)
          program.add(rank, {.kind = ActionKind::receive, .peer = place(column - 1, row), .bytes = sweep.bytes});
        program.compute(rank, nanoseconds(sweep.work));
        if (row + 1 < sweep.rows)
          program.add(rank, {.kind = ActionKind::send, .peer = place(column, row + 1), .bytes = sweep.bytes});
        if (column + 1 < sweep.columns)
          program.add(rank, {.kind = ActionKind::send, .peer = place(column + 1, row), .bytes = sweep.bytes});
      }
    }
}

/// T_send, T_recv and T_comm of a boundary.
struct Communication {
  double send;
  double receive;
  double total;
};

Communication communication(const Parameters& parameters, Bytes bytes) {
  return {parameters.overhead(bytes), parameters.overhead(bytes), parameters.total_comm(bytes)};
}

/// Equation (4), without the parts that speak of neighbours a processor does not have.
double start(const Sweep& sweep, const Communication& message, int column, int row) {
  double latest = 0;
  if (column > 0)
    latest = std::max(latest, start(sweep, message, column - 1, row) + sweep.work +
                                  (row + 1 < sweep.rows ? message.send : 0) + message.total);
  if (row > 0)
    latest = std::max(latest, start(sweep, message, column, row - 1) + sweep.work + message.total +
                                  (column > 0 ? message.receive : 0));
  return latest;
}

/// Equations (5) and (6).
double sweep_time(const Sweep& sweep, const Communication& message) {
  return start(sweep, message, sweep.columns - 1, sweep.rows - 1) + sweep.slices * sweep.work +
         (sweep.slices - 1) * (sweep.jacobian + 2 * message.receive);
}

// NAS LU on a grid of columns x rows processors, equations (1) to (3) with the work per grid point of Table 1. A
// boundary is five double precision numbers for each grid point along a side.
constexpr double work_lower = 3.22;
constexpr double work_upper = 2.85;
constexpr double work_lower_jacobian = 4.19;
constexpr double work_upper_jacobian = 4.07;

Sweep lu_sweep(int size, int columns, int rows, bool upper) {
  const int points = (size / columns) * (size / rows);
  return {.columns = columns,
          .rows = rows,
          .slices = size,
          .work = points * (upper ? work_upper : work_lower),
          .jacobian = points * (upper ? work_upper_jacobian : work_lower_jacobian),
          .bytes = static_cast<Bytes>(40 * (size / columns))};
}

constexpr int class_sizes[] = {33, 64, 102}; // W, A, B
constexpr std::pair<int, int> grids[] = {{2, 2}, {4, 2}, {3, 3}, {4, 4}, {8, 4}};

TEST(Wavefront, every_processor_starts_when_equation_4_says) {
  for (const Parameters& parameters : languages)
    for (const int size : class_sizes)
      for (const auto& [columns, rows] : grids) {
        Sweep sweep = lu_sweep(size, columns, rows, false);
        sweep.slices = 1;
        MemorySource program(columns * rows);
        add_sweep(program, sweep);
        program.finalize();
        const LaneResult lane = replayed(program, network_of(parameters));
        const Communication message = communication(parameters, sweep.bytes);
        for (int row = 0; row < rows; ++row)
          for (int column = 0; column < columns; ++column) {
            const int sends = (row + 1 < rows ? 1 : 0) + (column + 1 < columns ? 1 : 0);
            expect_microseconds(lane.ranks[static_cast<std::size_t>(processor(sweep, column, row))].end,
                                start(sweep, message, column, row) + sweep.work + sends * message.send);
          }
      }
}

/// The network without what sending costs the sender.
NetworkDescription without_send_overhead(NetworkDescription network) {
  for (MessageCosts& some : network.between_nodes.sizes)
    some.send = some.nonblocking_send = {};
  return network;
}

TEST(Wavefront, sweep_takes_the_time_of_equation_5_when_sending_is_free) {
  for (const Parameters& parameters : languages)
    for (const int size : class_sizes)
      for (const auto& [columns, rows] : grids) {
        const Sweep sweep = lu_sweep(size, columns, rows, false);
        MemorySource program(columns * rows);
        add_sweep(program, sweep);
        program.finalize();
        Communication message = communication(parameters, sweep.bytes);
        message.total -= message.send;
        message.send = 0;
        const LaneResult lane = replayed(program, without_send_overhead(network_of(parameters)));
        expect_microseconds(lane.makespan, sweep_time(sweep, message));
      }
}

TEST(Wavefront, inner_processors_hold_a_sweep_up_by_two_sends_a_slice_which_equation_5_leaves_out) {
  for (const Parameters& parameters : languages)
    for (const int size : class_sizes)
      for (const auto& [columns, rows] : grids) {
        const Sweep sweep = lu_sweep(size, columns, rows, false);
        MemorySource program(columns * rows);
        add_sweep(program, sweep);
        program.finalize();
        const Communication message = communication(parameters, sweep.bytes);
        const double left_out = (sweep.slices - 1) * 2 * message.send;
        const double predicted = sweep_time(sweep, message);
        const double makespan = replayed(program, network_of(parameters)).makespan;
        const bool inner = columns > 2 && rows > 2;
        if (inner)
          expect_microseconds(makespan, predicted + left_out);
        else if (columns == 2 && rows == 2)
          expect_microseconds(makespan, predicted);
        else
          EXPECT_TRUE(makespan / microsecond > predicted && makespan / microsecond < predicted + left_out);
      }
}

TEST(Wavefront, iterations_initialisation_and_verification_add_up_as_in_equations_6_to_8) {
  constexpr int iterations = 3;
  constexpr double initialisation = 12345;
  constexpr double verification = 678;
  for (const auto& [columns, rows] : grids) {
    const Sweep lower = lu_sweep(33, columns, rows, false);
    const Sweep upper = lu_sweep(33, columns, rows, true);
    MemorySource program(columns * rows);
    const auto everybody_computes = [&](double microseconds) {
      for (Rank rank = 0; rank < columns * rows; ++rank)
        program.compute(rank, nanoseconds(microseconds));
    };
    everybody_computes(initialisation);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      add_sweep(program, lower);
      add_sweep(program, upper, true);
    }
    everybody_computes(verification);
    program.finalize();
    Communication message = communication(c_language, lower.bytes);
    message.total -= message.send;
    message.send = 0;
    const double ssor = iterations * (sweep_time(lower, message) + sweep_time(upper, message));
    const LaneResult lane = replayed(program, without_send_overhead(network_of(c_language)));
    expect_microseconds(lane.makespan, initialisation + ssor + verification);
  }
}

} // namespace
} // namespace timeless::replay::test
