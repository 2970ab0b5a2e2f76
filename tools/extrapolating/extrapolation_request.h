#pragma once

#include "analysis/extrapolation/action_comparison.h"
#include "analysis/extrapolation/extrapolation.h"
#include "tools/cli/trace_format.h"
#include "tools/symbols/kernel_places.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What is asked of several runs.
struct ExtrapolationRequest {
  std::vector<std::string> runs = {};
  TraceFormat from = {};
  bool ignore_arguments = false; ///< whether runs may have been started with the arguments of other problems
  trace::Rank ranks = 0;
  std::string grid = {}; ///< "32x32"; empty where a rule is to say it
  double tolerance = analysis::usual_extrapolation_tolerance;
  std::optional<std::uint64_t> seed = {}; ///< for what is drawn; nothing is without
  std::string check = {};                 ///< a recording of the target; empty without
  std::string output = {};
  bool force = false;
  std::vector<std::string> symbols = {};
  std::size_t top = 10;
};

/// What was extrapolated, and written.
struct ExtrapolationAnswer {
  analysis::Extrapolation extrapolation = {};
  std::string program = {};
  std::string unit = {};
  std::vector<std::pair<std::string, trace::Rank>> runs = {}; ///< with their ranks, rising
  std::string builds = {}; ///< which executables were taken for one program; empty where the runs have one
  std::string inputs = {}; ///< how arguments that differ go with the number of ranks; empty where none do
  trace::Rank ranks = 0;
  double tolerance = 0;
  std::string output = {};
  std::uint64_t actions = 0;           ///< of all ranks
  std::uint64_t bytes = 0;             ///< of the archive
  symbols::KernelEndsById places = {}; ///< of the laws' kernels
  std::string check = {};
  std::optional<analysis::ActionComparison> comparison = {};
  std::size_t top = 10;
};

/// Extrapolates, and writes the archive. Throws Error as demand_one_program() and open_trace() do, Error(usage) for a
/// target that makes no sense, and Error(missing_capability) for what is not understood, with the place.
ExtrapolationAnswer answer_extrapolation(const ExtrapolationRequest& request);

} // namespace timeless::tools
