#pragma once

#include "trace/model/ids.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace timeless::replay {

using trace::Bytes;

/// Dense number of a kind of path between nodes; paths of one class cost the same.
using LinkClass = std::uint32_t;

/// Seconds that depend on a message's size: fixed + n * per_byte.
struct Seconds {
  double fixed = 0;
  double per_byte = 0;
  bool operator==(const Seconds&) const = default;
};

/// Returns the segment that a message of this size falls into (see Network::thresholds).
inline std::size_t segment_of(std::span<const Bytes> thresholds, Bytes bytes) {
  return static_cast<std::size_t>(std::ranges::lower_bound(thresholds, bytes) - thresholds.begin());
}

/// What messages cost over links of one class: in each list, `columns` values for the first segment of sizes, then for
/// the next.
struct ClassCosts {
  std::size_t columns = 0; ///< configurations
  /// Whether these latencies and byte times are the ones in question when a replay says what a change of latency or
  /// bandwidth would do: those between nodes.
  bool scales = true;
  std::vector<double> latency = {};   ///< seconds
  std::vector<double> byte_time = {}; ///< seconds per byte
  /// Seconds that every message takes between its latency and its bytes; they count as bandwidth. May be negative where
  /// the sum with n * byte_time is not. Empty: 0.
  std::vector<double> transfer = {};
  /// Seconds that sender and receiver of a rendezvous wait for their agreement before the message leaves, as a rule two
  /// latencies, of a request and its answer. They count as latency. Empty: 0.
  std::vector<double> handshake = {};
  /// Seconds that their processors spend on agreeing beside. They count as no cost of the network. Empty: 0.
  std::vector<double> handshake_overhead = {};
  // Of processors, where Network::overheads_by_lane:
  std::vector<Seconds> send = {}; ///< before the message leaves
  std::vector<Seconds> nonblocking_send = {};
  std::vector<Seconds> receive = {}; ///< after the message has arrived
  /// Where Network::ports: for how long a message keeps the next one from setting off, LogGP's g and G. A column
  /// without ports on these links has a `fixed` below 0.
  std::vector<Seconds> port = {};

  /// Returns where the lists have a segment's value.
  std::size_t index(std::size_t segment, std::size_t column) const { return segment * columns + column; }
};

/// Finds the classes of a machine that has too many pairs of nodes to look at all beforehand.
class Router {
public:
  virtual ~Router() = default;
  /// Returns the class of the path between two nodes, which may be equal. Appends to `classes` what is not there yet;
  /// changes nothing that is.
  virtual LinkClass link(std::uint32_t from, std::uint32_t to, std::deque<ClassCosts>& classes) = 0;
  /// Returns the class whose costs stand for the steps of a collective among ranks on these nodes, at least one;
  /// likewise.
  virtual LinkClass collective_link(std::span<const std::uint32_t> nodes, std::deque<ClassCosts>& classes) = 0;
};

/// The links of a machine: which class those between two nodes have, and what messages cost there.
///
/// Any number of threads may share a table. Classes are appended and never change, so what operator[] returns stays
/// valid as long as the table. A table of two classes takes no lock. One with a router takes a lock and asks the router
/// for every pair of nodes; so each replay keeps what it was told (CostRows), and asks once for a pair that it meets.
class LinkTable {
public:
  // The classes of a table without a router:
  static constexpr LinkClass within_node = 0;
  static constexpr LinkClass between_nodes = 1;

  /// Makes the table of a machine whose links differ within nodes and between nodes only.
  LinkTable(ClassCosts within_a_node, ClassCosts between_two_nodes);
  explicit LinkTable(std::unique_ptr<Router> router) : router_(std::move(router)) {}

  bool routed() const { return router_ != nullptr; }
  LinkClass link(std::uint32_t from, std::uint32_t to) {
    if (router_) return route(from, to);
    return from == to ? within_node : between_nodes;
  }
  /// Returns the class of a collective in a table of two classes: between nodes as soon as two differ. `nodes`: at
  /// least one.
  LinkClass collective_link(std::span<const std::uint32_t> nodes);
  /// Returns the costs of a class that the table has named.
  const ClassCosts& operator[](LinkClass link) const;

private:
  LinkClass route(std::uint32_t from, std::uint32_t to);

  std::unique_ptr<Router> router_; ///< null: two classes
  mutable std::mutex routing_;     ///< of the router and the list of classes, but not of a class
  std::deque<ClassCosts> classes_;
};

} // namespace timeless::replay
