#pragma once

#include "replay/network/network.h"
#include "replay/options/options.h"

#include <cstddef>
#include <limits>
#include <vector>

namespace timeless::replay {

/// Returns every lane's eager limit: the options' if they have one, else the network's. Throws Error(usage) when the
/// network gives another number of limits than of lanes.
std::vector<Bytes> eager_limits(const Network& network, const ReplayOptions& options);

/// From which size on messages set off only when their receive is posted: with an eager limit of the options', that
/// alone counts.
Bytes departs_at_once_below(const Network& network, const ReplayOptions& options);

/// The lanes that are still replayed, and how large a message must be for its sender to wait in the strictest of them.
///
/// What one lane's ranks wait for, those of every lane with a lower limit wait for as well. So the replay waits for
/// what the lowest limit asks; when nothing goes on, exactly the lanes with that limit are in a deadlock, and the
/// others go on with the next limit.
class StrictestLane {
public:
  explicit StrictestLane(std::vector<Bytes> limits);

  /// Returns true when a standard send of this size waits for its receive in some lane.
  bool holds(double bytes) const { return bytes > limit_; }
  /// Gives up the lanes with the lowest limit, and returns them; none are left when none were.
  std::vector<std::size_t> give_up();
  bool any_left() const { return left_ > 0; }
  /// Returns the lowest limit of the lanes that are left; infinity when none has one.
  double limit() const { return limit_; }

private:
  void find_lowest();

  std::vector<Bytes> limits_;
  std::vector<bool> given_up_;
  std::size_t left_;
  double limit_ = std::numeric_limits<double>::infinity();
};

} // namespace timeless::replay
