#pragma once

#include <optional>
#include <string>

namespace timeless::replay {

/// What one engine tells another: records, one after the other, as a ByteWriter writes them.
using Batch = std::string;

/// Carries batches between the processes that share a replay, which are numbered from 0.
class Bus {
public:
  struct Arrival {
    int from = 0;
    Batch batch;
  };

  virtual ~Bus() = default;
  virtual int process() const = 0;
  virtual int processes() const = 0;
  /// Sends a batch on its way, without waiting. Batches from one process to another arrive whole and in order.
  virtual void send(int to, Batch batch) = 0;
  /// Returns what has arrived, if anything has.
  virtual std::optional<Arrival> receive() = 0;
  /// Returns true while so much is on its way that this process should send no more.
  virtual bool congested() = 0;
  /// Gives the processor away for a moment, as there is nothing to do before something arrives.
  virtual void idle() = 0;
};

} // namespace timeless::replay
