#include "replay/engine/clocks/eager_limits.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

std::vector<EagerLimits> eager_limits(const Network& network, const ReplayOptions& options) {
  std::vector<EagerLimits> limits;
  for (const Lane& lane : network.lanes) {
    const Bytes between = options.eager_limit.value_or(lane.eager_limit);
    limits.push_back({between, options.eager_limit.value_or(lane.eager_limit_within_node.value_or(lane.eager_limit))});
  }
  return limits;
}

bool all_equal(const std::vector<EagerLimits>& limits) {
  return std::ranges::adjacent_find(limits, std::ranges::not_equal_to()) == limits.end();
}

bool ordered(std::vector<EagerLimits> limits) {
  std::ranges::sort(limits);
  return std::ranges::is_sorted(limits, {}, &EagerLimits::within_node);
}

Bytes departs_at_once_below(const Network& network, const ReplayOptions& options) {
  return options.eager_limit ? no_eager_limit : network.departs_at_once_below;
}

StrictestLane::StrictestLane(std::vector<EagerLimits> limits)
    : limits_(std::move(limits)), given_up_(limits_.size(), false), left_(limits_.size()) {
  find_lowest();
}

void StrictestLane::find_lowest() {
  bool found = false;
  for (std::size_t lane = 0; lane < limits_.size(); ++lane) {
    if (given_up_[lane] || (found && limits_[lane_] <= limits_[lane])) continue;
    lane_ = lane;
    found = true;
  }
}

std::vector<std::size_t> StrictestLane::give_up() {
  std::vector<std::size_t> lanes;
  for (std::size_t lane = 0; lane < limits_.size(); ++lane)
    if (!given_up_[lane] && limits_[lane] == limits_[lane_]) lanes.push_back(lane);
  for (const std::size_t lane : lanes)
    given_up_[lane] = true;
  left_ -= lanes.size();
  find_lowest();
  return lanes;
}

} // namespace timeless::replay
