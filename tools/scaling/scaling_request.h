#pragma once

#include "analysis/extrapolation/extrapolation.h"
#include "analysis/scaling/scaling.h"
#include "tools/cli/trace_format.h"
#include "tools/scaling/scaling_times.h"
#include "tools/symbols/kernel_places.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What is asked of several runs.
struct ScalingRequest {
  std::vector<std::string> runs = {};
  TraceFormat from = {};
  std::string check = {};                ///< a run to verify the laws with; empty without
  std::vector<std::string> to = {};      ///< "256", "1024=4e6"
  std::vector<std::string> size_of = {}; ///< "run-8.tia=1e6"
  bool ignore_arguments = false;         ///< whether runs may have been started with the arguments of other problems
  PresetMachineOptions machine{.networks = {usual_networks.front()}};
  std::vector<std::string> platforms = {};                    ///< in place of networks
  double tolerance = analysis::usual_extrapolation_tolerance; ///< of the work of ranks in traces that are extrapolated
  bool grids = false;                                         ///< whether ScalingTimes::other_grids are wanted
  bool why = false;                                           ///< whether ScalingTimes::growth is wanted
  std::vector<std::string> between = {}; ///< numbers of ranks for it; empty: the fewest and the most recorded
  std::vector<std::string> symbols = {};
  std::size_t top = 10;
};

/// How a program scales, and where.
struct ScalingAnswer {
  analysis::Scaling scaling;
  ScalingTimes times;
  std::string program = {};
  std::string counter = {};
  std::vector<symbols::KernelEnds> kernel_ends = {}; ///< of scaling.kernels
  std::vector<std::string> call_places = {};         ///< of scaling.calls; empty where a place is not known
  std::map<analysis::KernelKey, std::size_t> kernel_numbers = {}; ///< where in scaling.kernels
  std::string doubt = {};                ///< which run seems to be of another input; empty where none does
  std::vector<std::string> notices = {}; ///< sentences on what limits the answer
  std::size_t top = 10;                  ///< how many to show as text; 0 for all
};

/// Reads "256,1024=4e6": numbers of ranks, each with a size or without. Throws Error(usage) for what is none.
std::vector<std::pair<double, std::optional<double>>> read_targets(const std::vector<std::string>& words);

/// Reads "run-8.tia=1e6": sizes by what is left of the last sign. Throws Error(usage) for what is none.
std::map<std::string, double> read_sizes(const std::vector<std::string>& words);

/// Reads the runs, finds their laws and replays them. Throws Error as demand_one_program() and open_trace() do, and
/// Error(usage) for sizes of runs that are not given, for runs without one where others have, and for targets whose
/// size nothing says.
ScalingAnswer answer_scaling(const ScalingRequest& request);

} // namespace timeless::tools
