#pragma once

#include "replay/engine/collectives/collectives.h"
#include "replay/engine/collectives/scheduled_collectives.h"
#include "replay/engine/core/core.h"
#include "replay/engine/ending.h"
#include "replay/engine/rendezvous/rendezvous.h"
#include "replay/engine/threads/thread_teams.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace timeless::replay {

/// What came of a replay, or of one process's part of it: where ranks stand, how they ended, and what the replay says
/// of them. All that it is given must outlive it.
class Outcome {
public:
  Outcome(Core& core, const Rendezvous& rendezvous, const Collectives& collectives,
          const ScheduledCollectives& scheduled, ThreadTeams& teams)
      : core_(core), rendezvous_(rendezvous), collectives_(collectives), scheduled_(scheduled), teams_(teams) {}

  /// Returns where the ranks that wait stand.
  std::vector<RankStatus> status() const;
  /// Returns how the process's ranks have ended. Call it when no process can go on.
  Ending ending() const;
  /// Returns the diagnosis when no lane is left.
  const std::shared_ptr<const Diagnosis>& last_deadlock() const { return rendezvous_.last_deadlock(); }
  /// Returns what the replay says of these ranks; its notes only go with those of all others.
  Result result();
  Findings findings() const;

  // With ReplayOptions::critical_path, once all has ended.

  /// The rank of this process that ends last, the lowest of them.
  struct LastRank {
    trace::Rank rank = trace::no_rank;
    double end = -1;
  };
  LastRank last_rank();
  /// Returns the path to the end of a rank of this process.
  PathPiece end_of_path(trace::Rank rank);
  /// Returns the path to a node in this process.
  PathPiece path_to(std::uint32_t place) const { return core_.explanation.paths->path_to(place); }

private:
  RankStatus status(std::uint32_t number) const;
  std::vector<RankStatus> deserted() const;
  Attribution attribution(std::size_t lanes);
  LaneResult lane_result(std::size_t lane, double ideal_makespan);
  void tell_threads(std::size_t lane, LaneResult& result) const;

  Core& core_;
  const Rendezvous& rendezvous_;
  const Collectives& collectives_;
  const ScheduledCollectives& scheduled_;
  ThreadTeams& teams_;
};

} // namespace timeless::replay
