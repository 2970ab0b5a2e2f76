#include "replay/engine/clocks/rank_ports.h"

namespace timeless::replay {

RankPorts::RankPorts(const Network& network, RankRange local_ranks, bool shared, std::size_t values)
    : length_(values), values_(std::make_unique<double[]>(2 * values * local_ranks.size())) {
  const std::vector<std::uint32_t> ranks_on = ranks_on_nodes(network.placement);
  for (std::size_t rank = 0; rank < local_ranks.size(); ++rank) {
    double* const begin = values_.get() + 2 * values * rank;
    const double ranks = ranks_on.at(static_cast<std::size_t>(local_ranks.begin) + rank);
    ports_.push_back({.begin = begin, .end = begin + values, .share = shared ? ranks : 1});
  }
}

void RankPorts::add_like(std::size_t rank) {
  double* const begin = further_values_.emplace_back(std::make_unique<double[]>(2 * length_)).get();
  ports_.push_back({.begin = begin, .end = begin + length_, .share = ports_[rank].share});
}

} // namespace timeless::replay
