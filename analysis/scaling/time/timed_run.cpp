#include "analysis/scaling/time/timed_run.h"

#include <algorithm>
#include <cstddef>
#include <set>

namespace timeless::analysis {

using trace::ActionFamily;

double TimeByPart::*part_of(ActionFamily family) {
  switch (family) {
  case ActionFamily::computation:
    return &TimeByPart::computation;
  case ActionFamily::point_to_point:
  case ActionFamily::completion:
  case ActionFamily::request:
  case ActionFamily::one_sided:
  case ActionFamily::epoch:
    return &TimeByPart::point_to_point;
  case ActionFamily::collective:
  case ActionFamily::communicator:
  case ActionFamily::window:
  case ActionFamily::file_collective:
    return &TimeByPart::collective;
  default:
    return &TimeByPart::other;
  }
}

namespace {

void add_computed(TimedRun& timed, const replay::Result& by_kernel, const std::vector<KernelKey>& keys) {
  const auto ranks = static_cast<double>(by_kernel.lanes.front().ranks.size());
  for (const replay::AttributedTimes& part : by_kernel.attribution.parts) {
    if (part.subject >= keys.size()) continue;
    const replay::RankTimes& times = part.lanes.front();
    KernelTime& kernel = timed.kernels[keys[part.subject]];
    kernel.mean += times.compute / ranks;
    kernel.wait += times.wait / ranks;
    if (times.compute > kernel.most) {
      kernel.most = times.compute;
      kernel.rank = part.rank;
    }
  }
}

/// Whom the calls behind a kernel keep waiting for the path, while it is followed back from there.
class WaitingRanks {
public:
  /// Adds a rank that waits for a message, or all others (no_rank), which wait in a collective.
  void add(trace::Rank rank) { come_.insert(rank); }
  /// The path is on a rank, which does not wait there.
  void meet(trace::Rank rank) {
    come_.erase(rank);
    waiting_.erase(rank);
  }
  /// The path computes, for which they wait.
  void compute() { waiting_.merge(come_); }
  /// All ranks are together in a collective. Messages of the one that they wait in are not before it.
  void all_together() { waiting_.clear(); }
  bool any() const { return !come_.empty() || !waiting_.empty(); }

private:
  std::set<trace::Rank> come_; ///< the path has computed nothing since
  std::set<trace::Rank> waiting_;
};

/// Adds what the path computes before it comes to the calls behind each kernel, as far back as somebody waits there.
void add_delays(TimedRun& timed, const CriticalPath& path, const std::vector<KernelKey>& keys) {
  using OnPath = replay::PathSegment::Kind;
  std::map<trace::KernelId, WaitingRanks> behind;
  for (std::size_t i = path.segments.size(); i-- > 0;) {
    const replay::PathSegment& segment = path.segments[i];
    if (segment.kind == OnPath::local) {
      for (auto& [kernel, ranks] : behind) {
        ranks.meet(segment.rank);
        if (!ranks.any() || segment.compute <= 0) continue;
        for (const KernelOnPath& part : path.kernels[i])
          if (part.kernel < keys.size()) timed.kernels[keys[kernel]].delayed_by[keys[part.kernel]] += part.seconds;
        ranks.compute();
      }
    } else {
      for (auto& [kernel, ranks] : behind)
        if (path.together[i] || segment.kind == OnPath::forgotten) ranks.all_together();
      if (path.computed_before[i] < keys.size())
        behind[path.computed_before[i]].add(segment.kind == OnPath::message && !path.together[i] ? segment.rank
                                                                                                 : trace::no_rank);
    }
    std::erase_if(behind, [](const auto& one) { return !one.second.any(); });
  }
}

/// Adds what the path computes.
void add_path(TimedRun& timed, const CriticalPath& path, const std::vector<KernelKey>& keys) {
  double known = 0;
  for (const std::vector<KernelOnPath>& kernels : path.kernels)
    for (const KernelOnPath& part : kernels) {
      if (part.kernel >= keys.size()) continue;
      timed.kernels[keys[part.kernel]].path += part.seconds;
      known += part.seconds;
    }
  add_delays(timed, path, keys);
  timed.path_latency = path.latency;
  timed.path_bandwidth = path.bandwidth;
  timed.path_rest = timed.makespan - path.latency - path.bandwidth - known;
}

} // namespace

TimeByPart time_by_part(const replay::Result& by_call, const std::map<std::string, ActionFamily>& families) {
  TimeByPart parts;
  for (const replay::AttributedTimes& part : mean_parts(by_call)) {
    const replay::RankTimes& times = part.lanes.front();
    double TimeByPart::*of = &TimeByPart::other;
    if (part.subject == 0)
      of = &TimeByPart::computation;
    else if (part.subject < by_call.attribution.calls.size())
      if (const auto family = families.find(by_call.attribution.calls[part.subject]); family != families.end())
        of = part_of(family->second);
    parts.*of += times.end;
  }
  return parts;
}

TimedRun timed_run(const trace::Run& run, const replay::Result& by_kernel, const TimeByPart& parts,
                   const CriticalPath& path) {
  const replay::LaneResult& lane = by_kernel.lanes.front();
  TimedRun timed{.place = {.ranks = static_cast<double>(run.size)},
                 .makespan = lane.makespan,
                 .efficiencies = efficiencies(lane),
                 .parts = parts};
  const std::vector<KernelKey> keys = kernel_keys(run);
  add_computed(timed, by_kernel, keys);
  add_path(timed, path, keys);
  for (const replay::RankTimes& rank : lane.ranks) {
    timed.computed.push_back(rank.compute);
    timed.waited.push_back(rank.wait);
  }
  return timed;
}

void add_memory(TimedRun& timed, const trace::Run& run, std::span<const double> shares) {
  const std::vector<KernelKey> keys = kernel_keys(run);
  double sum = 0;
  for (std::size_t id = 0; id < std::min(keys.size(), shares.size()); ++id)
    if (const auto kernel = timed.kernels.find(keys[id]); kernel != timed.kernels.end())
      sum += kernel->second.memory = shares[id] * kernel->second.mean;
  timed.parts.memory = sum;
}

} // namespace timeless::analysis
