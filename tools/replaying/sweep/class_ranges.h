#pragma once

#include "analysis/advice.h"
#include "analysis/classification.h"
#include "analysis/trust.h"
#include "tools/replaying/sweep/placed_machines.h"

#include "trace/model/source.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace timeless::tools {

/// The 21 configurations of a classification around a machine whose processors are `speed` times as fast as its own.
struct Judgement {
  std::size_t machine = 0;
  double speed = 1;
};

/// Replays the configurations of each judgement, 21 lanes each, in their order.
replay::Result replay_judged(const PlacedMachines& machines, const trace::Source& source,
                             std::span<const Judgement> asked, const replay::ReplayOptions& options);

/// For which speeds of the processors a class holds, of those that were tried.
struct ClassRange {
  /// A speed, as in Judgement, and the class there.
  struct Point {
    double speed = 1;
    std::string name;
  };
  std::vector<Point> tried; ///< by rising speed
  std::size_t first = 0;    ///< in `tried`: the slowest of those around 1 with the class at 1, without a gap
  std::size_t last = 0;     ///< the fastest

  const Point* below() const { return first > 0 ? &tried[first - 1] : nullptr; }
  const Point* above() const { return last + 1 < tried.size() ? &tried[last + 1] : nullptr; }
};

/// A machine's class, with the 21 configurations it rests on.
struct ClassifiedMachine {
  MachineBasis basis;
  std::optional<replay::NetworkDescription> network; ///< of a machine that is no platform
  analysis::Classification classification;
  std::optional<analysis::Advice> advice; ///< nothing where a change of the machine ends in a deadlock
  std::optional<analysis::Trust> trust;   ///< in the advice
  std::string refusal;                    ///< why there is neither class nor advice: nothing_to_judge_by(); else empty
  bool recorded_part = false;             ///< of an incomplete recording
  std::span<const replay::LaneResult> lanes; ///< of a result that has to stay where it is
  std::optional<ClassRange> range;           ///< where it was looked for

  /// Returns whether messages above the eager limit wait there for receives that come later, so that the run has no
  /// time.
  bool deadlocked() const { return anchor().deadlock != nullptr; }
  /// Returns false where no message crosses the network, the run does not end, or too little was recorded.
  bool has_class() const { return refusal.empty() && basis.network_used() && !deadlocked(); }
  /// Returns the configuration at the anchor, which stands in the middle of each set of seven.
  const replay::LaneResult& anchor() const { return lanes[3]; }
};

/// Returns the classes of all machines, from a result of replay_judged() of one judgement each, in their order, with
/// ReplayOptions::ideal and sensitivities.
std::vector<ClassifiedMachine> classified(const PlacedMachines& machines, const replay::Result& result,
                                          const analysis::Thresholds& thresholds);

/// Returns the range of each machine's class. Speeds are tried at octaves from rates of 0.25 to 64 G/s (without a rate
/// that is the same on all ranks, from 1/32 to 8 times the machine's own), then more closely where the class changes:
/// to a twelfth part of an octave or better. `classes` are those at speed 1.
std::vector<ClassRange> class_ranges(const PlacedMachines& machines, const trace::Source& source,
                                     std::span<const std::string> classes, const analysis::Thresholds& thresholds,
                                     replay::ReplayOptions options);

} // namespace timeless::tools
