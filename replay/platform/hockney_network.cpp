#include "replay/platform/hockney_network.h"

#include "trace/error.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace timeless::replay {

namespace {

constexpr LinkClass within_node = 0;
constexpr LinkClass between_nodes = 1;

void require_sensible(const HockneyLane& lane) {
  const double values[] = {lane.between_nodes.latency, lane.between_nodes.byte_time, lane.within_node.latency,
                           lane.within_node.byte_time, lane.memory_copy_byte_time,   lane.reduction_byte_time,
                           lane.compute_scale};
  for (const double value : values)
    if (!std::isfinite(value) || value < 0)
      throw Error(Failure::usage, "a network parameter is negative or not a number", "lane " + lane.name,
                  "give latencies, times per byte and scales as finite numbers, 0 or more");
}

std::string rank_name(Rank rank) {
  return "rank " + std::to_string(rank);
}

} // namespace

Placement one_rank_per_node(Rank ranks, double seconds_per_unit) {
  Placement placement;
  placement.node_of_rank.resize(static_cast<std::size_t>(ranks));
  std::iota(placement.node_of_rank.begin(), placement.node_of_rank.end(), 0U);
  placement.seconds_per_unit = {seconds_per_unit};
  return placement;
}

HockneyNetwork::HockneyNetwork(std::vector<HockneyLane> lanes, Placement placement)
    : configurations_(std::move(lanes)), placement_(std::move(placement)) {
  if (configurations_.empty())
    throw Error(Failure::usage, "a replay needs at least one network configuration", {},
                "name a network or a platform");
  const std::size_t rates = placement_.seconds_per_unit.size();
  if (rates != 1 && rates != placement_.node_of_rank.size())
    throw Error(Failure::usage,
                "compute rates are given for " + std::to_string(rates) + " of " +
                    std::to_string(placement_.node_of_rank.size()) + " ranks",
                {}, "give one rate for all ranks, or one for each");
  for (const double rate : placement_.seconds_per_unit)
    if (!std::isfinite(rate) || rate < 0)
      throw Error(Failure::usage, "a compute rate is negative or not a number", {}, "give a positive rate");
  for (const HockneyLane& lane : configurations_) {
    require_sensible(lane);
    names_.push_back(lane.name);
    memory_copy_.push_back(lane.memory_copy_byte_time);
    reduction_.push_back(lane.reduction_byte_time);
    compute_scale_.push_back(lane.compute_scale);
  }
}

std::uint32_t HockneyNetwork::node(Rank rank) const {
  if (rank < 0 || static_cast<std::size_t>(rank) >= placement_.node_of_rank.size())
    throw Error(Failure::usage, "the machine has no place for this rank", rank_name(rank),
                "place all ranks of the run on nodes");
  return placement_.node_of_rank[static_cast<std::size_t>(rank)];
}

LinkClass HockneyNetwork::link(Rank from, Rank to) {
  return node(from) == node(to) ? within_node : between_nodes;
}

LinkClass HockneyNetwork::collective_link(std::span<const Rank> members) {
  for (const Rank member : members)
    if (node(member) != node(members.front())) return between_nodes;
  return within_node;
}

void HockneyNetwork::costs(LinkClass link, std::size_t, std::span<double> latency, std::span<double> byte_time) const {
  for (std::size_t lane = 0; lane < configurations_.size(); ++lane) {
    const HockneyLane& of = configurations_[lane];
    const LinkCost& cost = link == within_node ? of.within_node : of.between_nodes;
    latency[lane] = cost.latency;
    byte_time[lane] = cost.byte_time;
  }
}

bool HockneyNetwork::scales(LinkClass link) const {
  return link == between_nodes;
}

double HockneyNetwork::seconds_per_unit(Rank rank) const {
  const auto& rates = placement_.seconds_per_unit;
  if (rates.size() == 1) return rates.front();
  node(rank);
  return rates[static_cast<std::size_t>(rank)];
}

} // namespace timeless::replay
