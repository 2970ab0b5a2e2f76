#pragma once

#include "analysis/scaling/law_words.h"
#include "analysis/scaling/rank_classes.h"
#include "analysis/scaling/rank_forecasts.h"
#include "analysis/scaling/run_figures.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// How a program scales: laws of its kernels and calls, and what they come to on more ranks.
namespace timeless::analysis {

/// One run of several numbers of ranks or sizes.
struct ScaledRun {
  std::string name = {};
  ScalePlace place = {};
  RunFigures figures = {};
};

/// One figure of the ranks, by number of ranks and size.
struct ScaledFigure {
  std::vector<double> values = {}; ///< of the runs
  bool summed = false;             ///< over kernels, some of which are forecast rank by rank: no formula is of it
  bool held = false;               ///< summed, and not by formulas: see take_kernel_sums()
  std::size_t without = 0; ///< of the runs of fewest ranks, which laws are not from: they lack it, or do otherwise
  LawFit fit = {};
  std::optional<double> checked = {};                     ///< the check run's value
  std::optional<LawCheck> check = {};                     ///< what it said of the law
  std::vector<std::optional<ScalePrediction>> there = {}; ///< at the targets
};

/// What the ranks come to somewhere, one by one.
struct PlacedForecast {
  ScalePlace place = {};
  RankForecast forecast = {};
  std::string grid = {}; ///< how the ranks' grid is made there
};

/// A metric as the mean of the ranks, and of the rank that has most.
struct ScaledMetric {
  std::string name = {};
  ScaledFigure mean = {};
  ScaledFigure most = {};
  std::vector<PlacedForecast> by_ranks = {}; ///< of the check run and the targets those where it is better than laws

  /// Returns whether the rank that has most is taken by what ranks come to: a law of it that is sure stays.
  bool most_by_ranks() const { return !by_ranks.empty() && !most.fit.sure(); }
  /// Returns what the ranks come to at a place; null where the laws are taken there.
  const RankForecast* by_ranks_at(const ScalePlace& place) const;
  /// Returns whether it is known what is there: by the ranks, or by the law of their mean or most.
  bool reaches(const ScalePlace& place, ScaledFigure ScaledMetric::*figure) const;
  /// Returns whether it is known exactly, and confirmed: by the law of the rank that has most, or by all ranks.
  bool sure() const;
  /// Returns how well the rank that has most is known.
  LawKind kind() const;
  /// Returns the law of the rank that has most, that of its position where ranks are taken one by one; empty without
  /// one.
  std::string law() const;
  /// Returns the law of the rank that has most that is taken at a place.
  std::string law_at(const ScalePlace& place) const;
};

/// A metric somewhere; nothing without laws.
struct MetricPrediction {
  std::optional<ScalePrediction> mean = {};
  std::optional<ScalePrediction> most = {};
};

/// Returns what a metric comes to at a place, by its ranks where that is better, else by its laws: 0 where all of them
/// end before it. The rank that has most has no less
/// than the mean: where two laws contradict that, the one that reaches the place is right, else the exact one, else the
/// larger.
MetricPrediction predict(const ScaledMetric& metric, const ScalePlace& place);

/// Sets what a metric comes to at the targets.
void set_targets(ScaledMetric& metric, const std::vector<ScalePlace>& targets);

/// The volume of a kernel on the ranks in one position: their mean.
struct ScaledClass {
  std::string position = {};
  std::size_t ranks = 0; ///< that have it, in the run of most ranks
  ScaledFigure volume = {};
};

/// A kernel over all runs. Shares are of the sum of what each kernel takes on the rank where it takes most: the length
/// of a run in which ranks wait for each other after each kernel.
struct ScaledKernel {
  KernelKey key = {};
  std::size_t run = 0;                       ///< the largest run that has it
  trace::KernelId kernel = trace::no_kernel; ///< its number there
  std::vector<ScaledMetric> metrics = {};    ///< the volume first, then visits and events
  std::vector<ScaledClass> classes = {};     ///< where positions differ in the run of most ranks; the most work first
  double share_now = 0;                      ///< in the run of most ranks
  std::vector<double> shares_there = {};     ///< at the targets; without a law, what it has now
  std::vector<std::pair<double, double>> share_ranges = {}; ///< at the targets: as far as its own law leaves it open

