#pragma once

#include "analysis/calibration/network/collective_choice.h"
#include "analysis/calibration/network/loggp.h"
#include "analysis/calibration/network/rates.h"
#include "ping/raw.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace timeless::analysis {

/// A kind of link with its LogGP parameters.
struct FittedLink {
  LinkCurves curves;
  std::vector<LogGpSegment> segments;
  std::vector<SegmentInterval> intervals; ///< of the segments
};

/// All that measurements say of a network.
struct NetworkFit {
  std::vector<ping::MeasurementContext> launches; ///< by date
  std::size_t measurements = 0;
  /// One of the two at least.
  std::optional<FittedLink> between_nodes;
  std::optional<FittedLink> within_node;
  /// Of blocking sends between nodes, or within one where there are no others; nothing where no message waited.
  std::optional<std::uint64_t> eager_limit;
  std::optional<std::uint64_t> eager_limit_within_node; ///< the same within a node, where that was measured
  std::optional<MeasuredRate> memory_copy;
  std::optional<MeasuredRate> reduction;
  std::optional<PortRate> node_port;
  std::optional<PortRate> receiver_port;
  std::optional<BothWays> both_ways_between_nodes; ///< of all pairs of two nodes
  std::optional<BothWays> both_ways_within_node;   ///< of two ranks
  std::vector<CollectiveChoice> collectives;
  /// What could not be measured or fitted, and what that means; sentences for people.
  std::vector<std::string> not_reached;

  /// Returns what messages between nodes are taken to cost: those within the node where no others were measured.
  const FittedLink& main_link() const { return between_nodes ? *between_nodes : *within_node; }
};

/// Fits all that was measured. The order of launches among the measurements makes no difference. Throws
/// Error(invalid_input) where there are too few round trips for anything, or of one size only, a launch or a measurement
/// is there twice, or a clock did not go on steadily; `where` names the measurements.
NetworkFit fit_network(const ping::Raw& measured, const std::string& where);

} // namespace timeless::analysis
