// M. J. Brim, "Predicting MPI-Based Parallel Application Performance on Workstation Clusters Using LogGP": the two
// benchmarks of section V, against replays of what they do on the networks lam-mpi-fortran and lam-mpi-c. Its equations
// for wavefronts are in tests/analysis/wavefront_test.cpp.
#include "replay/network/network_file.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gtest/gtest.h>

namespace timeless::replay::test::lam_mpi_test {
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

} // namespace
} // namespace timeless::replay::test::lam_mpi_test
