#pragma once

#include "trace/check/findings.h"

#include <map>
#include <set>
#include <tuple>

namespace timeless::trace::checking {

/// Compares the groups of one-sided communication: as often as a rank starts epochs of access to another
/// (MPI_Win_start), that one opens epochs of exposure to it (MPI_Win_post). Ranks are of MPI_COMM_WORLD.
class Exposures {
public:
  explicit Exposures(Findings& findings) : findings_(findings) {}

  void started(CommunicatorId window, Rank origin, Rank target) { add({window, origin, target}, 1); }
  void posted(CommunicatorId window, Rank target, Rank origin) { add({window, origin, target}, -1); }
  /// Notes a rank that does no more, though it should.
  void leave(Rank rank) { left_.insert(rank); }
  /// Reports epochs without their other side.
  void finish();

private:
  using Pair = std::tuple<CommunicatorId, Rank, Rank>; ///< window, origin, target

  void add(const Pair& pair, int starts);

  Findings& findings_;
  std::map<Pair, std::int64_t> more_starts_; ///< than posts; none where they are equal
  std::set<Rank> left_;
};

} // namespace timeless::trace::checking
