#pragma once

#include "replay/options/options.h"
#include "replay/result/result.h"

#include <cstddef>
#include <string>
#include <vector>

// What engines that share a run, or one with itself, agree on at a cut; and how a replay ends that is to begin anew.
namespace timeless::replay {

/// Sets those lanes of a time that are earlier than the other's to the other's.
void take_latest(std::vector<double>& time, const double* other, std::size_t lanes);

/// Thrown where a replay with steady states must begin anew: without cuts, or with all actions played.
struct NoSteadyStates {
  std::string why; ///< there can be no cuts; empty: the run does not end well, which is to be told without jumps

  /// Returns how the replay is to begin anew. Throws Error(invalid_input) where iterations were to be added.
  ReplayOptions without_jumps(const ReplayOptions& options) const;
  /// Returns what is said of it.
  SteadyReport report() const;
};

/// Thrown where some lanes' states come again and the others' do not, or after other numbers of iterations: these
/// groups of lanes are to be replayed apart.
struct LanesApart {
  std::vector<std::vector<std::size_t>> groups;
};

/// How ranks stand once none can go on: those of one process, or of several together.
struct CutStanding {
  bool any = false;           ///< some stand at a cut
  bool all = true;            ///< all do
  bool finished = true;       ///< all have ended
  std::string obstacle;       ///< where all stand: why the loop cannot be jumped over; empty where it can
  std::vector<double> latest; ///< likewise: the time of the rank whose clock is the latest, lane by lane

  /// Adds how the ranks of the next process stand, of so many lanes.
  void add(const CutStanding& next, std::size_t lanes);
};

/// What ranks that stand at a cut say of the states that are kept.
struct CutComparison {
  std::vector<bool> same; ///< by lane: it is the present one
  std::vector<bool> met; ///< by state from which an inner loop was proved to repeat: it is the present one in all lanes
  bool countable = true; ///< all that was counted since is in the sums

  void add(const CutComparison& next);
};

/// Returns why a replay with these options plays every action; empty when it may jump.
std::string why_every_action(const ReplayOptions& options);

} // namespace timeless::replay
