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
      : matching(core.communicators, core.local_ranks), core_(core), links_(core.communicators.size()) {}

  // ---- actions; false when the rank must wait

  /// Enters a blocking collective, and takes its result. Returns false when the rank must wait for others.
  bool enter(RankState& rank, std::uint32_t number, const CollectiveCall& call);
  /// Starts a nonblocking collective.
  void start(RankState& rank, std::uint32_t number, const Operation& operation);

  /// Notes that a rank comes to its next collective; returns the collective's number.
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

  /// Hands in the part of this process, all of whose members have come.
  void hand_in(std::uint32_t instance);
  /// Adds a part to a collective that this process brings together; when it was the last, tells all.
  void combine(const InstanceId& id, const Partial& partial);
  /// Concludes a collective, all parts of which have come together.
  void conclude(const InstanceId& id, const Partial& all);
  /// Returns the collectives of this process that wait for the other processes.
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
