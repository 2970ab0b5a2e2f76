#pragma once

#include "replay/engine/clocks/eager_limits.h"
#include "replay/network/network.h"
#include "trace/model/action.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace timeless::replay {

/// Seconds that depend on a message's size, per lane: fixed + n * per_byte.
struct SecondsRow {
  const double* fixed = nullptr;
  const double* per_byte = nullptr;
};

/// What happens at a message's two ends, where that differs by lane or link.
struct EndsRow {
  SecondsRow send;
  SecondsRow nonblocking_send;
  SecondsRow receive;
  SecondsRow port; ///< a lane without ports has a `fixed` below 0; null when none has them
};

/// Latency and byte time of one link class and message size, per lane.
struct CostRow {
  const double* latency = nullptr;
  const double* byte_time = nullptr;
  double graded = 1;                ///< 1 where the class scales, else 0
  const double* constant = nullptr; ///< ClassCosts::transfer; null when none
  const EndsRow* ends = nullptr;    ///< null when overheads are the same in all lanes and there are no ports
  // Of messages that wait for their receive in some lanes (in these, the handshake is part of the latency):
  const double* held = nullptr;      ///< 1 in these lanes, else 0; null when there are none. Of a departure: where the
                                     ///< sender waits, too
  const double* agreement = nullptr; ///< ClassCosts::handshake_overhead in these lanes, else 0; null when none
  const double* handshake = nullptr; ///< of a departure: ClassCosts::handshake in these lanes
  std::uint32_t envelope = 0;        ///< the row of what a probe sees: without the handshake
  std::uint32_t departure = 0;       ///< the row of the sender: the same where it waits, else nothing
  bool keeps_sender = false;         ///< it waits in some lane
  bool sender_goes_on = false;       ///< of a departure: in some lane the message waits, and its sender does not
  trace::SendMode mode = trace::SendMode::standard;
};

/// In which lanes messages wait for their receives, and what the agreement costs there.
struct Protocol {
  std::vector<EagerLimits> eager_limits;        ///< of senders, one per lane; empty: none waits
  Bytes departs_at_once_below = no_eager_limit; ///< see Network
  std::optional<double> handshake;              ///< latencies; without it, what the network says
};

/// What one replay has taken from its network's tables: every list of per-lane values that the engine met, padded to
/// whole lane groups, with the lanes' factors.
///
/// Rows are made when operations are derived from actions, the first time that a pair of ranks, a size or a
/// communicator is met. Only here the engine asks LinkTable, which threads may share and which may take a lock; what
/// carries operations out reads rows.
class CostRows {
public:
  /// Compiles the rows of a network as they are asked for. With `ideal`, the first lane beyond those of the network
  /// computes like a lane of scale 1, and all else is free. With `all_graded`, links count in paths whose classes do
  /// not scale, too.
  CostRows(const Network& network, std::size_t padded_lanes, Protocol protocol = {}, bool ideal = false,
           bool all_graded = false);

  std::size_t lanes() const { return lanes_; }
  const double* compute_scale() const { return compute_scale_; }
  const double* memory_copy() const { return memory_copy_; }
  const double* reduction() const { return reduction_; }
  const double* overhead() const { return overhead_; } ///< see LaneRates
  /// Returns a list of 1, a value for each lane: the cost of what takes the same seconds in all lanes.
  const double* seconds() const { return seconds_; }

  /// Returns the row for eager messages of this size between two ranks, as a number that stays valid.
  std::uint32_t message(Rank from, Rank to, double bytes) { return row(link(from, to), bytes); }
  /// Returns the same for messages that may wait for their receive: synchronous ones everywhere, buffered ones never
  /// with their senders.
  std::uint32_t rendezvous(Rank from, Rank to, double bytes, trace::SendMode mode);
  /// Returns the class whose costs stand for the steps of a collective among these world ranks.
  LinkClass collective_link(std::span<const Rank> members) const;
  /// Returns the row for messages of this size over a link.
  std::uint32_t row(LinkClass link, double bytes);
  /// Adds a row of values that are not the network's, and that count in no path. `latency` and `byte_time` must outlive
  /// this.
  std::uint32_t own_row(const double* latency, const double* byte_time) {
    rows_.push_back({latency, byte_time, 0.0});
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }
  const CostRow& operator[](std::uint32_t number) const { return rows_[number]; }

private:
  struct Release {
    void operator()(double* values) const { ::operator delete[](values, std::align_val_t{64}); }
  };

  struct Waiting;

  Waiting waiting(LinkClass link, std::size_t segment, trace::SendMode mode);
  std::size_t segment(double bytes) const;
  std::size_t networks_segment(std::size_t segment) const;
  LinkClass link(Rank from, Rank to);
  double* list();
  double* of_lanes(double Lane::*value);
  double* of_links(const std::vector<double>& values, const ClassCosts& costs, std::size_t segment,
                   double Lane::*factor = nullptr);
  SecondsRow of_links(const std::vector<Seconds>& values, const ClassCosts& costs, std::size_t segment,
                      double Lane::*factor = nullptr);
  const double* unless_zero(const double* values) const;
  const EndsRow* ends(const ClassCosts& costs, std::size_t segment);
  const double* handshake(const CostRow& unheld, const ClassCosts& costs, std::size_t segment);

  const Network& network_;
  std::size_t lanes_;
  Protocol protocol_;
  std::vector<Bytes> thresholds_; ///< the network's and the eager limits: within a segment a lane has one protocol
  std::vector<std::unique_ptr<double[], Release>> lists_;
  double* compute_scale_;
  const double* memory_copy_;
  const double* reduction_;
  double* overhead_;
  bool all_graded_;
  double* seconds_;
  std::unordered_map<std::uint64_t, LinkClass> met_; ///< by pair of nodes, where the table has a router
  std::vector<CostRow> rows_;
  std::deque<EndsRow> ends_;
  std::vector<std::vector<std::uint32_t>> by_class_;   ///< row number + 1 by class and segment; 0: not asked yet
  std::vector<std::vector<std::uint32_t>> rendezvous_; ///< likewise, by class, segment and mode
};

} // namespace timeless::replay
