#pragma once

#include "replay/network/machine_network.h"
#include "replay/network/presets.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace timeless::replay {

/// A network as a file describes it (docs/networks.md defines the format).
struct NetworkDescription {
  std::string name;        ///< the file's, without .json, unless it says another
  std::string description; ///< for a reader
  std::string source;      ///< where its figures come from
  std::string trust = {};  ///< "measured", "published", "vendor" or "assumed", as it says of them; empty: it does not
  std::filesystem::path file;
  bool measured = false;             ///< it says what measurements its figures rest on
  bool measured_within_only = false; ///< and that these are of messages within a node
  LinkCosts between_nodes = {};
  LinkCosts within_node = {}; ///< where a file has none, as it says of those between nodes, whatever these become
  double memory_copy_byte_time = 0;
  double reduction_byte_time = 0;
  std::optional<Bytes> eager_limit = {};
  std::optional<Bytes> eager_limit_within_node = {}; ///< where it is another; no_eager_limit: none waits there
  /// The largest message that the figures rest on; nothing: it does not say.
  std::optional<Bytes> measured_between_nodes = {};
  std::optional<Bytes> measured_within_node = {};  ///< where a file has no links within nodes, as between them
  double handshake_latencies = 2;                  ///< of a rendezvous, before the message sets off
  std::vector<MeasuredAlgorithm> collectives = {}; ///< that the machine's MPI library was seen to follow
};

/// What a message or a byte takes, at most, and at least where it takes any time: far from where sums of times
/// overflow, or end in rounding.
inline constexpr double longest_network_seconds = 1e9;
inline constexpr double shortest_network_seconds = 1e-18;

/// Reads a network file. Throws Error(invalid_input) naming file, key, what is wrong and what to write.
NetworkDescription read_network(const std::filesystem::path& file);

/// Returns a preset likewise, on a machine that has the defaults of docs/model.md beside it.
NetworkDescription description(const Preset& preset, const MachineDefaults& machine = {});

/// Returns a lane of this network, scaled between nodes, named after both.
MachineLane lane(const NetworkDescription& network, const Scaling& scaling = {});

} // namespace timeless::replay
