#pragma once

#include "replay/engine/clocks/clocks.h"
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

  /// The same for a message's sender and receiver, in whatever order ranks are run.
  static std::uint64_t message(const ChannelKey& channel, std::uint64_t ticket);

  // Of the rank's present action:
  struct Present {
    std::uint64_t sent_before = 0; ///< messages in its channel
    std::uint64_t sent = 0;        ///< the message that left, where the rank has several threads
    std::vector<std::uint64_t> received;
  };
  Present& present(std::size_t rank) { return ranks_[rank].present; }
  /// An action of one of several threads has begun: others of its rank may now send on the same channel.
  void note_sent(std::size_t rank, const Operation& operation, Channels& channels);
  /// From now on there are so many ranks and threads, the last of which begins at this time.
  void make_room(std::size_t ranks, double start) {
    ranks_.resize(ranks);
    ranks_.back().end = start;
  }
  /// The rank, whose number among those of the engine is `rank`, begins at this time: tells the observer.
  void start(std::size_t rank, trace::Rank world_rank, double seconds);
  /// The rank's action has ended: fills in its times and tells the observer.
  void end(std::size_t rank, Clocks& clocks, const Clock& clock, ObservedAction& action);

private:
  struct OfRank {
    double end = 0;
    std::array<double, 4> counted{}; ///< wait, latency, bandwidth, files
    Present present;
  };

  Observer& observer_;
  std::size_t lane_;
  std::vector<OfRank> ranks_;
};

} // namespace timeless::replay
