#pragma once

#include "analysis/calibration/compute/visits.h"
#include "analysis/statistics/quantiles.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace timeless::analysis {

/// The times of visits over those their rate gives them, each visit counting by its volume, at the deciles from the
/// 0.01 to the 0.99 quantile.
using RelativeTimes = std::array<double, 11>;

/// How fast one kernel was: a visit of v units takes fixed_seconds + v / units_per_second.
struct KernelSpeed {
  std::uint64_t visits = 0;    ///< in a launch, over all ranks
  double volume = 0;           ///< of all of them
  double units_per_second = 0; ///< after shrinkage; 0 for a kernel without visits
  double fixed_seconds = 0;    ///< above 0 only where volumes spread and times follow a line
  /// units_per_second by what each launch alone says; the interval is of their median.
  Interval interval;
  std::vector<double> launches; ///< that rate of each launch
  /// The weight of the kernel's own visits against the program's rate, 0 to 1; below 0.5 it is called pooled.
  double weight = 0;
  std::optional<double> spread;   ///< the quartiles' distance of the relative times; of one visit, not known
  RelativeTimes relative_times{}; ///< all 1 where nothing is known
  bool processor_time = false;    ///< by the clock that stands still while the rank does not run
  double seconds = 0;             ///< that its visits took in a launch, median over launches
  double explained = 0;           ///< seconds that the rate gives them, over `seconds`

  double units_per_visit() const { return visits == 0 ? 0 : volume / static_cast<double>(visits); }
  bool own() const { return weight >= 0.5; }
};

/// How fast a program's kernels computed, in units of its volumes.
struct ComputeSpeeds {
  std::vector<KernelSpeed> kernels; ///< by KernelId of the volumes' run
  double units_per_second = 0;      ///< of kernels without a rate: the median over kernels, by their volumes
  Interval interval;                ///< of that, over launches
  std::vector<double> launches;     ///< units over seconds of all of the run, by launch of one clock
  double coverage = 0;              ///< share of the volume in kernels with a rate of their own
  double between = 0;               ///< standard deviation of log rates between kernels, without noise

  /// Returns the seconds that the rates give all visits, over those measured.
  double explained() const;
};

/// What is known of the clocks that visits were timed by.
struct SpeedOptions {
  double clock_seconds = 25e-9; ///< what reading the clock costs: by so much may any visit be wrong
  /// Kernels whose typical visits are as long are timed by processor time, where a launch has it: reading that clock
  /// costs 0.4 us, and pre-emption no longer counts.
  double long_visit_seconds = 1e-4;
};

/// Computes the kernels' rates from launches that were joined with the same volumes. Launches count as the unit of
/// replication: means differ between launches beyond what visits within one show (Hunold and Carpen-Amarie, IEEE TPDS
/// 27(12), 2016).
///
/// The rate of a launch is the median of its visits' ratios of seconds and volume, each counting by its volume: a sum
/// of times is ruined by pre-emption, a least time is biased, and of visits of two kinds the many short ones say
/// nothing of the long. Where the volumes' coefficient of variation is above 0.3, Theil and Sen's line of seconds over
/// volume counts instead if it goes up and meets the axis above 0, and leaves smaller errors. The rate is the median
/// over launches. The log of a rate is then drawn towards the program's with weight between / (between + noise): the
/// variance between kernels over that and the variance of this rate, from its visits and launches and from the clock
/// (James and Stein's estimator in its empirical form: Efron and Morris, 1975). The variance of a visit is moderated by
/// the one that is typical of kernels with visits enough, which counts for four degrees of freedom (Smyth: Linear
/// models and empirical Bayes methods for assessing differential expression, 2004, section 4): a kernel visited once is
/// not certain. Where none was timed twice, all rates are the program's.
///
/// Kernels whose typical visit takes long_visit_seconds or more get their rate from launches by processor time, the
/// others from those by the time that passes; where one kind is missing, from the other.
///
/// Throws Error(invalid_input) where no launch has a computation that took time.
ComputeSpeeds compute_speeds(std::span<const JoinedLaunch> launches, const SpeedOptions& options = {});

/// One rate for all, as in replays with calibrated flop rates (Desprez, Markomanolis, Quinson, Suter: Assessing the
/// performance of MPI applications through time-independent trace replay, 2011): per rank the rates of its events
/// weighted by their volumes, so units over seconds of it all; the mean over ranks; the mean over the launches by the
/// time that passes, or by processor time where there are no others.
struct WholeRate {
  double units_per_second = 0;
  std::vector<double> launches; ///< of each
  double spread = 0;            ///< their standard deviation over their mean; of one launch, 0 and not known
};

WholeRate whole_rate(std::span<const JoinedLaunch> launches);

/// Returns the share of the time of all computations that visits of at least so many seconds took.
double share_of_long_visits(const JoinedLaunch& launch, double seconds);

} // namespace timeless::analysis
