#pragma once

#include "tools/planning/nodes.h"
#include "tools/planning/sizes.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tools {

/// How the ranks of a recorded program share processors.
enum class AcquisitionMode : std::uint8_t {
  regular,          ///< one rank a core, on one cluster
  folded,           ///< several ranks a core, on one cluster
  composite,        ///< one rank a core, on several clusters
  composite_folded, ///< several ranks a core, on several clusters
};

/// Returns "R", "F", "C" or "CF".
const char* short_name(AcquisitionMode mode);
const char* name(AcquisitionMode mode);
/// Returns the short names.
std::vector<std::string> mode_names();
std::optional<AcquisitionMode> parse_mode(std::string_view text);

bool is_folded(AcquisitionMode mode);
bool is_composite(AcquisitionMode mode);

/// What is to be placed on nodes, and what may be used of them.
struct PlanRequest {
  std::uint32_t ranks = 0;
  std::uint64_t memory_per_rank = 0;         ///< bytes
  std::optional<AcquisitionMode> mode = {};  ///< the least folded one when not given
  std::optional<std::uint32_t> folding = {}; ///< ranks a core at most; the least that fits when not given
  Reserve reserve = {};
};

/// A node and what is to run there.
struct PlannedNode {
  Node node;
  std::uint32_t ranks = 0;
  std::uint32_t most_by_memory = 0; ///< ranks that its memory holds
  double folding() const { return static_cast<double>(ranks) / node.cores; }
};

/// How many ranks each node runs, and why.
struct NodePlan {
  AcquisitionMode mode = AcquisitionMode::regular;
  std::uint32_t folding = 1;        ///< ranks a core at most
  std::vector<PlannedNode> nodes;   ///< in the order of the list, those with ranks only
  std::vector<std::string> reasons; ///< sentences: why this mode, these nodes, this folding
  /// Returns the time against that of one rank a core, from the node with most ranks a core: the processor's time is
  /// shared.
  double slowdown() const;
};

/// Divides ranks among nodes that are known whole (complete_nodes).
///
/// A node holds as many ranks as its memory without the reserve has room for, and `folding` times its cores. Of a
/// cluster, or of all in turn in composite modes, as few nodes are taken as hold the ranks, in the order of the list;
/// ranks are divided among those in proportion to their cores, as far as memory allows. Composite modes use every
/// cluster that has room. Without a mode: the one with the least folding, on one cluster rather than on several.
/// Throws Error(missing_capability) when the ranks do not fit, with what is missing; Error(usage) when the request
/// contradicts itself.
NodePlan make_plan(std::span<const Node> nodes, const PlanRequest& request);

/// Returns the plan as Open MPI's hostfile, a slot for each rank.
std::string hostfile_text(const NodePlan& plan, const PlanRequest& request);

} // namespace timeless::tools
