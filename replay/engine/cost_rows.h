#pragma once

#include "replay/platform/network.h"

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace timeless::replay {

/// Latency and byte time of one link class and message size, per lane.
struct CostRow {
  const double* latency = nullptr;
  const double* byte_time = nullptr;
  double graded = 1; ///< 1 where Network::scales the class, else 0
};

/// Every list of per-lane values the engine got from the network, padded to whole lane groups.
class CostRows {
public:
  /// With `ideal`, the first lane beyond those of the network computes like a lane of scale 1, and all else is free.
  CostRows(Network& network, std::size_t padded_lanes, bool ideal = false);

  std::size_t lanes() const { return lanes_; }
  const double* compute_scale() const { return compute_scale_; }
  const double* memory_copy() const { return memory_copy_; }
  const double* reduction() const { return reduction_; }
  const double* overhead() const { return overhead_; } ///< see LaneRates

  /// The row for messages of this size between two ranks, as a number that stays valid.
  std::uint32_t message(Rank from, Rank to, double bytes) { return row(network_.link(from, to), bytes); }
  /// The row for messages of this size over a link.
  std::uint32_t row(LinkClass link, double bytes);
  const CostRow& operator[](std::uint32_t number) const { return rows_[number]; }

private:
  struct Release {
    void operator()(double* values) const { ::operator delete[](values, std::align_val_t{64}); }
  };

  double* list();
  double* padded(std::span<const double> values, const char* what);

  Network& network_;
  std::size_t lanes_;
  std::vector<Bytes> thresholds_;
  std::vector<std::unique_ptr<double[], Release>> lists_;
  double* compute_scale_;
  const double* memory_copy_;
  const double* reduction_;
  double* overhead_;
  std::vector<CostRow> rows_;
  std::vector<std::vector<std::uint32_t>> by_class_; ///< row number + 1 by class and segment; 0: not asked yet
};

} // namespace timeless::replay
