#pragma once

#include "replay/engine/clocks/clocks.h"
#include "replay/engine/clocks/exact_sum.h"
#include "replay/engine/matching/channels.h"
#include "replay/engine/program/program.h"
#include "replay/result/observer.h"

#include <array>
#include <cstdint>
#include <vector>

namespace timeless::replay {

/// What an engine keeps for an observer: where each rank's last action ended.
class Observation {
public:
  Observation(Observer& observer, const trace::Run& run, std::span<const std::string> lanes, std::size_t ranks);

  /// Returns the same number at a message's sender and at its receiver, in whatever order ranks are run.
  static std::uint64_t message(const ChannelKey& channel, std::uint64_t ticket);

  // Of the rank's present action:
  struct Present {
    std::uint64_t sent_before = 0; ///< messages in its channel
    std::uint64_t sent = 0;        ///< the message that left, where the rank has several threads
    std::vector<std::uint64_t> received;
  };
  Present& present(std::size_t rank) { return ranks_[rank].present; }
  /// Notes that an action of one of several threads has begun: others of its rank may now send on the same channel.
  void note_sent(std::size_t rank, const Operation& operation, Channels& channels);
  /// Makes room for so many ranks and threads in all, the last of which begins at this time, in seconds.
  void make_room(std::size_t ranks, double start) {
    ranks_.resize(ranks);
    ranks_.back().end = start;
  }
  /// Tells the observer that a rank begins at this time, in seconds. `rank` is its number among those of the engine.
  void start(std::size_t rank, trace::Rank world_rank, double seconds);
  /// Fills in the times of a rank's action that has ended, and tells the observer.
  void end(std::size_t rank, Clocks& clocks, const Clock& clock, ObservedAction& action);

  // Where a replay's clocks and counters count from a cut on (steady/counted_before.h).
  /// Returns the lane that is observed.
  std::size_t lane() const { return lane_; }
  /// Calls count(), which takes something off the rank's counters that was counted before the cut.
  template <typename Count>
  void across(std::size_t rank, const Clocks& clocks, const Clock& clock, Count&& count) {
    add_counters(rank, clocks, clock, -1);
    count();
    add_counters(rank, clocks, clock, 1);
  }
  /// Notes that times count from this one on.
  void count_from(const ExactSeconds& time) { began_ = time; }
  TimeWindow window() const { return observer_.window(); }
  /// Returns the time that a clock shows, from the beginning on.
  double time_of(Clocks& clocks, const Clock& clock) const;
  /// Notes that actions of a rank, up to the time that its clock shows now, are not told.
  void leave_out(std::size_t rank, Clocks& clocks, const Clock& clock);

private:
  struct OfRank {
    double end = 0;
    std::array<double, 4> counted{}; ///< wait, latency, bandwidth, files
    Present present;
  };

  void add_counters(std::size_t rank, const Clocks& clocks, const Clock& clock, double times);

  Observer& observer_;
  std::size_t lane_;
  ExactSeconds began_; ///< from where on the clocks count
  std::vector<OfRank> ranks_;
};

} // namespace timeless::replay
