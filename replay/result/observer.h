#pragma once

#include "trace/model/action.h"
#include "trace/model/run.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace timeless::replay {

/// What one rank did from `start` to `end`, in one lane, in seconds. An action starts when the one before it has ended,
/// the first one when the rank's clock begins: of each thread by itself, where a rank has several. What the time went
/// into beside the processor's own work is divided as in RankTimes.
struct ObservedAction {
  trace::Rank rank = 0;      ///< world rank
  trace::Rank thread = 0;    ///< of the rank's threads, as the trace numbers them
  std::uint64_t ordinal = 0; ///< within the rank, from 0
  const trace::Action& action;
  std::uint64_t volume = 0; ///< of a computation
  double start = 0;
  double end = 0;
  double wait = 0;
  double latency = 0;
  double bandwidth = 0;
  double files = 0;
  trace::Rank destination = trace::no_rank; ///< of its message: world ranks
  trace::Rank source = trace::no_rank;
  std::uint64_t sent = 0;                       ///< the message that left, or 0: the same number where it is received
  std::span<const std::uint64_t> received = {}; ///< the messages that were taken
};

/// Seconds of a replay.
struct TimeWindow {
  double from = 0;
  double to = std::numeric_limits<double>::infinity();
};

/// Told what every rank does in one lane. Changes no bit of a replay's result.
class Observer {
public:
  virtual ~Observer() = default;
  /// Returns which seconds it wants to see: what lies wholly before or after may be kept from it.
  virtual TimeWindow window() const { return {}; }
  /// Returns which of these lanes it wants to see. Throws Error(usage) when there is none of that name.
  virtual std::size_t lane(std::span<const std::string> lanes) = 0;
  /// Begins an observation: the replay begins, or begins anew, and then all that was observed is void.
  virtual void begin(const trace::Run& run) = 0;
  /// Notes that a rank's clock begins at this time, which is not 0; called before the rank's actions.
  virtual void start(trace::Rank /*rank*/, double /*seconds*/) {}
  /// Notes that actions before or after its window are kept from it.
  virtual void leave_out() {}
  /// Observes an action. Those of a rank, or of a thread of one that has several, come in their order, those of
  /// different ranks in any.
  virtual void observe(const ObservedAction& action) = 0;
};

} // namespace timeless::replay
