#pragma once

#include "analysis/calibration/network/curve.h"
#include "analysis/calibration/network/eager_limits.h"
#include "analysis/calibration/network/samples.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace timeless::analysis {

/// What was measured between two ranks.
struct LinkCurves {
  LinkKind kind = LinkKind::within_node;
  std::vector<SizePoint> half_round_trips; ///< measured
  Curve half_round_trip;
  Curve send;     ///< MPI_Send of messages that do not wait
  Curve isend;    ///< MPI_Isend
  Curve receive;  ///< MPI_Recv of messages that have arrived
  Curve interval; ///< between the messages of a train
  Line hockney;   ///< one line through all of half_round_trip
  double hockney_rms = 0;
  FitInterval hockney_intercept = {};
  FitInterval hockney_slope = {};
  std::optional<EagerLimit> send_limit;
  std::optional<EagerLimit> isend_limit;
  /// Of large messages, what a sender still waits for after it has computed: see left_after_overlap().
  std::optional<MeasuredShare> left_after_overlap;
  std::size_t samples = 0;
  std::size_t warm_up = 0; ///< samples left out
  bool drifts = false;
  bool flat_end =
      false; ///< the largest messages took as long whatever their size: the line of the largest is from the origin

  /// Returns the largest message known to be eager; any, where nothing is known.
  std::uint64_t eager() const { return send_limit ? send_limit->at_least : ~std::uint64_t{0}; }
};

/// Fits the curves of one kind of link; nothing without round trips.
std::optional<LinkCurves> link_curves(const std::map<SeriesKey, Series>& series, LinkKind kind);

/// LogGP's parameters for messages of some sizes. Half a round trip is send + latency + bytes byte_time + receive, and
/// three latencies and `handshake` in latency's place where the message waits for its receive.
struct LogGpSegment {
  std::uint64_t up_to = 0; ///< the largest size
  bool eager = true;
  Line send; ///< o_s
  Line isend;
  Line receive;         ///< o_r
  double latency = 0;   ///< L, without overheads
  double byte_time = 0; ///< G
  /// g, where the link holds trains up, and not the processors at its ends.
  std::optional<double> gap = {};
  double handshake = 0;
  /// A message that does not wait, but sets off only when its receive is posted (SMPI's detached sends).
  bool pulled = false;
  /// The ends' parts, as measured alone, were longer than the round trip that holds them: they overlap, and were cut.
  bool overheads_cut = false;

  /// Returns half a round trip, in seconds.
  double operator()(double bytes) const;
};

/// Where the parameters of a segment lie: each number of the two is the least, or the largest, that the measurements
/// give by their parts.
struct SegmentInterval {
  LogGpSegment low;
  LogGpSegment high;
  Over over = Over::launches; ///< repetitions, where one of the curves has no more
  std::size_t parts = 0;      ///< of the measurements; of fewer than two nobody knows any interval
};

/// Two latencies are the agreement of a rendezvous: its request and its answer.
inline constexpr double handshake_latencies = 2;

/// Divides half round trips into overheads, latency and bytes, where each of the curves has a segment of its own.
/// `eager_limit`: messages above it are described as such that wait. Overheads that together are longer than what holds
/// them are cut, the receiver's first, so that no time is counted twice: the sum is half_round_trip's line.
std::vector<LogGpSegment> loggp_segments(const LinkCurves& curves, std::uint64_t eager_limit);

/// Returns the interval of each segment: loggp_segments() of the lines that each part of the measurements gives.
std::vector<SegmentInterval> loggp_intervals(const LinkCurves& curves, std::uint64_t eager_limit);

} // namespace timeless::analysis
