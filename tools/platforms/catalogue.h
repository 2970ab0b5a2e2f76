#pragma once

#include "tools/machines/platform_head.h"

#include "replay/simgrid/platform.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools::platforms {

/// Hosts that are alike.
struct HostKind {
  double speed = 0;
  int cores = 0;
  std::size_t hosts = 0;
  std::string first;
};
std::vector<HostKind> kinds_of(const replay::Platform& platform);

/// Returns the host of this name, which may leave out what follows a full stop. Throws Error(usage) where there is
/// none.
std::size_t host_named(const replay::Platform& platform, const std::string& name);

/// Ways between hosts that are alike.
struct Distance {
  double latency = 0;
  double bandwidth = 0; ///< of the links, without TCP's window
  bool loopback = false;
  std::uint64_t pairs = 0;
  std::size_t from = 0; ///< an example
  std::size_t to = 0;
};

/// All ways from some hosts, evenly spread, to all; the nearest first.
struct Distances {
  std::size_t sources = 0;
  std::uint64_t unconnected = 0; ///< pairs of hosts with no way between them, which are in no kind
  std::vector<Distance> kinds;
};
Distances distances_of(const replay::Platform& platform, std::size_t most_sources = 64);

/// What a lone message finds between two nodes, with SMPI's factors and without the processors' overheads: on the kind
/// of way that is between most pairs of some hosts and all others. Nothing where there is one host, or no way.
struct BetweenNodes {
  double latency = 0;   ///< seconds, of a message without bytes
  double bandwidth = 0; ///< bytes per second, of a very large one
};
std::optional<BetweenNodes> between_nodes(const replay::Platform& platform);

} // namespace timeless::tools::platforms
