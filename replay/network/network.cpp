#include "replay/network/network.h"

#include "base/error.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace timeless::replay {

double SecondsBySize::of_piece(Bytes bytes) const {
  auto piece = std::ranges::lower_bound(pieces_, bytes, {}, &Piece::up_to);
  if (piece == pieces_.end()) --piece;
  return piece->seconds.fixed + piece->seconds.per_byte * static_cast<double>(bytes);
}

Placement one_rank_per_node(Rank ranks, double seconds_per_unit) {
  Placement placement;
  placement.node_of_rank.resize(static_cast<std::size_t>(ranks));
  std::iota(placement.node_of_rank.begin(), placement.node_of_rank.end(), 0U);
  placement.seconds_per_unit = {seconds_per_unit};
  return placement;
}

std::vector<std::uint32_t> ranks_on_nodes(const Placement& placement) {
  std::unordered_map<std::uint32_t, std::uint32_t> of_node;
  for (const std::uint32_t node : placement.node_of_rank)
    ++of_node[node];
  std::vector<std::uint32_t> by_rank;
  for (const std::uint32_t node : placement.node_of_rank)
    by_rank.push_back(of_node[node]);
  return by_rank;
}

std::uint32_t most_ranks_of_a_node(std::span<const std::uint32_t> node_of_rank) {
  std::unordered_map<std::uint32_t, std::uint32_t> of_node;
  std::uint32_t most = 0;
  for (const std::uint32_t node : node_of_rank)
    most = std::max(most, ++of_node[node]);
  return most;
}

void Network::no_place(Rank rank) {
  throw Error(Failure::usage, "the machine has no place for this rank", "rank " + std::to_string(rank),
              "place all ranks of the run on nodes");
}

double Network::seconds_per_unit(Rank rank) const {
  const auto& rates = placement.seconds_per_unit;
  if (rates.size() == 1) return rates.front();
  node(rank);
  return rates.at(static_cast<std::size_t>(rank));
}

double Network::kernel_factor(trace::KernelId kernel) const {
  return kernel < placement.kernel_factors.size() ? placement.kernel_factors[kernel] : 1;
}

std::vector<std::string> lane_names(const Network& network) {
  std::vector<std::string> names;
  for (const Lane& lane : network.lanes)
    names.push_back(lane.name);
  return names;
}

} // namespace timeless::replay
