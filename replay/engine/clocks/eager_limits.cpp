#include "replay/engine/clocks/eager_limits.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

std::vector<Bytes> eager_limits(const Network& network, const ReplayOptions& options) {
  std::vector<Bytes> limits;
  for (const Lane& lane : network.lanes)
    limits.push_back(options.eager_limit.value_or(lane.eager_limit));
  return limits;
}

Bytes departs_at_once_below(const Network& network, const ReplayOptions& options) {
  return options.eager_limit ? no_eager_limit : network.departs_at_once_below;
}

StrictestLane::StrictestLane(std::vector<Bytes> limits)
    : limits_(std::move(limits)), given_up_(limits_.size(), false), left_(limits_.size()) {
  find_lowest();
}

void StrictestLane::find_lowest() {
  limit_ = std::numeric_limits<double>::infinity();
  for (std::size_t lane = 0; lane < limits_.size(); ++lane)
    if (!given_up_[lane] && limits_[lane] != no_eager_limit)
      limit_ = std::min(limit_, static_cast<double>(limits_[lane]));
}

std::vector<std::size_t> StrictestLane::give_up() {
  std::vector<std::size_t> lanes;
  for (std::size_t lane = 0; lane < limits_.size(); ++lane) {
    const bool limited = limits_[lane] != no_eager_limit;
    const double limit = limited ? static_cast<double>(limits_[lane]) : std::numeric_limits<double>::infinity();
    if (!given_up_[lane] && limit == limit_) lanes.push_back(lane);
  }
  for (const std::size_t lane : lanes)
    given_up_[lane] = true;
  left_ -= lanes.size();
  find_lowest();
  return lanes;
}

} // namespace timeless::replay
