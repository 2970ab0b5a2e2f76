#pragma once

#include "analysis/statistics/quantiles.h"
#include "analysis/sweep/advising.h"
#include "analysis/sweep/cost_search.h"
#include "analysis/sweep/crossovers.h"
#include "analysis/sweep/front_search.h"
#include "analysis/sweep/sweep.h"
#include "analysis/trust.h"
#include "tools/replaying/prediction.h"
#include "tools/replaying/rate_range.h"
#include "tools/replaying/sweep/machine_changes.h"
#include "tools/replaying/sweep/placed_machines.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What a person asks of `timeless sweep`.
struct SweepRequest {
  /// The trace, the machines and what is modelled; its lists of factors, its collectives and its eager limit do not
  /// count.
  PredictionOptions prediction;
  analysis::SweepAxes axes;             ///< but for its machines
  bool grid = true;                     ///< false: questions alone
  bool classes = false;                 ///< of every configuration of the grid
  bool advice = true;                   ///< what helps on each machine as it is
  double worth = analysis::usual_worth; ///< the least saving that is worth having
  bool per_rank = false;
  std::vector<std::string> what_if; ///< "network x2, cpu x1.5"
  std::string upgrades;             ///< a file; empty: none
  std::vector<double> break_even;   ///< growths of the time: 0.02
  std::vector<double> gain;         ///< what the time is to shrink by: 0.1
  /// Adds what is known of answers beside what the replays say: of contention, or launches. Empty: nothing.
  std::function<void(analysis::Grounds&)> further_grounds = {};
};

/// Why an upgrade is worth a look, is not, or may be: it saves enough, and no other upgrade is as fast and cheaper, or
/// as cheap and faster.
enum class Look : std::uint8_t {
  slower,                     ///< no, at any rate
  saves_too_little,           ///< no, likewise
  beaten,                     ///< no: others are better at each rate
  saves_too_little_or_beaten, ///< no: at each rate one of the two
  pays,                       ///< yes
  saving_depends,             ///< whether it saves enough depends on the rate
  front_depends,              ///< whether another is better does
  both_depend,
};

/// A machine that was changed, and as it is.
struct ChangedMachine {
  std::string name; ///< of an upgrade
  std::string words;
  std::optional<double> price;
  std::size_t before = 0; ///< in SweepPrediction::sweep
  std::size_t after = 0;
  // Of upgrades: nothing is as fast and cheaper, or as cheap and faster.
  bool on_front = false; ///< at the rate that is taken
  /// At which speeds of the processors, of the rates that are to be expected, it is not; relative to the rate that is
  /// taken.
  std::vector<analysis::BeatenRange> beaten_at = {};
  bool on_front_at_some() const;
  bool on_front_at_all() const { return beaten_at.empty(); }
  /// Returns the speeds at which others are better, or it saves less than is worth having, by rising speed; nothing
  /// where its saving turns more than once.
  std::vector<analysis::BeatenRange> no_choice_at() const;
  /// The fastest of the upgrades that are better at the rate that is taken; only where it is on no front.
  std::optional<std::size_t> beaten_by = {};
  /// What it saves over the rates that are to be expected; nothing where one of the two ends in a deadlock, or too
  /// little was recorded.
  std::optional<analysis::Change> change;
  std::optional<analysis::Trust> trust; ///< in that

  /// Returns whether an upgrade is worth a look, and why; nothing where there is no `change`.
  std::optional<Look> look() const;
  /// Returns the answer: of what-if, whether the saving is worth having; of an upgrade, whether it is worth a look.
  std::optional<analysis::Worth> answer() const;
};

/// What a machine may lose, or has to gain, at a speed of the processors relative to the one that is taken.
struct ToleranceAtSpeed {
  double speed = 1;
  analysis::LaneTolerance tolerance;
  analysis::SweptConfiguration configuration; ///< the machine with processors of that speed
};
/// At speed 1, then at the ends of the range that is to be expected.
using SearchedMachine = std::vector<ToleranceAtSpeed>;

/// A sweep, and all that a reader must know to judge it.
struct SweepPrediction {
  analysis::Sweep sweep;    ///< of what was asked for
  std::size_t replayed = 0; ///< configurations, with those that answers needed beside
  std::size_t anchor = 0;   ///< in it: the first machine as it is, that ends
  /// In it: each machine asked for, as it is, with the first of the other lists, or the first with which it ends.
  std::vector<std::size_t> machines;
  std::vector<std::size_t> grid; ///< in it
  /// Of the grid's, where asked for; nothing where one has no end, and where too little was recorded.
  std::vector<std::optional<analysis::Classification>> classes;
  std::vector<std::optional<analysis::Advice>> helps; ///< likewise, at the rate that is taken
  bool recorded_part = false;                         ///< the recording is incomplete: answers hold for what it has
  std::string refusal; ///< why there is no advice: analysis::nothing_to_judge_by(); else empty
  std::vector<std::optional<analysis::Advice>> advice; ///< by machine as it is, over the rates that are to be expected
  std::vector<std::optional<analysis::Trust>> trusts;  ///< in that
  RateRange rates;                                     ///< that are to be expected of the anchor
  /// Makespans over these, by configuration: of all where rates were measured, else of the machines as they are and
  /// those that questions are about.
  std::vector<std::optional<analysis::Interval>> intervals;
  std::vector<analysis::Crossover> crossovers; ///< along the factors of the grid, with the others at 1
  std::vector<ChangedMachine> what_if;
  std::vector<ChangedMachine> upgrades;
  std::vector<SearchedMachine> break_even;        ///< by machine, where asked for; empty in a deadlock
  std::vector<SearchedMachine> gains;             ///< likewise
  std::map<std::uint32_t, PlacedMachines> placed; ///< by ranks per node
  std::vector<std::string> notes;

  const analysis::SweptConfiguration& of(std::size_t place) const { return sweep.configurations.at(place); }
  /// Returns the machines as placed for a configuration.
  const PlacedMachines& placed_for(const analysis::SweepPoint& point) const { return placed.at(point.ranks_per_node); }
  const MachineBasis& basis_of(const analysis::SweepPoint& point) const {
    return placed_for(point).bases().at(point.machine);
  }
  /// Returns how many times as fast as the anchor it is.
  double speedup(const analysis::SweptConfiguration& one) const;
  double speedup(std::size_t place) const { return speedup(of(place)); }
};

/// Replays all that is asked for, as many configurations in a pass as memory allows. Throws Error(usage) for what
/// contradicts itself or is too much, and what replays throw.
SweepPrediction sweep(const trace::Source& source, const SweepRequest& request);

} // namespace timeless::tools
