#pragma once

#include "base/error.h"
#include "replay/network/presets.h"
#include "replay/result/full_links.h"
#include "replay/result/result.h"
#include "replay/simgrid/mapping.h"
#include "replay/simgrid/simgrid_platform.h"
#include "trace/model/source.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace timeless::replay {

class Observer;

/// One run on the platform, with an MPI_COMM_WORLD of its own.
struct SmpiJob {
  const trace::Source* source = nullptr;
  const Mapping* mapping = nullptr;
  std::optional<double> units_per_second = {}; ///< see seconds_per_unit in simgrid_network.h
  std::vector<double> seconds_per_unit = {};   ///< by host, instead; empty: as above
  std::vector<double> kernel_factors = {};     ///< see replay::kernel_factors
};

/// What files cost where hosts have no disks; where they have, SimGrid's disks do. See FileSystem in
/// replay/network/file_system.h, whose default this is.
struct SmpiFiles {
  double latency = 100e-6;
  double byte_time = 1 / 1e9;
  double aggregate_byte_time = 1 / 10e9;
  bool assumed = true; ///< nobody has said so
};

/// How SMPI replays a run.
struct SmpiOptions {
  /// Every link's latency and bandwidth, and all computation times, are multiplied by these.
  Scaling scaling = {};
  std::optional<double> units_per_second = {}; ///< see SmpiJob, as the next two
  std::vector<double> seconds_per_unit = {};
  std::vector<double> kernel_factors = {};
  SmpiFiles files = {};
  std::uint32_t cores_per_rank = 0; ///< threads of a rank that compute at a time; 0: as many as its host has cores for
  /// What every rank's time is divided by, in Result::attribution: sums (`end`) only.
  AttributeBy attribute = AttributeBy::nothing;
  /// Told what every rank does, in this process; of one job only. Not asked for a lane: there is one. It has to
  /// outlive the replay.
  Observer* observer = nullptr;
  /// Whether every link holds any number of messages at once, as if none shared it: what SMPI takes longer without is
  /// contention.
  bool unshared = false;
  /// Whether to find out which links were full (SmpiResult::full_links); of one job only.
  bool watch_links = false;
  /// Called now and then with the actions replayed so far and the number there are.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// The times that SMPI gives, and what the simulation took.
struct SmpiResult {
  Result replay;          ///< one lane, with ends only: attributed is false
  double cpu_seconds = 0; ///< of this machine, for the simulation itself: no loading, no scan of the trace
  std::vector<FullLink> full_links = {}; ///< those that slowed messages down most first; where SmpiOptions::watch_links
};

/// Replays a run in SimGrid's SMPI: flows that share links, SMPI's protocols, its collectives with their real messages.
///
/// The actions go to SMPI from memory, over real communicators made beforehand; each rank's clock starts at 0 when all
/// are ready, and MPI_Finalize is not charged. The simulation runs in a child process, so the platform can be used
/// again. docs/smpi.md says how every action is carried out; Result::notes what is carried out otherwise than the
/// program did it.
///
/// Throws Error(missing_capability) before anything runs, naming every kind of action in the trace that SMPI has no
/// equal for; Error(invalid_input) for a trace that contradicts itself, or whose ranks come to wait for each other,
/// with the ranks and their actions.
SmpiResult smpi_replay(const trace::Source& source, const SimgridPlatform& platform, const Mapping& mapping,
                       const SmpiOptions& options = {});

/// Returns whether a replay in SMPI ended so because ranks wait for what never comes.
bool is_deadlock(const Error& error);

/// Replays several runs at once on one platform, whose links and hosts they share. All ranks of all of them start
/// together. One result for each, with the processor's time for all of them. Throws as above.
std::vector<SmpiResult> smpi_replay(std::span<const SmpiJob> jobs, const SimgridPlatform& platform,
                                    const SmpiOptions& options = {});

} // namespace timeless::replay
