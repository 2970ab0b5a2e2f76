#include "analysis/sweep/advising.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace timeless::analysis {

namespace {

constexpr int steps_of_a_range = 16;
/// So many parts is the distance between two speeds divided into, where an answer turns between them: the same speeds
/// whatever else is asked.
constexpr int steps_of_a_switchover = 3;

void add_between(std::vector<double>& speeds, const SpeedRange& range, int steps) {
  for (int step = 1; step < steps; ++step)
    speeds.push_back(range.slowest * std::pow(range.fastest / range.slowest, static_cast<double>(step) / steps));
}

/// Returns the speeds to look at where an answer does not agree at those that were looked at.
std::vector<double> next_speeds(const SpeedRange& range, std::size_t looked_at,
                                std::span<const SpeedRange> switchovers) {
  std::vector<double> speeds;
  constexpr std::size_t ends = 3;
  if (looked_at <= ends) {
    add_between(speeds, range, steps_of_a_range);
    return speeds;
  }
  for (const SpeedRange& switchover : switchovers)
    if (switchover.fastest > switchover.slowest * switchover_precision)
      add_between(speeds, switchover, steps_of_a_switchover);
  return speeds;
}

SweepPoint at_speed(SweepPoint point, double speed) {
  point.compute /= speed;
  return point;
}

/// What helps at a point.
class AdviceSearch {
public:
  AdviceSearch(const AdvisedPoint& where, double threshold) : where_(where), threshold_(threshold) {}

  /// Returns the speeds to look at next; none when the answer is known.
  std::vector<double> next() const {
    if (deadlock_) return {};
    if (!found_)
      return where_.speeds.single() ? std::vector<double>{1}
                                    : std::vector<double>{1, where_.speeds.slowest, where_.speeds.fastest};
    const bool agrees = found_->decided() && std::ranges::none_of(found_->changes, [](const Change& one) {
                          return one.worth == Worth::undecided;
                        });
    if (where_.speeds.single() || agrees) return {};
    return next_speeds(where_.speeds, times_.size(), found_->switchovers());
  }

  /// Returns the point as it is at a speed, then changed, in the order of ChangedTimes.
  std::vector<SweepPoint> points(double speed) const {
    const auto changed = [&](double bandwidth, double latency, double compute) {
      SweepPoint other = at_speed(where_.point, speed);
      other.bandwidth *= bandwidth;
      other.latency *= latency;
      other.compute *= compute;
      return other;
    };
    return {changed(1, 1, 1),   changed(2, 1, 1),   changed(1, 0.5, 1),
            changed(2, 0.5, 1), changed(1, 1, 0.5), changed(1, 1, 1 / processor_step_speed)};
  }

  void take(double speed, std::span<const SweptConfiguration* const> at) {
    deadlock_ = deadlock_ || std::ranges::any_of(at, [](const auto* one) { return one->deadlock != nullptr; });
    if (deadlock_) return;
    const double even = at[0]->efficiencies.load_balance.value_or(1);
    times_.push_back({.speed = speed,
                      .as_it_is = at[0]->makespan,
                      .bandwidth = at[1]->makespan,
                      .latency = at[2]->makespan,
                      .network = at[3]->makespan,
                      .free_network = at[0]->ideal_makespan.value_or(std::numeric_limits<double>::infinity()),
                      .processors = at[4]->makespan,
                      .processor_step = at[5]->makespan,
                      .balance = at[0]->makespan - at[0]->mean.compute * (1 / even - 1)});
  }

  void conclude() {
    if (!deadlock_) found_ = advise(times_, threshold_, where_.network_used);
    if (found_ && where_.recorded_part) found_->limit_to_recorded_part();
  }

  std::optional<Advice> answer() && { return deadlock_ ? std::nullopt : std::move(found_); }

private:
  const AdvisedPoint& where_;
  double threshold_;
  std::vector<ChangedTimes> times_;
  std::optional<Advice> found_;
  bool deadlock_ = false;
};

/// What a change of the machine is worth.
class ChangeSearch {
public:
  ChangeSearch(const ChangedPoint& where, double threshold)
      : where_(where), threshold_(threshold), times_(where.times),
        found_(change(ChangeKind::machine, times_, threshold)) {}

  std::vector<double> next() const {
    if (deadlock_ || where_.speeds.single() || found_.worth != Worth::undecided) return {};
    std::vector<SpeedRange> switchovers;
    if (found_.switchover) switchovers.push_back(found_.switchover->between);
    return next_speeds(where_.speeds, times_.size(), switchovers);
  }

  std::vector<SweepPoint> points(double speed) const {
    return {at_speed(where_.before, speed), at_speed(where_.after, speed)};
  }

  void take(double speed, std::span<const SweptConfiguration* const> at) {
    deadlock_ = deadlock_ || at[0]->deadlock || at[1]->deadlock;
    if (!deadlock_) times_.push_back({speed, at[0]->makespan, at[1]->makespan});
  }

  void conclude() { found_ = change(ChangeKind::machine, times_, threshold_); }

  Change answer() && { return std::move(found_); }

private:
  const ChangedPoint& where_;
  double threshold_;
  std::vector<TimesAtSpeed> times_;
  Change found_;
  bool deadlock_ = false;
};

/// Looks at one speed after the other until all is known; what all ask for is replayed together.
template <typename Search>
void look(std::vector<Search>& searches, const ReplayedPoints& replay) {
  struct SpeedPoints {
    double speed = 1;
    std::vector<std::size_t> places;
  };
  while (true) {
    SweepPlan plan;
    std::vector<std::vector<SpeedPoints>> asked(searches.size());
    for (std::size_t i = 0; i < searches.size(); ++i)
      for (const double speed : searches[i].next()) {
        SpeedPoints& one = asked[i].emplace_back(SpeedPoints{speed, {}});
        for (const SweepPoint& point : searches[i].points(speed))
          one.places.push_back(plan.add(point));
      }
    if (plan.points().empty()) return;
    const Sweep swept = replay(plan.points());
    for (std::size_t i = 0; i < searches.size(); ++i) {
      for (const SpeedPoints& one : asked[i]) {
        std::vector<const SweptConfiguration*> at;
        for (const std::size_t place : one.places)
          at.push_back(&swept.configurations.at(place));
        searches[i].take(one.speed, at);
      }
      if (!asked[i].empty()) searches[i].conclude();
    }
  }
}

template <typename Search, typename Answer, typename Where>
std::vector<Answer> answers(std::span<const Where> where, double threshold, const ReplayedPoints& replay) {
  std::vector<Search> searches;
  for (const Where& one : where)
    searches.emplace_back(one, threshold);
  look(searches, replay);
  std::vector<Answer> all;
  for (Search& one : searches)
    all.push_back(std::move(one).answer());
  return all;
}

} // namespace

std::vector<std::optional<Advice>> advise(std::span<const AdvisedPoint> where, double threshold,
                                          const ReplayedPoints& replay) {
  return answers<AdviceSearch, std::optional<Advice>>(where, threshold, replay);
}

std::vector<Change> weigh(std::span<const ChangedPoint> where, double threshold, const ReplayedPoints& replay) {
  return answers<ChangeSearch, Change>(where, threshold, replay);
}

} // namespace timeless::analysis
