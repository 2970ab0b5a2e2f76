#include "analysis/scaling/odd_run.h"

#include <algorithm>
#include <vector>

namespace timeless::analysis {

namespace {

/// The runs by rising number of ranks, the check run among them.
std::vector<const ScaledRun*> all_runs(const Scaling& scaling) {
  std::vector<const ScaledRun*> runs;
  for (const ScaledRun& run : scaling.runs)
    runs.push_back(&run);
  if (scaling.check) runs.push_back(&*scaling.check);
  std::ranges::stable_sort(runs, {}, [](const ScaledRun* run) { return run->place.ranks; });
  return runs;
}

double calls_of(const ScaledRun& run, const CallKey& key) {
  const auto call = run.figures.calls.find(key);
  return call == run.figures.calls.end() ? 0 : call->second.metrics.at("calls").most;
}

/// Returns what all other runs have; nothing where they differ.
std::optional<double> calls_elsewhere(const std::vector<const ScaledRun*>& runs, std::size_t odd, const CallKey& key) {
  const double first = calls_of(*runs[odd == 0 ? 1 : 0], key);
  for (std::size_t other = 0; other < runs.size(); ++other)
    if (other != odd && calls_of(*runs[other], key) != first) return std::nullopt;
  return first;
}

} // namespace

std::optional<OddRun> odd_run(const Scaling& scaling) {
  const std::vector<const ScaledRun*> runs = all_runs(scaling);
  if (scaling.sizes_given || runs.size() < 3) return std::nullopt;
  const auto collective = [&](const ScaledCall& call) {
    return scaling.family_of(call.key.call) == trace::ActionFamily::collective;
  };
  const bool any = std::ranges::any_of(scaling.calls, collective);
  const std::size_t end = runs.size() - (runs.size() < 4 ? 1 : 0);
  for (std::size_t odd = 1; odd < end; ++odd) {
    OddRun found{.run = runs[odd]->name};
    double all = 0;
    double others = 0;
    for (const ScaledCall& call : scaling.calls) {
      if (any && !collective(call)) continue;
      const double here = calls_of(*runs[odd], call.key);
      all += here;
      const auto elsewhere = calls_elsewhere(runs, odd, call.key);
      if (!elsewhere || *elsewhere == here || *elsewhere == 0) continue;
      others += here;
      ++found.places;
      if (found.call.call.empty() || here > found.here) {
        found.call = call.key;
        found.here = here;
        found.elsewhere = *elsewhere;
      }
    }
    if (others > all / 2) return found;
  }
  return std::nullopt;
}

} // namespace timeless::analysis
