#include "replay/engine/cost_rows.h"

#include "trace/error.h"

#include <algorithm>

namespace timeless::replay {

CostRows::CostRows(Network& network, std::size_t padded_lanes, bool ideal)
    : network_(network), lanes_(padded_lanes), thresholds_(network.thresholds().begin(), network.thresholds().end()),
      compute_scale_(padded(network.compute_scale(), "compute scales")),
      memory_copy_(padded(network.memory_copy_byte_time(), "memory copy times")),
      reduction_(padded(network.reduction_byte_time(), "reduction times")), overhead_(list()) {
  std::fill_n(overhead_, network.lanes().size(), 1.0);
  // The lanes that lists are padded with cost nothing at all.
  if (ideal) compute_scale_[network.lanes().size()] = 1;
}

double* CostRows::list() {
  lists_.emplace_back(static_cast<double*>(::operator new[](lanes_ * sizeof(double), std::align_val_t{64})));
  std::fill_n(lists_.back().get(), lanes_, 0.0);
  return lists_.back().get();
}

double* CostRows::padded(std::span<const double> values, const char* what) {
  if (values.size() != network_.lanes().size())
    throw Error(Failure::usage, std::string("the network gives another number of ") + what + " than of lanes");
  double* copy = list();
  std::ranges::copy(values, copy);
  return copy;
}

std::uint32_t CostRows::row(LinkClass link, double bytes) {
  // Sizes beyond any threshold may not fit an integer.
  const std::size_t segment = bytes < 0x1p63 ? segment_of(thresholds_, static_cast<Bytes>(bytes)) : thresholds_.size();
  if (link >= by_class_.size()) by_class_.resize(std::size_t{link} + 1);
  auto& segments = by_class_[link];
  if (segments.empty()) segments.resize(thresholds_.size() + 1);
  if (segments[segment] == 0) {
    double* latency = list();
    double* byte_time = list();
    const std::size_t given = network_.lanes().size();
    network_.costs(link, segment, {latency, given}, {byte_time, given});
    rows_.push_back({latency, byte_time, network_.scales(link) ? 1.0 : 0.0});
    segments[segment] = static_cast<std::uint32_t>(rows_.size());
  }
  return segments[segment] - 1;
}

} // namespace timeless::replay
