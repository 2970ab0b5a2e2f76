#pragma once

#include "replay/distributed/process_work.h"
#include "replay/network/network.h"
#include "replay/replay.h"

#include <cstdint>
#include <vector>

namespace timeless::bench {

/// What a batch of n bytes costs between two processes, in seconds.
struct BatchCosts {
  double send = 0; ///< of the sender's processor
  double send_byte = 0;
  double receive = 0; ///< of the receiver's
  double receive_byte = 0;
  double latency = 0;   ///< on its way
  double byte_time = 0; ///< on its way: batches of one sender leave one after the other
  double poll = 0;      ///< of a look that finds nothing
  double sleep = 0;     ///< of a sleep, after many of these
};

/// What a replay over so many processes would take, by the time each is busy.
struct VirtualRun {
  double seconds = 0;                    ///< until the last process is done
  double most_busy = 0;                  ///< of the busiest process, without what it waits
  double busy = 0;                       ///< of all
  std::vector<replay::ProcessWork> work; ///< by process
};

/// Replays in any number of processes, carried out by this one in virtual time (docs/distributed.md): each process has
/// a clock, which its steps move by the CPU time that they take here, and batches travel at given costs.
VirtualRun run_virtually(const trace::Source& source, const replay::Network& network,
                         const replay::ReplayOptions& options, int processes, const BatchCosts& costs);

} // namespace timeless::bench
