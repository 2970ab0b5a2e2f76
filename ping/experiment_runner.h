#pragma once

#include "ping/experiments.h"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace timeless::ping {

/// The clock that measures, and how processors pass time. Others than these where time is simulated.
struct Timing {
  double (*now)();              ///< seconds
  void (*work)(double seconds); ///< the processor is busy, without MPI
  void (*idle)(double seconds); ///< the rank does nothing, and takes nothing in
  void (*check)() = nullptr;    ///< throws Error(runtime) where the clock has jumped since it was called before
};
/// Returns the timing by the monotonic clock. It throws Error(runtime) where that goes back.
Timing real_timing();
/// Throws Error(runtime): the clock `what` ("went back") by so many seconds.
[[noreturn]] void fail_for_clock(const std::string& what, double seconds);

/// Carries out experiments on the ranks of a communicator.
///
/// All ranks call carry_out() with the same orders. What says that an experiment may begin, and what collects its
/// measurements, travels on a communicator of its own, so that it matches no message that is measured.
class ExperimentRunner {
public:
  /// Prepares for orders whose largest message is of `most_bytes`; collective.
  ExperimentRunner(MPI_Comm world, std::uint64_t most_bytes, const Timing& timing = real_timing());
  ~ExperimentRunner();
  ExperimentRunner(const ExperimentRunner&) = delete;
  ExperimentRunner& operator=(const ExperimentRunner&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Returns the number of each rank's node, as MPI tells which ranks share memory: nodes are numbered by their lowest
  /// rank.
  const std::vector<int>& nodes() const { return nodes_; }
  /// Returns the seconds since this was made, by the clock of this rank.
  double now() const;

  /// Carries out one order; collective. Returns on rank 0 what was measured, elsewhere nothing. Collectives are
  /// measured from a common start alone: repetitions for which ranks came late, again and again, give nothing.
  std::vector<Measurement> carry_out(const Order& order);
  /// Returns how many repetitions of the last order had no common start.
  std::size_t without_common_start() const { return without_common_start_; }

private:
  void perform(const Order& order, std::uint32_t repetition);
  // Between two ranks (between_two.cpp):
  void round_trip(const Order& order, bool first);
  void send(const Order& order, bool first);
  void receive(const Order& order, bool first);
  void train(const Order& order, bool first);
  void delayed(const Order& order, bool first);
  void overlap(const Order& order, bool first);
  // Alone, and all together (together.cpp):
  void copy(const Order& order);
  void reduction(const Order& order);
  void pairs(const Order& order);
  void incast(const Order& order);
  void exchanges(const Order& order);
  void collective(const Order& order);
  bool try_collective(const Order& order);
  void synchronise();
  void run_collective(const Order& order);

  void ready(int other) const;
  void await_ready(int other) const;
  void release(int other, bool first) const;
  void begin() { began_ = now(); }
  void end();
  void work(double seconds) const;

  Timing timing_;
  MPI_Comm measured_ = MPI_COMM_NULL;
  MPI_Comm control_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  std::vector<int> nodes_;
  std::vector<double> zeros_; ///< by rank, zero_ of its clock
  double offset_ = 0;         ///< what makes this rank's now() rank 0's
  double lead_ = 0;           ///< seconds from when rank 0 names a common start to that start
  std::size_t without_common_start_ = 0;
  std::vector<char> out_;
  std::vector<char> in_;
  double zero_ = 0;
  double began_ = 0;
  Measurement current_;
  std::vector<Measurement> mine_;
};

} // namespace timeless::ping
