#pragma once

#include "replay/engine/bus.h"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace timeless::replay {

/// A bus between the processes of a communicator.
class MpiBus : public Bus {
public:
  /// Collective. Uses a communicator of its own.
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

  /// Collective: what is still on its way arrives, and is forgotten.
  void finish();

  /// What this process has sent, for measurements.
  struct Traffic {
    std::uint64_t batches = 0;
    std::uint64_t words = 0;
    std::uint64_t idle = 0; ///< how often there was nothing to do
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
  std::deque<Sent> sent_; ///< not yet received
  std::uint32_t idle_ = 0;
  Traffic traffic_;
};

} // namespace timeless::replay
