#pragma once

#include "base/free_numbers.h"
#include "replay/engine/clocks/clocks.h"

#include <cstdint>
#include <vector>

namespace timeless::replay {

/// A transfer that comes to its end by itself, or the one of several that ends last, in all lanes.
struct Transit {
  Snapshot start;
  Snapshot middle; ///< of its latency and its bytes, the part that computation hides first is over
  Snapshot end;
  explicit operator bool() const { return static_cast<bool>(end); }
};

/// What carries the bytes of each rank's transfers, one after the other; by the rank's number.
class TransferPorts {
public:
  struct Port {
    Snapshot began; ///< busy since then; empty before the first transfer
    Snapshot free;
  };
  Port& operator[](std::uint32_t number) {
    if (number >= ports_.size()) ports_.resize(std::size_t{number} + 1);
    return ports_[number];
  }

private:
  std::vector<Port> ports_;
};

/// Transfers that go on beside the ranks that begin them, until these wait for their ends: one-sided ones, and those to
/// and from files. Keeps those that requests stand for until their requests are completed.
class Transfers {
public:
  explicit Transfers(Clocks& clocks) : clocks_(clocks) {}

  /// Begins a transfer over a row: now, or when the port has carried the bytes before it. Its latency is that of
  /// `messages`.
  Transit begin(const Clock& clock, TransferPorts::Port& port, std::uint32_t row, double messages, double bytes);
  /// Sets `all` to the one of both that ends last; leaves it as it is where both end together.
  void join(Transit& all, Transit one);
  /// Waits for the end of a transfer.
  void finish(Clock& clock, const Transit& way);

  // To and from files: `latency` and `moving` are seconds, the same in all lanes. They count as a file's.

  Transit begin_file(const Clock& clock, TransferPorts::Port& port, double latency, double moving);
  void finish_file(Clock& clock, const Transit& way);
  /// Waits until something has begun, and then this many seconds for a file.
  void take_file(Clock& clock, const LaneTime& begun, double seconds);

  /// Keeps a transfer until its request is completed; returns its number.
  std::uint32_t keep(Transit way);
  /// Returns the transfer of this number, which is kept no longer.
  Transit release(std::uint32_t number);

  /// Returns true when there was one.
  bool used() const { return used_; }

private:
  Transit begin(const Clock& clock, TransferPorts::Port& port, const LaneTransfer& transfer, bool bytes_last);
  LaneCounters file_counters(const Clock& clock) const;

  Clocks& clocks_;
  bool used_ = false;
  std::vector<Transit> kept_;
  FreeNumbers numbers_;
};

} // namespace timeless::replay
