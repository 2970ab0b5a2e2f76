#pragma once

#include "trace/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace timeless::replay {

/// Where one rank's time went in one lane, in seconds. Only what did not overlap with computation is counted, so the
/// counters add up to `end` (to rounding).
struct RankTimes {
  double end = 0;         ///< when the rank reached MPI_Finalize, or the end of its trace; its clock began at 0
  double compute = 0;     ///< computation
  double memory_copy = 0; ///< copies of sent messages into the system's buffer
  double overhead = 0;    ///< the processor's part of messages, and the arithmetic of reductions
  double wait = 0;        ///< waiting for another rank to begin its part
  double latency = 0;     ///< latency of messages and collectives
  double bandwidth = 0;   ///< the bytes of messages and collectives on their way
  double files = 0;       ///< reading and writing files
};

/// The critical path to some moment, from the beginning of the run: how many of its seconds were latencies, bytes on
/// their way, and computation; for links as Network::scales says. The rest are copies, overheads, reductions and other
/// links, or time given by the network.
///
/// They are the exact derivatives of that moment by the logarithms of latency, byte time and computation time: were all
/// latencies 1 % longer, it would come 1 % of `latency` later, as long as the path stays the longest. Of paths that take
/// equally long, one is chosen by rules (docs/model.md).
struct Sensitivity {
  double latency = 0;   ///< seconds
  double bandwidth = 0; ///< seconds
  double compute = 0;   ///< seconds
};

/// What a replay says of one configuration.
struct LaneResult {
  std::string name;
  double makespan = 0; ///< the largest end, seconds
  std::vector<RankTimes> ranks;
  /// With ReplayOptions::sensitivities: of the makespan (the lowest of the ranks that end last), and of each rank's end;
  /// else zeros, and empty.
  Sensitivity sensitivity{};
  std::vector<Sensitivity> rank_sensitivities{};
};

/// Something that the model leaves out, and how much of it a run holds.
struct NotModelled {
  std::string what; ///< "exclusive locks do not wait for each other"
  std::uint64_t calls = 0;
  std::uint64_t ranks = 0; ///< that make such calls
  bool operator==(const NotModelled&) const = default;
};

/// What a replay says.
struct Result {
  std::vector<LaneResult> lanes;
  /// False when only ends and makespans are known: a simulator that does not say why.
  bool attributed = true;
  std::uint64_t actions = 0; ///< actions replayed, over all ranks
  /// What was modelled more simply than it happens, each named once, for the reader of the result.
  std::vector<std::string> notes;
  /// What of this run the model left out, with the calls it concerns; empty when nothing.
  std::vector<NotModelled> not_modelled;
};

/// The mean over ranks of every field.
RankTimes mean(const LaneResult& lane);

/// Percentages of the mean end: the mean over ranks of each counter divided by the mean over ranks of the ends.
/// All are 0 in a run that takes no time.
struct Shares {
  double computation = 0; ///< compute and memory copies
  double overhead = 0;
  double wait = 0;
  double latency = 0;
  double bandwidth = 0;
  double files = 0;
};

Shares shares(const LaneResult& lane);

} // namespace timeless::replay
