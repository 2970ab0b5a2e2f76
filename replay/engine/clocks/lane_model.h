#pragma once

#include "replay/engine/clocks/clock.h"
#include "replay/engine/clocks/cost_rows.h"
#include "replay/engine/clocks/lane_kernels.h"
#include "replay/engine/clocks/lane_steps.h"
#include "replay/engine/clocks/snapshot.h"
#include "replay/options/options.h"

#include <cstddef>
#include <vector>

namespace timeless::replay {

/// What every clock of a replay is advanced with: the lanes' arithmetic, what things cost in each of them, and memory
/// for their numbers. Tells from these what a clock shows now.
class LaneModel {
public:
  LaneModel(const Network& network, const ReplayOptions& options);
  LaneModel(const LaneModel&) = delete;
  LaneModel& operator=(const LaneModel&) = delete;

  std::size_t lanes() const { return rows.lanes(); }
  /// Returns the number of values that a snapshot holds.
  std::size_t values() const { return lanes() * kernels.planes; }
  /// Lists of lanes that a clock counts in: wait, latency, bandwidth, files, and overheads where these differ by lane.
  std::size_t counters_per_rank() const { return ends ? 5 : 4; }

  /// Returns the rank's time now; the rank goes on without changing what this returns.
  Moment now(const Clock& clock) {
    if (clock.pending) [[unlikely]]
      return {materialised(clock)};
    return uniform_now(clock);
  }
  /// Returns the same where no overheads differ by lane.
  static Moment uniform_now(const Clock& clock) {
    return {clock.base, clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead};
  }
  /// Returns the rank's time now, in numbers of its own.
  Snapshot materialised(const Clock& clock);
  /// Returns the clock's time with what is pending, valid until anything is asked of the model again.
  LaneTime time(const Clock& clock);
  /// Counts what is pending as part of the clock's time, into which it has been brought.
  void clear_pending(Clock& clock) const;
  /// Returns the clock's numbers if it alone has them, else some to write to.
  Snapshot writable(const Clock& clock) { return clock.base.shared() ? pool.take() : clock.base; }

  /// Sets numbers of a snapshot to a time before all others.
  void set_long_ago(double* numbers) const;

  /// Returns where a clock counts waiting, latency and bandwidth.
  LaneCounters counters(const Clock& clock) const { return counters(clock, lanes()); }
  LaneCounters counters(const Clock& clock, std::size_t lanes) const;

  /// Returns what something on its way costs, valid until the next is asked for.
  LaneTransfer cost(const Incoming& incoming) {
    end_terms(0);
    return transfer(incoming);
  }
  /// Returns what something that comes in costs, valid until the terms since then are ended.
  LaneTransfer transfer(const Incoming& incoming);
  /// Returns the transfer of a message without constants.
  LaneTransfer usual_transfer(const CostRow& row, double messages, double bytes) const {
    if (latency_first) return {messages, row.latency, bytes, row.byte_time, row.graded};
    return {bytes, row.byte_time, messages, row.latency, row.graded};
  }
  /// Returns a list with one value per lane, valid until the terms are ended.
  double* term();
  std::size_t terms() const { return terms_used_; }
  /// Ends the lists beyond the first `count`.
  void end_terms(std::size_t count) { terms_used_ = count; }

  const LaneKernels& kernels;
  SnapshotPool pool;
  CostRows rows;
  const LaneRates rates;
  const bool alone;         ///< a single lane of times alone: not worth a kernel's call
  const bool latency_first; ///< Overlap::latency_first
  const bool ends;          ///< messages' ends differ by lane: CostRow::ends

private:
  LaneTime time_by_lane(const Clock& clock);
  void materialise(const Clock& clock, double* out);
  const double* byte_seconds(const CostRow& row, const Incoming& incoming);

  Snapshot own_;                ///< scratch of time()
  std::vector<Snapshot> terms_; ///< scratch
  std::size_t terms_used_ = 0;
};

inline LaneTime LaneModel::time(const Clock& clock) {
  if (clock.pending) [[unlikely]]
    return time_by_lane(clock);
  return {clock.base.values(), clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead};
}

inline LaneTransfer LaneModel::transfer(const Incoming& incoming) {
  const CostRow& row = rows[incoming.row];
  if (row.constant == nullptr || incoming.constants == 0) [[likely]]
    return usual_transfer(row, incoming.messages, incoming.bytes);
  const double* const bytes = byte_seconds(row, incoming);
  if (latency_first) return {incoming.messages, row.latency, 1, bytes, row.graded};
  return {1, bytes, incoming.messages, row.latency, row.graded};
}

TIMELESS_INLINE inline LaneCounters LaneModel::counters(const Clock& clock, std::size_t lanes) const {
  double* const wait = clock.counters;
  double* const latency = wait + lanes;
  double* const bandwidth = latency + lanes;
  return latency_first ? LaneCounters{wait, latency, bandwidth} : LaneCounters{wait, bandwidth, latency};
}

inline void LaneModel::clear_pending(Clock& clock) const {
  clock.volume_folded += clock.volume;
  clock.copied_folded += clock.copied;
  clock.overhead_folded += clock.overhead;
  clock.volume = clock.copied = clock.overhead = 0;
  if (ends) [[unlikely]]
    clock.pending.reset();
}

} // namespace timeless::replay
