#include "analysis/sweep/front_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace timeless::analysis {

namespace {

constexpr std::size_t most_speeds = 200;      // beyond that, what is not proved is taken to hold
constexpr double as_rounded = 1 + 1e-9;       // of makespans that are sums of many terms
using Ends = std::pair<TimeAndSlope, double>; // and the factor of computation

/// Where the tangents at both ends meet, which is where a convex function may be least; at an end where they do not.
double kink(const Ends& one, const Ends& other) {
  const auto& [first, c0] = one;
  const auto& [second, c1] = other;
  const double slopes = first.slope - second.slope;
  if (slopes == 0) return c0;
  const double at = (second.makespan - second.slope * c1 - first.makespan + first.slope * c0) / slopes;
  return std::clamp(std::isfinite(at) ? at : c0, std::min(c0, c1), std::max(c0, c1));
}

/// Whether one makespan is proved to be no longer than another from one speed to another: the chord of the one, which
/// is straight, lies below the tangents of the other at both ends and where these meet.
bool no_longer(const TimeAndSlope& one_slow, const TimeAndSlope& one_fast, const TimeAndSlope& other_slow,
               const TimeAndSlope& other_fast, double slow, double fast) {
  const double c0 = 1 / slow;
  const double c1 = 1 / fast;
  const double at = kink({other_slow, c0}, {other_fast, c1});
  const double share = c0 == c1 ? 0 : (at - c0) / (c1 - c0);
  const double chord = one_slow.makespan + share * (one_fast.makespan - one_slow.makespan);
  const double tangent =
      std::max(other_slow.makespan + other_slow.slope * (at - c0), other_fast.makespan + other_fast.slope * (at - c1));
  return one_slow.makespan <= other_slow.makespan * as_rounded &&
         one_fast.makespan <= other_fast.makespan * as_rounded && chord <= tangent * as_rounded;
}

} // namespace

TimeAndSlope time_and_slope(const SweptConfiguration& one, double speed) {
  return {one.makespan, one.sensitivity.compute * speed};
}

void FrontSearch::take(double speed, const TimeAndSlope& before, std::vector<TimeAndSlope> upgrades) {
  std::vector<PricedTime> offers;
  for (std::size_t i = 0; i < upgrades.size(); ++i)
    offers.push_back({prices_.at(i), upgrades[i].makespan});
  const auto place = std::ranges::lower_bound(looked_, speed, {}, &Looked::speed);
  if (place != looked_.end() && place->speed == speed) return;
  looked_.insert(
      place,
      {.speed = speed, .before = before, .upgrades = std::move(upgrades), .on = pareto_front(offers, before.makespan)});
}

bool FrontSearch::stays_on(std::size_t upgrade, const Looked& slow, const Looked& fast) const {
  const auto faster_than = [&](const TimeAndSlope& other_slow, const TimeAndSlope& other_fast) {
    return no_longer(slow.upgrades[upgrade], fast.upgrades[upgrade], other_slow, other_fast, slow.speed, fast.speed);
  };
  if (!faster_than(slow.before, fast.before)) return false;
  for (std::size_t i = 0; i < prices_.size(); ++i)
    if (i != upgrade && prices_[i] <= prices_[upgrade] && std::isfinite(slow.upgrades[i].makespan) &&
        !faster_than(slow.upgrades[i], fast.upgrades[i]))
      return false;
  return true;
}

bool FrontSearch::stays_off(std::size_t upgrade, const Looked& slow, const Looked& fast) const {
  if (!std::isfinite(slow.upgrades[upgrade].makespan)) return true;
  const auto slower_than = [&](const TimeAndSlope& other_slow, const TimeAndSlope& other_fast) {
    return no_longer(other_slow, other_fast, slow.upgrades[upgrade], fast.upgrades[upgrade], slow.speed, fast.speed);
  };
  if (slower_than(slow.before, fast.before)) return true;
  const auto beats_at = [&](std::size_t one, const Looked& at) {
    return beats({prices_[one], at.upgrades[one].makespan}, {prices_[upgrade], at.upgrades[upgrade].makespan});
  };
  for (std::size_t i = 0; i < prices_.size(); ++i)
    if (beats_at(i, slow) && beats_at(i, fast) && slower_than(slow.upgrades[i], fast.upgrades[i])) return true;
  return false;
}

bool FrontSearch::holds(std::size_t upgrade, const Looked& slow, const Looked& fast) const {
  if (slow.on[upgrade] != fast.on[upgrade]) return false;
  return slow.on[upgrade] ? stays_on(upgrade, slow, fast) : stays_off(upgrade, slow, fast);
}

std::vector<double> FrontSearch::next() const {
  std::vector<double> speeds;
  for (std::size_t i = 0; i + 1 < looked_.size() && looked_.size() + speeds.size() < most_speeds; ++i) {
    const Looked& slow = looked_[i];
    const Looked& fast = looked_[i + 1];
    if (fast.speed <= slow.speed * switchover_precision) continue;
    for (std::size_t upgrade = 0; upgrade < prices_.size(); ++upgrade)
      if (!holds(upgrade, slow, fast)) {
        speeds.push_back(std::sqrt(slow.speed * fast.speed));
        break;
      }
  }
  return speeds;
}

bool FrontSearch::on_front(std::size_t upgrade, double speed) const {
  const auto found = std::ranges::find(looked_, speed, &Looked::speed);
  return found != looked_.end() && found->on.at(upgrade);
}

std::vector<BeatenRange> FrontSearch::beaten(std::size_t upgrade) const {
  std::vector<BeatenRange> ranges;
  for (std::size_t i = 0; i < looked_.size(); ++i) {
    const auto turn = [&] { return SpeedRange{looked_[i - 1].speed, looked_[i].speed}; };
    const bool was = i > 0 && !looked_[i - 1].on.at(upgrade);
    const bool is = !looked_[i].on.at(upgrade);
    if (is && !was) ranges.push_back({i > 0 ? std::optional(turn()) : std::nullopt, {}});
    if (!is && was) ranges.back().to = turn();
  }
  return ranges;
}

} // namespace timeless::analysis
