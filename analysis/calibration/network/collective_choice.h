#pragma once

#include "analysis/calibration/network/intervals.h"
#include "analysis/calibration/network/loggp.h"
#include "analysis/calibration/network/samples.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace timeless::analysis {

/// A network as fitted, for messages one by one.
struct FittedMachine {
  /// What a message from one rank to another costs.
  std::function<const LogGpSegment&(std::uint32_t from, std::uint32_t to, std::uint64_t bytes)> message;
  double reduction_byte_time = 0; ///< seconds
};

/// How an algorithm would do, over measurements of a collective at some sizes.
struct AlgorithmMatch {
  std::string algorithm;
  double predicted_over_measured = 0; ///< the median
  FitInterval interval = {};
};

/// Which algorithm a collective follows best, of those that replays know step by step.
struct CollectiveChoice {
  ping::Experiment collective = ping::Experiment::barrier;
  std::uint32_t ranks = 0;
  std::uint64_t from = 0; ///< sizes measured: of a member's part
  std::uint64_t to = 0;
  // The class of sizes that these are of: above the one, up to the other, which is ~0 for the last class.
  std::uint64_t above = 0;
  std::uint64_t up_to = 0;
  std::size_t samples = 0;
  /// The nearest algorithm is within a quarter of what was measured, and every other at least a twentieth further off;
  /// also where all are off by as much as the collectives of such sizes for which the algorithm makes no difference.
  bool told_apart = false;
  /// The nearest one first. Those that do the same messages, as many do on few ranks, come out alike.
  std::vector<AlgorithmMatch> algorithms;
};

/// Returns, for each collective and each class of sizes (up to 1 KiB, up to 64 KiB, above) that was measured, what the
/// algorithms would take on this machine, step by step, beside what the collective took. No contention, no copies.
std::vector<CollectiveChoice> collective_choices(const std::map<SeriesKey, Series>& series,
                                                 const FittedMachine& machine);

/// Returns the seconds of an algorithm: of its last member, all of which begin together. 0 for a name that none has.
double algorithm_seconds(ping::Experiment collective, const std::string& algorithm, std::uint32_t ranks,
                         std::uint64_t bytes, const FittedMachine& machine);

} // namespace timeless::analysis
