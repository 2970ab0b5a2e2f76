#pragma once

#include "replay/engine/clocks/clock.h"
#include "replay/engine/clocks/lane_model.h"
#include "replay/options/options.h"

#include <cstddef>
#include <cstdint>

namespace timeless::replay {

/// What messages and transfers cost who sends them, and when they set off: at once, or when the rank's port is free.
class SendCosts {
public:
  SendCosts(LaneModel& model, const ReplayOptions& options)
      : model_(model), copies_nonblocking_(options.nonblocking_copy), special_(model.ends || !copies_nonblocking_) {}

  /// Charges the overhead and the copy of a message that the rank sends now. `overhead` is the part that is the same in
  /// all lanes.
  void pay_for_send(Clock& clock, std::uint32_t row, Overhead which, double bytes, double overhead) {
    clock.overhead += overhead;
    clock.copied += bytes;
    if (special_) [[unlikely]]
      pay_specially(clock, row, which, bytes);
  }
  /// Charges the overhead of a one-sided transfer: that of a nonblocking send, without a copy.
  void pay_for_transfer(Clock& clock, std::uint32_t row, double bytes, double overhead) {
    clock.overhead += overhead;
    if (model_.ends) [[unlikely]]
      spend(clock, model_.rows[row].ends->nonblocking_send, bytes);
  }
  /// Returns when that message sets off: at once, or when the rank's port is free.
  Moment set_off(Clock& clock, std::uint32_t row, double bytes) {
    if (model_.ends) [[unlikely]]
      return model_.rows[row].ends->port.fixed != nullptr ? pass_port(clock, model_.rows[row], bytes)
                                                          : model_.now(clock);
    return LaneModel::uniform_now(clock);
  }
  /// Keeps the port busy for a message of this row that had to wait for its receive, has left at `start`, and is now
  /// done for its sender.
  void hold_port(Clock& clock, const Snapshot& start, std::uint32_t row, double bytes) {
    if (model_.ends && model_.rows[row].ends->port.fixed != nullptr) [[unlikely]]
      keep_port(clock, start, model_.rows[row], bytes);
  }
  /// Returns true when every send costs its overhead and a copy, the same in all lanes.
  bool uniform() const { return !special_; }

private:
  void pay_specially(Clock& clock, std::uint32_t row, Overhead which, double bytes);
  void spend(Clock& clock, const SecondsRow& seconds, double bytes);
  Moment pass_port(Clock& clock, const CostRow& row, double bytes);
  void keep_port(Clock& clock, const Snapshot& start, const CostRow& row, double bytes);
  double* own_port(Snapshot& port);
  void occupy(double* port, std::size_t lane, const double* start, const CostRow& row, double bytes) const;

  LaneModel& model_;
  const bool copies_nonblocking_; ///< ReplayOptions::nonblocking_copy
  const bool special_;            ///< messages' ends differ by lane, or not all sends copy
};

} // namespace timeless::replay
