#include "replay/network/machine_network.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace timeless::replay {

namespace {

constexpr LinkClass within_node = 0;
constexpr LinkClass between_nodes = 1;

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

std::string rank_name(Rank rank) {
  return "rank " + std::to_string(rank);
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

} // namespace

Placement one_rank_per_node(Rank ranks, double seconds_per_unit) {
  Placement placement;
  placement.node_of_rank.resize(static_cast<std::size_t>(ranks));
  std::iota(placement.node_of_rank.begin(), placement.node_of_rank.end(), 0U);
  placement.seconds_per_unit = {seconds_per_unit};
  return placement;
}

MachineNetwork::MachineNetwork(std::vector<MachineLane> lanes, Placement placement)
    : configurations_(std::move(lanes)), placement_(std::move(placement)) {
  if (configurations_.empty())
    throw Error(Failure::usage, "a replay needs at least one network configuration", {},
                "name a network or a platform");
  require_rates(placement_);
  for (const MachineLane& lane : configurations_) {
    require_sensible(sensible(lane), lane.name);
    names_.push_back(lane.name);
    memory_copy_.push_back(lane.memory_copy_byte_time);
    reduction_.push_back(lane.reduction_byte_time);
    compute_scale_.push_back(lane.compute_scale);
    eager_limits_.push_back(lane.eager_limit.value_or(no_eager_limit));
    for (const LinkCosts* costs : {&lane.between_nodes, &lane.within_node}) {
      for (const MessageCosts& some : costs->sizes)
        if (some.up_to != MessageCosts::any_size) thresholds_.push_back(some.up_to);
      overheads_ = overheads_ || std::ranges::any_of(costs->sizes, has_overheads);
      ports_ =
          ports_ || std::ranges::any_of(costs->sizes, [](const MessageCosts& some) { return some.port.has_value(); });
    }
  }
  if (std::ranges::all_of(eager_limits_, [](Bytes limit) { return limit == no_eager_limit; })) eager_limits_.clear();
  std::ranges::sort(thresholds_);
  thresholds_.erase(std::ranges::unique(thresholds_).begin(), thresholds_.end());
}

std::uint32_t MachineNetwork::node(Rank rank) const {
  if (rank < 0 || static_cast<std::size_t>(rank) >= placement_.node_of_rank.size())
    throw Error(Failure::usage, "the machine has no place for this rank", rank_name(rank),
                "place all ranks of the run on nodes");
  return placement_.node_of_rank[static_cast<std::size_t>(rank)];
}

LinkClass MachineNetwork::link(Rank from, Rank to) {
  return node(from) == node(to) ? within_node : between_nodes;
}

LinkClass MachineNetwork::collective_link(std::span<const Rank> members) {
  for (const Rank member : members)
    if (node(member) != node(members.front())) return between_nodes;
  return within_node;
}

const MessageCosts& MachineNetwork::message_costs(std::size_t lane, LinkClass link, std::size_t segment) const {
  const MachineLane& of = configurations_[lane];
  const LinkCosts& costs = link == within_node ? of.within_node : of.between_nodes;
  // All sizes of a segment cost the same; the last is open.
  return costs.of(segment < thresholds_.size() ? thresholds_[segment] : MessageCosts::any_size);
}

void MachineNetwork::costs(LinkClass link, std::size_t segment, std::span<double> latency,
                           std::span<double> byte_time) const {
  for (std::size_t lane = 0; lane < configurations_.size(); ++lane) {
    const MessageCosts& some = message_costs(lane, link, segment);
    latency[lane] = some.latency;
    byte_time[lane] = some.byte_time;
  }
}

std::uint32_t MachineNetwork::ranks_on_node(Rank rank) const {
  return static_cast<std::uint32_t>(std::ranges::count(placement_.node_of_rank, node(rank)));
}

bool MachineNetwork::scales(LinkClass link) const {
  return link == between_nodes;
}

bool MachineNetwork::transfer_constant(LinkClass link, std::size_t segment, std::span<double> seconds) const {
  bool any = false;
  for (std::size_t lane = 0; lane < configurations_.size(); ++lane) {
    seconds[lane] = message_costs(lane, link, segment).transfer;
    any = any || seconds[lane] != 0;
  }
  return any;
}

void MachineNetwork::overheads(Overhead which, LinkClass link, std::size_t segment, const LaneSeconds& seconds) const {
  for (std::size_t lane = 0; lane < configurations_.size(); ++lane) {
    const MessageCosts& some = message_costs(lane, link, segment);
    const Seconds& of = which == Overhead::send      ? some.send
                        : which == Overhead::receive ? some.receive
                                                     : some.nonblocking_send;
    seconds.fixed[lane] = of.fixed;
    seconds.per_byte[lane] = of.per_byte;
  }
}

void MachineNetwork::port(LinkClass link, std::size_t segment, const LaneSeconds& seconds) const {
  for (std::size_t lane = 0; lane < configurations_.size(); ++lane) {
    const Seconds of = message_costs(lane, link, segment).port.value_or(Seconds{.fixed = -1});
    seconds.fixed[lane] = of.fixed;
    seconds.per_byte[lane] = of.per_byte;
  }
}

void MachineNetwork::handshake(LinkClass link, std::size_t segment, std::span<double> seconds) const {
  for (std::size_t lane = 0; lane < configurations_.size(); ++lane)
    seconds[lane] = configurations_[lane].handshake_latencies * message_costs(lane, link, segment).latency;
}

bool MachineNetwork::handshake_overhead(LinkClass link, std::size_t segment, std::span<double> seconds) const {
  for (std::size_t lane = 0; lane < configurations_.size(); ++lane)
    seconds[lane] = message_costs(lane, link, segment).handshake;
  return std::ranges::any_of(seconds, [](double lane) { return lane != 0; });
}

double MachineNetwork::seconds_per_unit(Rank rank) const {
  const auto& rates = placement_.seconds_per_unit;
  if (rates.size() == 1) return rates.front();
  node(rank);
  return rates[static_cast<std::size_t>(rank)];
}

double MachineNetwork::kernel_factor(trace::KernelId kernel) const {
  return kernel < placement_.kernel_factors.size() ? placement_.kernel_factors[kernel] : 1;
}

} // namespace timeless::replay
