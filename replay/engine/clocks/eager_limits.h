#pragma once

#include "replay/network/network.h"
#include "replay/options/options.h"

#include <compare>
#include <cstddef>
#include <vector>

namespace timeless::replay {

/// The eager limits of a lane, by whether both ranks are on one node.
struct EagerLimits {
  Bytes between_nodes = no_eager_limit;
  Bytes within_node = no_eager_limit;
  auto operator<=>(const EagerLimits&) const = default;

  bool any() const { return between_nodes != no_eager_limit || within_node != no_eager_limit; }
};

/// Returns every lane's eager limits: the options' if they have one, else the network's.
std::vector<EagerLimits> eager_limits(const Network& network, const ReplayOptions& options);

/// Returns true where senders wait in all lanes or in none.
bool all_equal(const std::vector<EagerLimits>& limits);

/// Returns true where of any two lanes one has no limit below the other's, so that they can share a replay (see
/// StrictestLane).
bool ordered(std::vector<EagerLimits> limits);

/// Returns the size from which on messages set off only when their receive is posted: the network's, or none with an
/// eager limit of the options', which then counts alone.
Bytes departs_at_once_below(const Network& network, const ReplayOptions& options);

/// The lanes that are still replayed, and which of them is the strictest.
///
/// What one lane's ranks wait for, those of every lane with a lower limit wait for as well. So the replay waits for
/// what the lowest limit asks; when nothing goes on, exactly the lanes with that limit are in a deadlock, and the
/// others go on with the next limit. Limits must be ordered().
class StrictestLane {
public:
  explicit StrictestLane(std::vector<EagerLimits> limits);

  /// Returns true when a sender waits for its receive in some lane that is left. `held`: by lane, 1 where it waits,
  /// else 0.
  bool holds(const double* held) const { return any_left() && held[lane_] != 0; }
  /// Gives up the lanes with the lowest limit, and returns them; none are left when none were.
  std::vector<std::size_t> give_up();
  bool any_left() const { return left_ > 0; }
  /// Returns the lowest limits of the lanes that are left.
  const EagerLimits& limits() const { return limits_[lane_]; }

private:
  void find_lowest();

  std::vector<EagerLimits> limits_;
  std::vector<bool> given_up_;
  std::size_t left_;
  std::size_t lane_ = 0; ///< one that is left, with the lowest limits
};

} // namespace timeless::replay
