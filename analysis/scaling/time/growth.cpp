#include "analysis/scaling/time/growth.h"

#include <algorithm>
#include <set>
#include <utility>

namespace timeless::analysis {

namespace {

/// Kernels of two runs, those that one of them lacks with times of 0.
class KernelPairs {
public:
  KernelPairs(const TimedRun& before, const TimedRun& after) : before_(before), after_(after) {
    for (const TimedRun* run : {&before, &after})
      for (const auto& [key, kernel] : run->kernels)
        keys_.insert(key);
  }

  const std::set<KernelKey>& keys() const { return keys_; }
  const KernelTime& before(const KernelKey& key) const { return in(before_, key); }
  const KernelTime& after(const KernelKey& key) const { return in(after_, key); }

private:
  static const KernelTime& in(const TimedRun& run, const KernelKey& key) {
    static const KernelTime none;
    const auto found = run.kernels.find(key);
    return found == run.kernels.end() ? none : found->second;
  }

  const TimedRun& before_;
  const TimedRun& after_;
  std::set<KernelKey> keys_;
};

/// Finds the kernel that most of what the path has beyond the mean comes from, before it reaches the calls behind
/// another; none where that is next to nothing of the wait.
void find_cause(GrownWait& wait, const KernelPairs& kernels) {
  constexpr double worth_naming = 0.01;
  double most = worth_naming * wait.after;
  for (const auto& [key, seconds] : kernels.after(wait.behind).delayed_by) {
    const KernelTime& kernel = kernels.after(key);
    const double beyond = kernel.path > 0 ? seconds * kernel.excess() / kernel.path : 0;
    if (beyond <= most) continue;
    most = beyond;
    wait.cause = key;
    wait.known = true;
    wait.explained = beyond;
  }
}

} // namespace

const char* name(GrowthOf of) {
  switch (of) {
  case GrowthOf::work:
    return "work";
  case GrowthOf::imbalance:
    return "imbalance";
  case GrowthOf::latency:
    return "latency";
  case GrowthOf::bandwidth:
    return "bandwidth";
  case GrowthOf::rest:
    break;
  }
  return "rest";
}

Growth growth(const TimedRun& before, const TimedRun& after, double factor) {
  Growth result{
      .factor = factor, .before = before.makespan, .expected = factor * before.makespan, .after = after.makespan};
  const auto add = [&](GrowthOf of, const KernelKey& kernel, double first, double second) {
    if (first != 0 || second != 0) result.parts.push_back({of, kernel, first, factor * first, second});
  };
  const KernelPairs kernels(before, after);
  for (const KernelKey& key : kernels.keys()) {
    const KernelTime& first = kernels.before(key);
    const KernelTime& second = kernels.after(key);
    add(GrowthOf::work, key, first.mean, second.mean);
    add(GrowthOf::imbalance, key, first.excess(), second.excess());
    if (first.wait == 0 && second.wait == 0) continue;
    GrownWait wait{.behind = key, .before = first.wait, .expected = factor * first.wait, .after = second.wait};
    find_cause(wait, kernels);
    result.waits.push_back(std::move(wait));
  }
  add(GrowthOf::latency, {}, before.path_latency, after.path_latency);
  add(GrowthOf::bandwidth, {}, before.path_bandwidth, after.path_bandwidth);
  add(GrowthOf::rest, {}, before.path_rest, after.path_rest);
  std::ranges::stable_sort(result.parts, std::greater{}, &GrownPart::lost);
  std::ranges::stable_sort(result.waits, std::greater{}, &GrownWait::lost);
  return result;
}

std::vector<PositionTime> time_by_position(const TimedRun& run, const RankPositions& positions) {
  std::vector<PositionTime> times(positions.names.size());
  for (std::size_t number = 0; number < times.size(); ++number)
    times[number].position = positions.names[number];
  for (std::size_t rank = 0; rank < run.computed.size(); ++rank) {
    PositionTime& time = times[positions.of_rank[rank]];
    ++time.ranks;
    time.computed += run.computed[rank];
    time.waited += run.waited[rank];
  }
  for (PositionTime& time : times) {
    time.computed /= static_cast<double>(time.ranks);
    time.waited /= static_cast<double>(time.ranks);
  }
  std::ranges::stable_sort(times, std::greater{}, &PositionTime::computed);
  return times;
}

std::optional<double> computation_scaling(const TimedRun& first, const TimedRun& other, const Scaling& scaling) {
  if (other.parts.computation <= 0) return std::nullopt;
  return perfect_factor(first.place, other.place, scaling) * first.parts.computation / other.parts.computation;
}

} // namespace timeless::analysis
