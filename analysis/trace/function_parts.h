#pragma once

#include "analysis/trace/part_source.h"

#include <cstdint>
#include <span>
#include <vector>

namespace timeless::analysis {

/// The parts of a run by the functions that make its MPI calls, each with the computation before them.
struct FunctionParts {
  std::vector<std::vector<std::uint32_t>> functions; ///< of each part, rising; by the first function's number
  RunDivision division;                              ///< its parts' numbers are places in `functions`
};

/// Divides a run by functions, so that every message, collective and window lies in one part whole. Functions are one
/// part that begin and complete the same request, send or receive with the same tag on a communicator, make the same
/// collective call on different ranks, or access the same window.
///
/// `function_of_kernel`, by KernelId: the number of the function that makes the call in which a computation ends; calls
/// without a computation before them are of the function of the one before. What comes before any computation is of
/// function 0. Reads the run once; keeps a number per collective call of a communicator.
FunctionParts function_parts(const trace::Source& source, std::span<const std::uint32_t> function_of_kernel);

} // namespace timeless::analysis
