#pragma once

#include "replay/network/presets.h"
#include "replay/options/options.h"
#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace timeless::analysis {

/// A configuration of a sweep: a machine, and what of it is changed.
struct SweepPoint {
  std::size_t machine = 0;          ///< in the sweep's list of machines
  std::uint32_t ranks_per_node = 0; ///< 0: as the mapping says
  replay::CollectiveModel collectives = replay::CollectiveModel::mpich;
  std::optional<trace::Bytes> eager_limit = {}; ///< nothing: the machine's own
  double bandwidth = 1;                         ///< 2: twice the bandwidth
  double latency = 1;                           ///< 0.5: half the latency
  double compute = 1;                           ///< 0.5: computation takes half the time

  replay::Scaling scaling() const { return {.bandwidth = bandwidth, .latency = latency, .compute = compute}; }
  auto key() const { return std::tie(ranks_per_node, collectives, machine, eager_limit, compute, bandwidth, latency); }
  bool operator==(const SweepPoint& other) const { return key() == other.key(); }
  bool operator<(const SweepPoint& other) const { return key() < other.key(); }
};

/// What a grid is made of: every combination is a configuration.
struct SweepAxes {
  std::vector<std::size_t> machines{0}; ///< as SweepPoint::machine
  std::vector<std::uint32_t> ranks_per_node{0};
  std::vector<replay::CollectiveModel> collectives{replay::CollectiveModel::mpich};
  std::vector<std::optional<trace::Bytes>> eager_limits{std::nullopt};
  std::vector<double> bandwidth{1};
  std::vector<double> latency{1};
  std::vector<double> compute{1};
};

/// Configurations to replay, each once.
class SweepPlan {
public:
  /// What fits into a table, a file and memory.
  static constexpr std::size_t most_points = 20'000;

  /// Returns the place of a point, which is added unless it is there. Throws Error(usage) beyond most_points.
  std::size_t add(const SweepPoint& point);
  /// Returns the places of all combinations. Throws likewise, before it adds any.
  std::vector<std::size_t> add(const SweepAxes& axes);

  const std::vector<SweepPoint>& points() const { return points_; }

private:
  std::vector<SweepPoint> points_;
  std::map<SweepPoint, std::size_t> places_;
};

/// Returns the 21 points that a classification of this one rests on, in the order of replay::classification_scalings().
std::vector<SweepPoint> classification_points(const SweepPoint& point);

} // namespace timeless::analysis
