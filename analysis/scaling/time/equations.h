#pragma once

#include "analysis/scaling/time/timed_run.h"

#include <span>
#include <vector>

/// Times of more ranks by the equations of Ding et al., Neural Computing and Applications 31 (2019).
namespace timeless::analysis {

/// What the equations say of one place.
struct EquationTime {
  ScalePlace place = {};
  double makespan = 0;   ///< seconds
  TimeByPart parts = {}; ///< seconds; communication as it was measured, before the factor
  double lawless = 0;    ///< share of the computation in kernels without a law, which is taken to stay
  /// Share of the makespan in kernels and calls whose laws do not reach the place, or that have none: of these a rank's
  /// calls are taken to stay.
  double doubtful = 0;
  /// Seconds of the longest kernel on the rank that has most of it, by its law, of the kernels that have one. By these
  /// laws no run there is shorter; the equations, which are of the mean rank, may say less.
  double longest_kernel = 0;

  /// Returns whether the makespan is less than that: the ranks differ too much for the equations.
  bool too_short() const { return makespan < longest_kernel; }
};

/// The equations' coefficients, from runs whose times are known.
struct ScaleEquations {
  // A point-to-point call takes byte_time * bytes + call_time; a collective one log_time * log2 P +
  // collective_byte_time * bytes + collective_call_time. Seconds.
  double byte_time = 0;
  double call_time = 0;
  double log_time = 0;
  double collective_byte_time = 0;
  double collective_call_time = 0;
  /// BF_comm: what the run of most ranks takes beside computation, by its calls' times.
  double communication_factor = 1;
};

/// Finds the coefficients from the runs of an answer, timed on one machine; those with the time's parts by least
/// squares of relative errors, none below 0.
ScaleEquations scale_equations(const Scaling& scaling, std::span<const TimedRun> runs);

/// Returns what the equations say of a place:
///
///     T = sum_k volume_k seconds_k + BF_comm (T_p2p + T_collective) + T_others
///
/// with the mean volumes, calls and bytes of a rank by their laws (predict() of a metric), each kernel's seconds per
/// unit as in the run of most ranks that has it, and T_others by its law. Seconds per unit hold what loads wait for
/// memory; where that is known of the runs, the paper's BF_mem T_mem is told apart as the same share of a kernel's
/// seconds as there.
EquationTime equation_time(const ScaleEquations& equations, const Scaling& scaling, std::span<const TimedRun> runs,
                           const ScalePlace& place);

} // namespace timeless::analysis
