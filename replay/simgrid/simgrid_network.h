#pragma once

#include "replay/network/network.h"
#include "replay/network/presets.h"
#include "replay/simgrid/mapping.h"
#include "replay/simgrid/platform.h"

#include <optional>
#include <string>
#include <vector>

namespace timeless::replay {

/// Returns a lane's name: "graphene", "graphene bandwidth x2 latency /2 cpu x4".
std::string lane_name(const Platform& platform, const Scaling& scaling);

/// Returns seconds that one unit of a run's volumes takes on a host: at the given rate (instructions, or whatever else
/// was counted, per second of every rank), else at the host's speed, one instruction for one flop. Nanoseconds need
/// neither. Throws Error(usage) for counted events without a rate.
double seconds_per_unit(const trace::Counter& counter, const PlatformHost& host,
                        std::optional<double> units_per_second);

/// How the ranks of a run use a platform.
struct SimgridNetworkOptions {
  /// One lane each. Bandwidth and latency change for every link but loopbacks; the windows of TCP stay.
  std::vector<Scaling> lanes = {Scaling{}};
  std::optional<double> units_per_second = {}; ///< see seconds_per_unit
  std::vector<double> seconds_per_unit = {};   ///< by host, instead; empty: as above
  std::vector<double> kernel_factors = {};     ///< see replay::kernel_factors
  /// Seconds per byte of the sender's copy. 0 by default: SMPI's overheads, where a platform has them, hold it.
  double memory_copy_byte_time = 0;
};

/// Returns the contention-free twin of SMPI on a platform file: the same routes, factors and overheads, each message
/// alone.
///
/// A message of n bytes pays, as in SimGrid 3.32 (NetworkCm02Model::comm_action_set_bounds),
///   latency(route) * latency_factor(n + 16) + (n + 16) / (bandwidth(route) * bandwidth_factor(n + 16)),
/// bandwidth(route) being the tightest link's, and at most tcp_window / (2 * latency(route)). The 16 bytes are SMPI's
/// envelope; their time stands with the latency. docs/platforms.md says where the twins differ.
///
/// Routes are looked up as replays meet pairs of hosts, and those that cost the same make a class; a collective's class
/// is the slowest of the routes from each member to the next and to the first, by latency and then by bandwidth. There
/// is no handshake: in SMPI a rendezvous sets off as soon as both have come. Arithmetic of reductions is free, as SMPI
/// charges none.
///
/// The platform must outlive the network. Throws Error(usage) without lanes, or with factors or rates that are not
/// above 0.
Network simgrid_network(const Platform& platform, const trace::Run& run, const Mapping& mapping,
                        SimgridNetworkOptions options = {});

} // namespace timeless::replay
