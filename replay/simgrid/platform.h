#pragma once

#include "replay/simgrid/mapping.h"
#include "replay/simgrid/simgrid_factors.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay {

/// What one lone message finds between two hosts, before SMPI's factors.
struct Route {
  double latency = 0;   ///< seconds, the sum over the links
  double bandwidth = 0; ///< bytes per second: what the tightest link, shared with nobody else's messages, lets through
  /// A way from a host to itself over links of its own, no part of the network.
  bool loopback = false;
};

/// Returns bytes per second that a lone message gets, before SMPI's factor: those of the links, at most window / (2
/// latency) as in SimGrid's NetworkCm02Model.
double lone_bandwidth(const Route& route, double tcp_window);

/// A machine as a platform file describes it, read by this process or by another.
class Platform {
public:
  virtual ~Platform() = default;

  virtual const std::filesystem::path& file() const = 0;
  /// Returns the hosts in the order people number them: node-2 before node-10. Indices into this list name hosts below.
  virtual std::span<const PlatformHost> hosts() const = 0;
  virtual const SmpiSettings& settings() const = 0;
  /// Throws Error(invalid_input) where the platform connects them by nothing, and Error(missing_capability) where it
  /// does by a WIFI link.
  virtual Route route(std::size_t from, std::size_t to) const = 0;
  /// Returns what the platform asks for that the model of it leaves out, for the reader of a result.
  virtual const std::vector<std::string>& notes() const = 0;

protected:
  Platform() = default;
  Platform(const Platform&) = default;
  Platform& operator=(const Platform&) = default;
};

} // namespace timeless::replay
