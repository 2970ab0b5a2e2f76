#pragma once

#include "replay/platform/mapping.h"
#include "replay/platform/simgrid_factors.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
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

/// A machine read from a SimGrid platform file, by SimGrid itself.
///
/// SimGrid's engine is global to the process, so there can be one platform per process: a second load() throws. It
/// stays loaded until the process ends, even when the object does not. Not for use by several threads at a time.
class SimgridPlatform {
public:
  /// Loads a file. Whatever is wrong with it is an Error(invalid_input) that names file and line; SimGrid is tried on
  /// it in a child process first, because it aborts on some mistakes. A file that does not choose a network model gets
  /// SMPI's, as smpirun does.
  static SimgridPlatform load(const std::filesystem::path& file);
  SimgridPlatform(SimgridPlatform&&) noexcept;
  SimgridPlatform& operator=(SimgridPlatform&&) noexcept;
  ~SimgridPlatform();

  const std::filesystem::path& file() const;
  /// The hosts in the order people number them: node-2 before node-10. Indices into this list name hosts below.
  std::span<const PlatformHost> hosts() const;
  const SmpiSettings& settings() const;
  /// Throws Error(invalid_input) where the platform connects them by nothing.
  Route route(std::size_t from, std::size_t to) const;
  /// Multiplies latency and bandwidth of every link but the loopbacks of these hosts, for the rest of the process;
  /// meant for a child of run_apart().
  void scale_links(double latency, double bandwidth, std::span<const std::uint32_t> hosts) const;
  /// What the platform asks for that the model of it leaves out, for the reader of a result.
  const std::vector<std::string>& notes() const;

  struct State;

private:
  explicit SimgridPlatform(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace timeless::replay
