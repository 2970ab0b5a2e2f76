#include "analysis/scaling/odd_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

/// From so many runs on, those without one tell whether they are alike.
constexpr std::size_t fewest_runs_of_odd_work = 4;
/// An odd run is off by so much, as a logarithm, and by so many times what the others are.
const double least_odd = std::log(1.2);
constexpr double odd_by_others = 4;

/// What a run computes and its number of ranks, as logarithms.
struct WorkPoint {
  double ranks = 0;
  double work = 0;
};

/// A run beside the power of the number of ranks that the others are nearest to.
struct WorkBeside {
  double off = 0;    ///< of the run
  double beyond = 0; ///< the others' range, by how many times that
  double others = 0; ///< how far they are, at most
};

WorkBeside beside_others(const std::vector<WorkPoint>& points, std::size_t out) {
  const auto number = static_cast<double>(points.size() - 1);
  WorkPoint mean;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == out) continue;
    mean.ranks += points[i].ranks / number;
    mean.work += points[i].work / number;
  }
  double squares = 0;
  double product = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == out) continue;
    const double apart = points[i].ranks - mean.ranks;
    squares += apart * apart;
    product += apart * (points[i].work - mean.work);
    low = std::min(low, points[i].ranks);
    high = std::max(high, points[i].ranks);
  }
  const double power = squares > 0 ? product / squares : 0;
  const auto off = [&](const WorkPoint& one) { return one.work - mean.work - power * (one.ranks - mean.ranks); };
  WorkBeside beside{.off = off(points[out])};
  for (std::size_t i = 0; i < points.size(); ++i)
    if (i != out) beside.others = std::max(beside.others, std::abs(off(points[i])));
  if (high > low) beside.beyond = std::max({0.0, low - points[out].ranks, points[out].ranks - high}) / (high - low);
  return beside;
}

} // namespace

std::optional<OddWork> odd_work(const Scaling& scaling) {
  if (scaling.sizes_given) return std::nullopt;
  std::vector<WorkOfRun> runs;
  for (const ScaledRun* run : all_runs(scaling))
    runs.push_back({run->name, run->place.ranks, run->figures.volume.mean * run->place.ranks});
  return odd_work(runs);
}

std::optional<OddWork> odd_work(const std::vector<WorkOfRun>& runs) {
  if (runs.size() < fewest_runs_of_odd_work) return std::nullopt;
  std::vector<WorkPoint> points;
  for (const WorkOfRun& run : runs) {
    if (!(run.work > 0)) return std::nullopt;
    points.push_back({std::log(run.ranks), std::log(run.work)});
  }
  std::size_t odd = 0;
  WorkBeside best = beside_others(points, 0);
  for (std::size_t run = 1; run < points.size(); ++run)
    if (const WorkBeside beside = beside_others(points, run); beside.others < best.others) {
      best = beside;
      odd = run;
    }
  if (std::abs(best.off) < std::max(least_odd, odd_by_others * best.others) * (1 + 2 * best.beyond))
    return std::nullopt;
  return OddWork{.run = runs[odd].name, .times = std::exp(best.off), .others = std::expm1(best.others)};
}

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

std::optional<UnequalRuns> unequal_runs(const Scaling& scaling) {
  constexpr double least_apart = 1.01;
  UnequalRuns most{.times = least_apart};
  for (const ScaledRun* less : all_runs(scaling))
    for (const ScaledRun* more : all_runs(scaling)) {
      const double work = less->figures.volume.mean;
      const double times = work > 0 ? more->figures.volume.mean / work : 1;
      if (less->place == more->place && times >= most.times) most = {less->name, more->name, times};
    }
  return most.more.empty() ? std::nullopt : std::optional(most);
}

std::string in_words(const UnequalRuns& runs) {
  return fmt::format("{} and {} are of as many ranks, and the latter computes {:.3g} times what the former does: are "
                     "their inputs the same?",
                     runs.less, runs.more, runs.times);
}

std::string in_words(const OddRun& odd) {
  return fmt::format("{} makes {:g} calls of MPI_{} on a rank at a place where all other runs make {:g}, and other "
                     "numbers at {} place{} in all: is its input theirs?",
                     odd.run, odd.here, odd.call.call, odd.elsewhere, odd.places, odd.places == 1 ? "" : "s");
}

std::string in_words(const OddWork& odd) {
  return fmt::format("{} computes {:.3g} times what the other runs let expect, which are within {:.1g} % of a power of "
                     "the number of ranks: is its input theirs?",
                     odd.run, odd.times, std::max(100 * odd.others, 0.1));
}

} // namespace timeless::analysis
