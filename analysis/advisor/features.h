#pragma once

#include "analysis/trace/traffic.h"
#include "replay/result/result.h"
#include "trace/model/run.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace timeless::analysis {

/// The link of a platform that would be busy longest, were all bytes of the run on their routes.
struct BusiestLink {
  std::string name = {};
  double seconds = 0;      ///< its bytes over its bandwidth
  std::uint64_t flows = 0; ///< pairs of nodes whose messages cross it
};

/// What a run moves, collectives as the messages of MPICH's algorithms.
struct MovedBytes {
  double messages = 0; ///< all of them
  double bytes = 0;
  double point_to_point_bytes = 0;
  double destinations = 0; ///< distinct ranks that a rank sends point-to-point messages to, mean over the ranks
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> between_nodes = {}; ///< bytes, by source and destination
  /// The median over point-to-point messages, each counted as the mean of its pair of ranks; bytes.
  double median_size = 0;
};

/// Returns what `traffic`, with collectives lowered, says of a run on these nodes.
MovedBytes moved_bytes(const Traffic& traffic, std::span<const std::uint32_t> node_of_rank);

/// Seconds of the first barrier and the first alltoall of each rank, means over the ranks; 0 where there is none.
struct FirstCalls {
  double barrier = 0;
  double alltoall = 0;
};

/// What the features of a run on a machine are computed from.
struct AdvisorCase {
  std::span<const std::uint32_t> node_of_rank = {};
  /// A replay divided by calls: lane 0 is the machine, lane 1 the same with an eighth of the bandwidth. With
  /// sensitivities, the ideal lane and incast.
  const replay::Result* replay = nullptr;
  /// The makespan with collectives step by step (CollectiveModel::schedule), with the ports of nodes (Ports::node), and
  /// with both: what is cheap to know of what SMPI does otherwise.
  double stepped_seconds = 0;
  double ported_seconds = 0;
  double stepped_and_ported_seconds = 0;
  FirstCalls first = {};
  MovedBytes moved = {};
  std::optional<BusiestLink> busiest = {};
  double link_bandwidth = 0; ///< bytes per second between two nodes; 0: there is one node
};

/// A feature: what is known of a run on a machine before it is simulated.
struct Feature {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
  bool of_paper = false; ///< one of the 35 of Tong et al., tables III and IV
  bool derived = false;  ///< follows from other features: computed where those are read, never stored
};

/// Returns all features: the paper's, ours, and last what is derived from them.
std::span<const Feature> features();
/// Returns the place of a feature in the list. Throws Error(invalid_input) for a name that there is none of.
std::size_t feature_place(std::string_view name);
/// Returns the names of the paper's features, or of the others.
std::vector<std::string> feature_names(bool of_paper);
/// Sets the values of the derived features from the others; `values` are by features().
void derive_features(std::span<double> values);
/// Returns the values of a case by features(). Throws Error(invalid_input) where a lane of the replay does not end.
std::vector<double> feature_values(const AdvisorCase& of);

} // namespace timeless::analysis
