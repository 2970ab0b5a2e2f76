#pragma once

#include "replay/engine/core/core.h"
#include "replay/engine/matching/collective_matching.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace timeless::replay {

/// Replays collectives that all members meet in: once all have come, from the latest of their times on, each pays what
/// the collective costs. The members of other processes come in parts, which one of the processes brings together.
class Collectives {
public:
  explicit Collectives(Core& core)
      : matching(core.communicators, core.share), core_(core), links_(core.communicators.size()) {}

  // ---- actions; false when the rank must wait

  /// A rank comes to a blocking collective, and takes its result.
  bool meet(RankState& rank, std::uint32_t number, const CollectiveCall& call);
  /// A nonblocking one.
  void start(RankState& rank, std::uint32_t number, const Operation& operation);

  /// A rank comes to its next collective; returns the collective's number.
  std::uint32_t arrive(const RankState& rank, std::uint32_t number, const CollectiveCall& call);
  /// Returns true when all have come; otherwise the rank waits for that.
  bool is_complete(RankState& rank, std::uint32_t instance) const {
    return matching[instance].complete || Core::wait(rank, Waiting::for_instance, instance);
  }
  /// Returns what taking a complete collective's result asks of a clock.
  Incoming incoming(std::uint32_t instance) const;
  /// Takes it.
  void take(std::uint32_t number, std::uint32_t instance);
  /// Returns the link whose costs stand for those among a communicator's members.
  LinkClass link(trace::CommunicatorId communicator);

  // ---- with several processes

  /// All members of this process have come: they are one part of the collective.
  void hand_in(std::uint32_t instance);
  /// A part of a collective that this process brings together: tells all when it was the last.
  void combine(const InstanceId& id, const Partial& partial);
  /// All parts of a collective have come together.
  void conclude(const InstanceId& id, const Partial& all);
  /// Collectives of this process that wait for the other processes.
  const std::map<InstanceId, std::uint32_t>& handed_in() const { return handed_in_; }
  /// A collective that this process brings together.
  struct Gathering {
    Partial all;
    std::size_t parts = 0;
  };
  const std::map<InstanceId, Gathering>& gatherings() const { return gatherings_; }

  CollectiveMatching matching; ///< also of scheduled ones

private:
  void close(std::uint32_t instance);

  Core& core_;
  std::vector<std::optional<LinkClass>> links_; ///< by communicator
  std::map<InstanceId, Gathering> gatherings_;
  std::map<InstanceId, std::uint32_t> handed_in_;
};

} // namespace timeless::replay
