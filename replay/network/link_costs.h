#pragma once

#include "replay/network/network.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace timeless::replay {

/// What messages of some sizes cost on one kind of link, in one configuration. A message of n bytes takes
/// latency + (transfer + n * byte_time) seconds from when it sets off; what its two ends do beside stands apart.
struct MessageCosts {
  static constexpr Bytes any_size = std::numeric_limits<Bytes>::max();

  Bytes up_to = any_size; ///< the largest message that costs this
  double latency = 0;     ///< seconds
  double transfer = 0;    ///< seconds; may be negative where the sum of both parts is not
  double byte_time = 0;   ///< seconds per byte
  Seconds send = {};      ///< of the sender's processor, before the message sets off
  Seconds nonblocking_send = {};
  Seconds receive = {}; ///< of the receiver's processor, after the message has arrived
  /// For how long the message keeps its sender's port from the next one: LogGP's g + n G. Nothing: ports are wide.
  std::optional<Seconds> port = {};
  /// Seconds of both ends' processors in a rendezvous before the message sets off, beside its handshake's latencies.
  double handshake = 0;
  bool operator==(const MessageCosts&) const = default;
};

/// What the ranks of one node send together, at most, in bytes per second.
struct NodeRate {
  double first = 0;   ///< one rank alone
  double further = 0; ///< what each further rank adds
  double most = 0;    ///< all of them
  bool operator==(const NodeRate&) const = default;
};

/// What messages cost on one kind of link, by size.
struct LinkCosts {
  /// By rising size; the last one holds for any_size.
  std::vector<MessageCosts> sizes{1};
  /// Where the ranks of a node share a rate: `sizes` have then that of one rank alone.
  std::optional<NodeRate> node = {};
  bool operator==(const LinkCosts&) const = default;

  const MessageCosts& of(Bytes bytes) const;
};

/// Returns the costs of Hockney's model: n bytes take latency + n * byte_time.
LinkCosts hockney_costs(double latency, double byte_time);

/// Returns the costs of the max-rate model for one rank of a node: n bytes take latency + n / node.first.
LinkCosts max_rate_costs(double latency, const NodeRate& node);

/// Returns what messages cost where `ranks` of a node send at the same time, by W. Gropp, L. N. Olson and P. Samfass,
/// "Modeling MPI Communication Performance on SMP Nodes: Is it Time to Retire the Ping Pong Test", EuroMPI 2016:
/// n bytes take latency + ranks * n / min(most, first + (ranks - 1) * further). Costs without a node's rate stay as
/// they are.
LinkCosts sent_together(LinkCosts costs, std::uint32_t ranks);

/// A measured time: a message of so many bytes takes so many seconds from one rank to the other.
struct MeasuredTime {
  Bytes bytes = 0;
  double seconds = 0;
};

/// Returns what was measured, at any size: on straight lines between neighbouring sizes; below the smallest, its time;
/// above the largest, on the line through the last two. The shortest time measured counts as latency, the rest of a
/// time as bandwidth. Throws Error(invalid_input) without two sizes, where sizes do not rise, where a time is not above
/// 0, and where the last time is not above the last but one, so that large messages would take less than none.
LinkCosts measured_costs(std::span<const MeasuredTime> times);

/// Returns what one factor does to all latencies and another to all bandwidths. Processors' times, gaps and a
/// handshake's own seconds stay as they are.
LinkCosts scaled(LinkCosts costs, double bandwidth, double latency);

} // namespace timeless::replay
