#pragma once

#include "replay/collectives/collectives.h"
#include "replay/engine/clocks/lane_kernels.h"
#include "replay/engine/clocks/snapshot.h"

#include <cstdint>

namespace timeless::replay {

/// A rank's time at one moment, in all lanes: a snapshot of its clock and what was pending then.
struct Moment {
  Snapshot base;
  double work = 0;     ///< seconds of computation, unscaled
  double copied = 0;   ///< bytes
  double overhead = 0; ///< seconds

  LaneTime time() const { return {base.values(), work, copied, overhead}; }
};

/// Something on its way to a rank: when it began, and what it costs from there.
struct Incoming {
  LaneTime sent;
  std::uint32_t row = 0;
  double messages = 1;  ///< times latency
  double bytes = 0;     ///< times byte time
  double constants = 1; ///< times what a message takes beside its bytes: none, where only its latency counts
  bool port = false;    ///< a message, which comes in through the rank's port
  // What the rank does once it has come, before it takes anything else:
  bool received = false;                      ///< receiving a message, which takes `overhead` and what differs by lane
  double overhead = 0;                        ///< seconds
  double reduced_bytes = 0;                   ///< of reduction arithmetic
  const CollectiveCost* collective = nullptr; ///< a collective's result, with the overheads of its messages
};

/// One rank's clock: what an action adds to it before anything arrives.
struct Clock {
  Snapshot base;
  double volume = 0;   ///< pending, in the run's unit
  double copied = 0;   ///< pending, bytes
  double overhead = 0; ///< pending, seconds
  double seconds_per_unit = 0;
  double volume_folded = 0;
  double copied_folded = 0;
  double overhead_folded = 0;
  double reduced = 0; ///< bytes of reduction arithmetic done
  double* counters = nullptr;
  double start = 0;      ///< when it began, seconds
  Snapshot pending = {}; ///< overheads that differ by lane; none when nothing is
  Snapshot port = {};    ///< when the port is free for the next message; none before the first that needs it
  /// When it would be free for the next message that waits for its receive, had those before it left when ready.
  Snapshot held_port = {};
};

} // namespace timeless::replay
