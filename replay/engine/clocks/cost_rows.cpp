#include "replay/engine/clocks/cost_rows.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

namespace {

constexpr std::size_t modes = 4;

/// Returns all, rising, each once.
std::vector<Bytes> merge(std::span<const Bytes> thresholds, const Protocol& protocol) {
  std::vector<Bytes> all(thresholds.begin(), thresholds.end());
  for (const EagerLimits& limits : protocol.eager_limits)
    for (const Bytes limit : {limits.between_nodes, limits.within_node})
      if (limit != no_eager_limit) all.push_back(limit);
  if (const Bytes below = protocol.departs_at_once_below; below > 0 && below != no_eager_limit)
    all.push_back(below - 1);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

} // namespace

CostRows::CostRows(const Network& network, std::size_t padded_lanes, Protocol protocol, bool ideal, bool all_graded)
    : network_(network), lanes_(padded_lanes), protocol_(std::move(protocol)),
      thresholds_(merge(network.thresholds, protocol_)), compute_scale_(of_lanes(&Lane::compute_scale)),
      memory_copy_(of_lanes(&Lane::memory_copy_byte_time)), reduction_(of_lanes(&Lane::reduction_byte_time)),
      overhead_(list()), all_graded_(all_graded), seconds_(list()) {
  std::fill_n(overhead_, network.lanes.size(), 1.0);
  std::fill_n(seconds_, lanes_, 1.0);
  // The lanes that lists are padded with cost nothing at all.
  if (ideal) compute_scale_[network.lanes.size()] = 1;
}

double* CostRows::list() {
  lists_.emplace_back(static_cast<double*>(::operator new[](lanes_ * sizeof(double), std::align_val_t{64})));
  std::fill_n(lists_.back().get(), lanes_, 0.0);
  return lists_.back().get();
}

double* CostRows::of_lanes(double Lane::*value) {
  double* values = list();
  std::ranges::transform(network_.lanes, values, [&](const Lane& lane) { return lane.*value; });
  return values;
}

/// Returns a segment's values, times the lanes' factors where the links scale.
double* CostRows::of_links(const std::vector<double>& values, const ClassCosts& costs, std::size_t segment,
                           double Lane::*factor) {
  double* copy = list();
  if (values.empty()) return copy;
  const bool scales = costs.scales && factor != nullptr;
  std::ranges::transform(network_.lanes, copy, [&](const Lane& lane) {
    return values[costs.index(segment, lane.column)] * (scales ? lane.*factor : 1);
  });
  return copy;
}

/// Returns a segment's seconds; the factor goes to what grows with the bytes.
SecondsRow CostRows::of_links(const std::vector<Seconds>& values, const ClassCosts& costs, std::size_t segment,
                              double Lane::*factor) {
  double* fixed = list();
  double* per_byte = list();
  const bool scales = costs.scales && factor != nullptr;
  for (std::size_t lane = 0; lane < network_.lanes.size() && !values.empty(); ++lane) {
    const Lane& of = network_.lanes[lane];
    const Seconds& seconds = values[costs.index(segment, of.column)];
    fixed[lane] = seconds.fixed;
    per_byte[lane] = seconds.per_byte * (scales ? of.*factor : 1);
  }
  return {fixed, per_byte};
}

const double* CostRows::unless_zero(const double* values) const {
  return std::any_of(values, values + lanes_, [](double value) { return value != 0; }) ? values : nullptr;
}

const EndsRow* CostRows::ends(const ClassCosts& costs, std::size_t segment) {
  if (!network_.overheads_by_lane && !network_.ports) return nullptr;
  EndsRow row;
  row.send = of_links(costs.send, costs, segment);
  row.nonblocking_send = of_links(costs.nonblocking_send, costs, segment);
  row.receive = of_links(costs.receive, costs, segment);
  if (network_.ports) row.port = of_links(costs.port, costs, segment, &Lane::byte_time);
  return &ends_.emplace_back(row);
}

LinkClass CostRows::link(Rank from, Rank to) {
  const std::uint32_t here = network_.node(from);
  const std::uint32_t there = network_.node(to);
  if (!network_.links->routed()) return network_.links->link(here, there);
  const auto [met, first] = met_.try_emplace(std::uint64_t{here} << 32U | there);
  if (first) met->second = network_.links->link(here, there);
  return met->second;
}

LinkClass CostRows::collective_link(std::span<const Rank> members) const {
  std::vector<std::uint32_t> nodes;
  nodes.reserve(members.size());
  for (const Rank member : members)
    nodes.push_back(network_.node(member));
  return network_.links->collective_link(nodes);
}

std::size_t CostRows::segment(double bytes) const {
  // Sizes beyond any threshold may not fit an integer.
  return bytes < 0x1p63 ? segment_of(thresholds_, static_cast<Bytes>(bytes)) : thresholds_.size();
}

std::size_t CostRows::networks_segment(std::size_t segment) const {
  const auto& thresholds = network_.thresholds;
  return segment < thresholds_.size() ? segment_of(thresholds, thresholds_[segment]) : thresholds.size();
}

std::uint32_t CostRows::row(LinkClass link, double bytes) {
  const std::size_t segment = this->segment(bytes);
  if (link >= by_class_.size()) by_class_.resize(std::size_t{link} + 1);
  auto& segments = by_class_[link];
  if (segments.empty()) segments.resize(thresholds_.size() + 1);
  if (segments[segment] == 0) {
    const ClassCosts& costs = (*network_.links)[link];
    const std::size_t theirs = networks_segment(segment);
    const auto number = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({.latency = of_links(costs.latency, costs, theirs, &Lane::latency),
                     .byte_time = of_links(costs.byte_time, costs, theirs, &Lane::byte_time),
                     .graded = all_graded_ || costs.scales ? 1.0 : 0.0,
                     .constant = costs.transfer.empty()
                                     ? nullptr
                                     : unless_zero(of_links(costs.transfer, costs, theirs, &Lane::byte_time)),
                     .ends = ends(costs, theirs),
                     .envelope = number});
    segments[segment] = number + 1;
  }
  return segments[segment] - 1;
}

/// Returns the network's part of the agreement.
const double* CostRows::handshake(const CostRow& unheld, const ClassCosts& costs, std::size_t segment) {
  if (!protocol_.handshake) return of_links(costs.handshake, costs, segment, &Lane::latency);
  double* seconds = list();
  std::transform(unheld.latency, unheld.latency + network_.lanes.size(), seconds,
                 [&](double latency) { return *protocol_.handshake * latency; });
  return seconds;
}

/// In which lanes messages of a size wait for their receive, and their senders with them: 1 there, else 0.
struct CostRows::Waiting {
  double* message = nullptr; ///< null when none waits anywhere
  double* sender = nullptr;
  bool any_sender = false;
  bool any_without_sender = false;
};

CostRows::Waiting CostRows::waiting(LinkClass link, std::size_t segment, trace::SendMode mode) {
  // Sizes of a segment are all above a limit, or none is.
  const auto above = [&](Bytes limit) { return segment == thresholds_.size() || thresholds_[segment] > limit; };
  const bool synchronous = mode == trace::SendMode::synchronous;
  const Bytes below = protocol_.departs_at_once_below;
  const bool all = synchronous || (below != no_eager_limit && (below == 0 || above(below - 1)));
  const bool within = !network_.links->routed() && link == LinkTable::within_node;
  Waiting waiting{list(), list(), false, false};
  bool any = false;
  for (std::size_t lane = 0; lane < network_.lanes.size(); ++lane) {
    const EagerLimits limits = protocol_.eager_limits.empty() ? EagerLimits{} : protocol_.eager_limits[lane];
    const Bytes limit = within ? limits.within_node : limits.between_nodes;
    const bool rendezvous = mode != trace::SendMode::buffered && limit != no_eager_limit && above(limit);
    waiting.sender[lane] = synchronous || rendezvous ? 1 : 0;
    waiting.message[lane] = all || rendezvous ? 1 : 0;
    waiting.any_sender = waiting.any_sender || waiting.sender[lane] != 0;
    waiting.any_without_sender = waiting.any_without_sender || waiting.message[lane] != waiting.sender[lane];
    any = any || waiting.message[lane] != 0;
  }
  if (!any) waiting.message = nullptr;
  return waiting;
}

std::uint32_t CostRows::rendezvous(Rank from, Rank to, double bytes, trace::SendMode mode) {
  if (mode == trace::SendMode::ready) mode = trace::SendMode::standard;
  const LinkClass link = this->link(from, to);
  const std::uint32_t eager = row(link, bytes);
  const std::size_t segment = this->segment(bytes);
  const std::size_t given = network_.lanes.size();
  if (link >= rendezvous_.size()) rendezvous_.resize(std::size_t{link} + 1);
  auto& segments = rendezvous_[link];
  if (segments.empty()) segments.resize(modes * (thresholds_.size() + 1));
  std::uint32_t& known = segments[modes * segment + static_cast<std::size_t>(mode)];
  if (known != 0) return known - 1;

  const auto [held, sender_held, keeps_sender, sender_goes_on] = waiting(link, segment, mode);
  if (held == nullptr) {
    known = eager + 1;
    return eager;
  }
  const CostRow unheld = rows_[eager];
  const ClassCosts& costs = (*network_.links)[link];
  const std::size_t theirs = networks_segment(segment);
  const double* handshake = this->handshake(unheld, costs, theirs);
  double* agreement = costs.handshake_overhead.empty() ? nullptr : of_links(costs.handshake_overhead, costs, theirs);
  double* latency = list();
  double* sender_latency = list();
  double* sender_byte_time = list();
  double* sender_constant = unheld.constant != nullptr ? list() : nullptr;
  for (std::size_t lane = 0; lane < given; ++lane) {
    if (agreement != nullptr && held[lane] == 0) agreement[lane] = 0;
    latency[lane] = held[lane] != 0 ? unheld.latency[lane] + handshake[lane] : unheld.latency[lane];
    sender_latency[lane] = sender_held[lane] != 0 ? latency[lane] : 0;
    sender_byte_time[lane] = sender_held[lane] != 0 ? unheld.byte_time[lane] : 0;
    if (sender_constant != nullptr) sender_constant[lane] = sender_held[lane] != 0 ? unheld.constant[lane] : 0;
  }
  const auto departure = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back({.latency = sender_latency,
                   .byte_time = sender_byte_time,
                   .graded = unheld.graded,
                   .constant = sender_constant,
                   .ends = unheld.ends,
                   .held = sender_held,
                   .handshake = handshake,
                   .envelope = departure,
                   .sender_goes_on = sender_goes_on});
  rows_.push_back({.latency = latency,
                   .byte_time = unheld.byte_time,
                   .graded = unheld.graded,
                   .constant = unheld.constant,
                   .ends = unheld.ends,
                   .held = held,
                   .agreement = agreement,
                   .envelope = eager,
                   .departure = departure,
                   .keeps_sender = keeps_sender,
                   .mode = mode});
  known = departure + 2;
  return departure + 1;
}

} // namespace timeless::replay
