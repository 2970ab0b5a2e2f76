#include "replay/network/machine_network.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace timeless::replay {

namespace {

void require_sensible(bool sensible, const std::string& lane) {
  if (!sensible)
    throw Error(Failure::usage, "a network parameter is negative or not a number", "lane " + lane,
                "give latencies, times per byte and scales as finite numbers, 0 or more");
}

bool sensible(double value) {
  return std::isfinite(value) && value >= 0;
}

bool sensible(const Seconds& seconds) {
  return sensible(seconds.fixed) && sensible(seconds.per_byte);
}

bool sensible(const LinkCosts& costs) {
  if (costs.node && !(sensible(costs.node->further) && costs.node->first > 0 && costs.node->most > 0)) return false;
  if (costs.sizes.empty() || costs.sizes.back().up_to != MessageCosts::any_size) return false;
  if (!std::ranges::is_sorted(costs.sizes, std::ranges::less_equal{}, &MessageCosts::up_to)) return false;
  return std::ranges::all_of(costs.sizes, [](const MessageCosts& some) {
    // A falling piece of a table has a negative time per byte; its constant is then above 0.
    const bool rising = sensible(some.byte_time) || (std::isfinite(some.byte_time) && some.transfer > 0);
    return sensible(some.latency) && std::isfinite(some.transfer) && rising && sensible(some.send) &&
           sensible(some.nonblocking_send) && sensible(some.receive) && sensible(some.handshake) &&
           sensible(some.port.value_or(Seconds{}));
  });
}

bool sensible(const MachineLane& lane) {
  return sensible(lane.between_nodes) && sensible(lane.within_node) && sensible(lane.handshake_latencies) &&
         sensible(lane.memory_copy_byte_time) && sensible(lane.reduction_byte_time) && sensible(lane.compute_scale);
}

void require_rates(const Placement& placement) {
  const std::size_t rates = placement.seconds_per_unit.size();
  if (rates != 1 && rates != placement.node_of_rank.size())
    throw Error(Failure::usage,
                "compute rates are given for " + std::to_string(rates) + " of " +
                    std::to_string(placement.node_of_rank.size()) + " ranks",
                {}, "give one rate for all ranks, or one for each");
  if (!std::ranges::all_of(placement.seconds_per_unit, [](double rate) { return sensible(rate); }))
    throw Error(Failure::usage, "a compute rate is negative or not a number", {}, "give a positive rate");
  if (!std::ranges::all_of(placement.kernel_factors, [](double factor) { return sensible(factor); }))
    throw Error(Failure::usage, "a kernel's factor is negative or not a number", {}, "give positive rates");
}

bool has_overheads(const MessageCosts& some) {
  return some.send != Seconds{} || some.nonblocking_send != Seconds{} || some.receive != Seconds{};
}

bool has_ports(const MessageCosts& some) {
  return some.port.has_value();
}

/// Returns the thresholds of all lanes' links, each once.
std::vector<Bytes> all_thresholds(const std::vector<MachineLane>& lanes) {
  std::vector<Bytes> thresholds;
  for (const MachineLane& lane : lanes)
    for (const LinkCosts* costs : {&lane.between_nodes, &lane.within_node})
      for (const MessageCosts& some : costs->sizes)
        if (some.up_to != MessageCosts::any_size) thresholds.push_back(some.up_to);
  std::ranges::sort(thresholds);
  thresholds.erase(std::ranges::unique(thresholds).begin(), thresholds.end());
  return thresholds;
}

template <typename Has>
bool any_link(const std::vector<MachineLane>& lanes, Has has) {
  return std::ranges::any_of(lanes, [&](const MachineLane& lane) {
    return std::ranges::any_of(lane.between_nodes.sizes, has) || std::ranges::any_of(lane.within_node.sizes, has);
  });
}

void add(ClassCosts& costs, const MessageCosts& some, double handshake_latencies, const Network& network) {
  costs.latency.push_back(some.latency);
  costs.byte_time.push_back(some.byte_time);
  costs.transfer.push_back(some.transfer);
  costs.handshake.push_back(handshake_latencies * some.latency);
  costs.handshake_overhead.push_back(some.handshake);
  if (network.overheads_by_lane) {
    costs.send.push_back(some.send);
    costs.nonblocking_send.push_back(some.nonblocking_send);
    costs.receive.push_back(some.receive);
  }
  if (network.ports) costs.port.push_back(some.port.value_or(Seconds{.fixed = -1}));
}

ClassCosts class_costs(const std::vector<MachineLane>& lanes, LinkCosts MachineLane::*links, const Network& network) {
  std::vector<LinkCosts> together; // where ranks of a node share a rate
  if (std::ranges::any_of(lanes, [&](const MachineLane& lane) { return (lane.*links).node.has_value(); })) {
    const std::uint32_t ranks = most_ranks_of_a_node(network.placement.node_of_rank);
    for (const MachineLane& lane : lanes)
      together.push_back(sent_together(lane.*links, ranks));
  }
  ClassCosts costs{.columns = lanes.size(), .scales = links == &MachineLane::between_nodes};
  for (std::vector<double>* list :
       {&costs.latency, &costs.byte_time, &costs.transfer, &costs.handshake, &costs.handshake_overhead})
    list->reserve((network.thresholds.size() + 1) * lanes.size());
  for (std::size_t segment = 0; segment <= network.thresholds.size(); ++segment) {
    // All sizes of a segment cost the same; the last is open.
    const Bytes size = segment < network.thresholds.size() ? network.thresholds[segment] : MessageCosts::any_size;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      add(costs, (together.empty() ? lanes[lane].*links : together[lane]).of(size), lanes[lane].handshake_latencies,
          network);
  }
  for (std::vector<double>* list : {&costs.transfer, &costs.handshake_overhead})
    if (std::ranges::all_of(*list, [](double seconds) { return seconds == 0; })) *list = {};
  return costs;
}

} // namespace

Network machine_network(const std::vector<MachineLane>& lanes, Placement placement) {
  if (lanes.empty())
    throw Error(Failure::usage, "a replay needs at least one network configuration", {},
                "name a network or a platform");
  require_rates(placement);
  Network network;
  for (const MachineLane& lane : lanes) {
    require_sensible(sensible(lane), lane.name);
    network.lanes.push_back({.name = lane.name,
                             .memory_copy_byte_time = lane.memory_copy_byte_time,
                             .reduction_byte_time = lane.reduction_byte_time,
                             .compute_scale = lane.compute_scale,
                             .eager_limit = lane.eager_limit.value_or(no_eager_limit),
                             .eager_limit_within_node = lane.eager_limit_within_node,
                             .column = network.lanes.size()});
  }
  network.thresholds = all_thresholds(lanes);
  network.overheads_by_lane = any_link(lanes, has_overheads);
  network.ports = any_link(lanes, has_ports);
  network.placement = std::move(placement);
  network.links = std::make_shared<LinkTable>(class_costs(lanes, &MachineLane::within_node, network),
                                              class_costs(lanes, &MachineLane::between_nodes, network));
  return network;
}

} // namespace timeless::replay
