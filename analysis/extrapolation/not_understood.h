#pragma once

#include "trace/model/ids.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace timeless::analysis {

/// Where in the recorded runs an action, or a figure, is that no rule extrapolates.
struct PlaceInRuns {
  std::string run = {}; ///< its name; empty where it is not of one
  trace::Rank rank = trace::no_rank;
  std::uint64_t action = 0;
  std::string call = {};                     ///< "MPI_Send"; empty for what is not of one call
  trace::KernelId kernel = trace::no_kernel; ///< the last before it, of the largest run
};

/// Thrown where what runs do is not understood well enough to say what more ranks would do.
class NotUnderstood : public std::runtime_error {
public:
  explicit NotUnderstood(const std::string& what, PlaceInRuns at = {}, std::string what_to_do = {})
      : std::runtime_error(what), where(std::move(at)), advice(std::move(what_to_do)) {}

  PlaceInRuns where;
  std::string advice;
  bool ambiguous = false;     ///< the runs say several things, one of which may hold: no other grid is to be tried
  std::string tolerance = {}; ///< "6.7%": the --tolerance with which it would be accepted
};

} // namespace timeless::analysis
