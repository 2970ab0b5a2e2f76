#pragma once

#include "replay/engine/bus/bus.h"

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace timeless::replay {

/// A bus between the processes of a communicator, by nonblocking sends and probes.
///
/// Batches are kept until they are received; congested() is true where too many are not. For one thread.
class MpiBus : public Bus {
public:
  /// Makes a communicator of its own for the bus. Collective.
  explicit MpiBus(MPI_Comm processes);
  ~MpiBus() override;
  MpiBus(const MpiBus&) = delete;
  MpiBus& operator=(const MpiBus&) = delete;

  int process() const override { return process_; }
  int processes() const override { return processes_; }
  void send(int to, Batch batch) override;
  std::optional<Arrival> receive() override;
  bool congested() override;
  void idle() override;

  /// Waits until what is still on its way has arrived, and forgets it. Collective.
  void finish();
  /// Gives the communicator up, so that the end of the bus is not collective.
  void abandon() { communicator_ = MPI_COMM_NULL; }

  /// What this process has sent, and how long it had nothing to do, for measurements.
  struct Traffic {
    std::uint64_t batches = 0;
    std::uint64_t bytes = 0;
    double waited = 0; ///< seconds, from when there was nothing to do until something arrived
  };
  const Traffic& traffic() const { return traffic_; }

private:
  struct Sent {
    MPI_Request request = MPI_REQUEST_NULL;
    Batch batch;
  };

  void forget_arrived();

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int process_ = 0;
  int processes_ = 1;
  std::deque<Sent> sent_;                            ///< not yet received
  std::uint32_t idle_ = 0;                           ///< times in a row
  std::chrono::steady_clock::time_point idle_since_; ///< if it is
  Traffic traffic_;
};

} // namespace timeless::replay
