#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace timeless::tools::platforms {

/// A machine of nodes that are alike, as its owner describes it. Quantities are texts with SimGrid's units; what is
/// empty has not been said.
struct Draft {
  std::string nodes;
  std::string cores;
  std::string speed;      ///< of a core
  std::string topology;   ///< one of topologies()
  std::string parameters; ///< SimGrid's topo_parameters; empty: what fits the nodes
  std::string bandwidth;  ///< of a link
  std::string latency;    ///< of a link
  std::string loopback_bandwidth;
  std::string loopback_latency;
};

/// Returns what a topology may be.
std::vector<std::string> topologies();

/// Asks for what has not been said, with a suggestion each; an empty answer takes it. Asks again after an answer that
/// makes no sense. Throws Error(usage) when the answers end.
Draft ask_for_rest(Draft draft, std::istream& answers, std::ostream& questions);

/// Adds suggestions for all that has not been said but nodes, bandwidth and latency. Throws Error(usage) where those
/// lack.
Draft with_defaults(Draft draft);

/// Returns the platform file. Throws Error(usage) for figures that make no platform.
std::string platform_text(const Draft& draft);

} // namespace timeless::tools::platforms