  const ScaledMetric& volume() const { return metrics.front(); }
};

/// A call at one place, and how its figures grow.
struct ScaledCall {
  CallKey key = {};
  std::vector<ScaledMetric> metrics = {}; ///< calls, bytes
};

/// A region or function of the program, and how its figures grow: see take_kernel_sums().
struct ScaledPart {
  std::string name = {};
  std::vector<ScaledMetric> metrics = {}; ///< the volume; of regions also visits
};

/// How a run's work is shared out, as factors from 0 to 1 (POP's; those of instructions need no machine). At a target
/// only where the laws reach it.
struct WorkEfficiency {
  ScalePlace place = {};
  bool predicted = false;
  std::optional<double> instruction_scaling = {}; ///< of the run of fewest ranks: its work by this one's, of all ranks
                                                  ///< (strong) or of one (weak), by size where sizes are given
  std::optional<double> load_balance = {};        ///< mean work of a rank by the most
};

/// How well laws cover the work; shares as in ScaledKernel, of the run of most ranks.
struct LawCoverage {
  double confirmed = 0;   ///< exact and confirmed
  double exact = 0;       ///< exact but not confirmed
  double approximate = 0; ///< by the laws' left-out errors
  double none = 0;
};

/// How a program scales: its runs, and the laws of what they do.
struct Scaling {
  std::vector<ScaledRun> runs = {}; ///< by rising number of ranks, then size
  std::optional<ScaledRun> check = {};
  std::vector<ScalePlace> targets = {};
  ScalingMode mode = ScalingMode::strong;
  bool sizes_given = false;
  bool size_of_rank = false; ///< sizes are of a rank's part, not of the whole problem: that goes better with its work
  std::string unit = {};     ///< of the volumes
  double tolerance = 0;
  std::optional<RankClasses> classes = {}; ///< of the runs, then the check run; where positions explain differences
  std::vector<ScaledKernel> kernels = {};  ///< the largest share at the last target first
  std::vector<ScaledCall> calls = {};      ///< most bytes first, then most calls, in the run of most ranks
  std::vector<ScaledPart> regions = {};    ///< most work first
  std::vector<ScaledPart> functions = {};  ///< likewise
  ScaledMetric whole = {};                 ///< the volume of all kernels
  /// How the grid is made in which ranks are forecast one by one at the last target; empty where none are.
  std::string forecast_grid = {};
  LawCoverage coverage = {};
  std::vector<WorkEfficiency> efficiencies = {}; ///< of the runs, the check run, the targets

  /// Returns the family of a call, by its name; `mark` for one that no run has.
  trace::ActionFamily family_of(const std::string& call) const;
};

/// Returns what the work of a rank of a perfect program becomes from one place to another: the size by the ranks, or
/// the size where that is of a rank's part, in proportion; with equal sizes the ranks alone (strong), or 1 (weak).
double perfect_factor(const ScalePlace& before, const ScalePlace& after, const Scaling& scaling);

/// What scaling() is asked.
struct ScalingQuestion {
  std::vector<ScaledRun> runs = {};
  std::optional<ScaledRun> check = {};
  std::vector<ScalePlace> targets = {};
  bool sizes_given = false;
  std::string unit = {};
  double tolerance = 1e-7; ///< of laws that are exact, see LawSearch
};

/// Finds the laws of all figures. `progress`, if given, is called with the kernels and calls done and their number.
/// Throws as LawSearch.
Scaling scaling(ScalingQuestion question, const std::function<void(std::size_t, std::size_t)>& progress = {});

} // namespace timeless::analysis
