#pragma once

#include "replay/network/network.h"
#include "trace/model/action.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <optional>
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
  double graded = 1;                ///< 1 where Network::scales the class, else 0
  const double* constant = nullptr; ///< Network::transfer_constant; null when none
  const EndsRow* ends = nullptr;    ///< null when overheads are the same in all lanes and there are no ports
  // Of messages that wait for their receive in some lanes (in these, the handshake is part of the latency):
  const double* held = nullptr;      ///< 1 in these lanes, else 0; null when there are none. Of a departure: where the
                                     ///< sender waits, too
  const double* agreement = nullptr; ///< Network::handshake_overhead in these lanes, else 0; null when none
  const double* handshake = nullptr; ///< of a departure: Network::handshake in these lanes
  std::uint32_t envelope = 0;        ///< the row of what a probe sees: without the handshake
  std::uint32_t departure = 0;       ///< the row of the sender: the same where it waits, else nothing
  bool keeps_sender = false;         ///< it waits in some lane
  bool sender_goes_on = false;       ///< of a departure: in some lane the message waits, and its sender does not
  trace::SendMode mode = trace::SendMode::standard;
};

/// In which lanes messages wait for their receives, and what the agreement costs there.
struct Protocol {
  std::vector<Bytes> eager_limits;              ///< of senders, one per lane; empty: none waits
  Bytes departs_at_once_below = no_eager_limit; ///< see Network
  std::optional<double> handshake;              ///< latencies; without it, what the network says
};

/// Every list of per-lane values the engine got from the network, padded to whole lane groups.
class CostRows {
public:
  /// With `ideal`, the first lane beyond those of the network computes like a lane of scale 1, and all else is free.
  /// With `all_graded`, links count in paths that Network::scales does not name, too.
  CostRows(Network& network, std::size_t padded_lanes, Protocol protocol = {}, bool ideal = false,
           bool all_graded = false);

  std::size_t lanes() const { return lanes_; }
  const double* compute_scale() const { return compute_scale_; }
  const double* memory_copy() const { return memory_copy_; }
  const double* reduction() const { return reduction_; }
  const double* overhead() const { return overhead_; } ///< see LaneRates
  /// 1 in every lane: what costs seconds, the same in all lanes, costs these many times that.
  const double* seconds() const { return seconds_; }

  /// The row for eager messages of this size between two ranks, as a number that stays valid.
  std::uint32_t message(Rank from, Rank to, double bytes) { return row(network_.link(from, to), bytes); }
  /// The same for messages that may wait for their receive: synchronous ones everywhere, buffered ones never with their
  /// senders.
  std::uint32_t rendezvous(Rank from, Rank to, double bytes, trace::SendMode mode);
  /// The row for messages of this size over a link.
  std::uint32_t row(LinkClass link, double bytes);
  /// A row of values that are not the network's, and count in no path: `latency` and `byte_time` must outlive this.
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

  Waiting waiting(std::size_t segment, trace::SendMode mode);
  std::size_t segment(double bytes) const;
  std::size_t networks_segment(std::size_t segment) const;
  double* list();
  double* padded(std::span<const double> values, const char* what);
  template <typename Ask>
  SecondsRow seconds(Ask ask);
  const double* constant(LinkClass link, std::size_t segment);
  const EndsRow* ends(LinkClass link, std::size_t segment);
  const double* agreement(LinkClass link, std::size_t segment, const double* held);

  Network& network_;
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
  std::vector<CostRow> rows_;
  std::deque<EndsRow> ends_;
  std::vector<std::vector<std::uint32_t>> by_class_;   ///< row number + 1 by class and segment; 0: not asked yet
  std::vector<std::vector<std::uint32_t>> rendezvous_; ///< likewise, by class, segment and mode
};

} // namespace timeless::replay
