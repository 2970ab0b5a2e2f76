#pragma once

#include "trace/model/times.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace timeless::trace::formats::dumpi {

/// When a rank's actions were entered and left, in ns since it left MPI_Init; no action begins before the one before it
/// has ended.
class CallTimes {
public:
  bool started() const { return started_; }
  /// Begins at this time of the trace's.
  void start(std::uint64_t origin) {
    started_ = true;
    origin_ = origin;
  }

  /// Leaves a call out that is nobody's time: neither computation nor an action.
  void leave_out(std::uint64_t entry, std::uint64_t exit) { left_out_ += since_origin(exit) - since_origin(entry); }
  /// Adds the computation between the call before and one entered at this time. Returns how long it took; nothing when
  /// there was none.
  std::optional<std::uint64_t> compute_until(std::uint64_t entry);

  /// Begins a call, which may become several actions.
  void begin_call() { appended_ = false; }
  /// Adds an action of the call.
  void add_action(std::uint64_t entry, std::uint64_t exit);
  /// Adds an action of a call that has no times.
  void add_action() { appended_ = true; }
  /// Ends a call; what follows comes after this time.
  void end_call(std::uint64_t exit);

  /// Returns the end of the last call.
  std::uint64_t last_exit() const { return last_exit_; }
  const std::vector<ActionTimes>& all() const { return times_; }
  void clear() { times_.clear(); }

private:
  std::uint64_t since_origin(std::uint64_t time) const { return time > origin_ ? time - origin_ : 0; }

  std::vector<ActionTimes> times_;
  bool started_ = false;
  std::uint64_t origin_ = 0;
  std::uint64_t last_exit_ = 0; ///< of the call before
  std::uint64_t left_out_ = 0;  ///< since the call before
  bool appended_ = false;       ///< the call has become an action already
};

} // namespace timeless::trace::formats::dumpi
