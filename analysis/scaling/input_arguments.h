#pragma once

#include "analysis/scaling/matching.h"

#include <optional>
#include <span>
#include <string>

/// What runs were started with, and whether that is the same problem.
namespace timeless::analysis {

/// Two runs whose arguments are not those of one problem on different numbers of ranks.
struct DifferentInputs {
  std::string one = {}; ///< their names
  std::string other = {};
  std::string what = {}; ///< "'-n 64' and '-n 96'"
};

/// What the arguments of runs say.
struct InputsOfRuns {
  std::optional<DifferentInputs> different = {};
  /// How the numbers in arguments go with the number of ranks, where they do: "'-n 64' to '-n 256': P"; else empty.
  std::string law = {};
};

/// Compares the arguments of the runs that have them. Those of runs of one size are of one problem where they are the
/// same, or differ in numbers only whose product is, to 3 %, a constant times a power of the number of ranks (halves
/// and thirds up to the sixth): of weak scaling, or a grid of the ranks. One run that does not go with most is named
/// beside one of these.
InputsOfRuns inputs_of(std::span<const NamedRun> runs);

} // namespace timeless::analysis
