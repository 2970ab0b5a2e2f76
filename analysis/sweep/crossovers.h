#pragma once

#include "analysis/sweep/sweep.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace timeless::analysis {

/// Which factor of a machine is varied.
enum class SweepAxis : std::uint8_t { bandwidth, latency };
const char* name(SweepAxis axis);

/// Which part of a configuration's critical path is asked for.
using PartOf = PathPart (SweptConfiguration::*)() const;

/// Where, as one factor rises, another part of the critical path becomes the longest, or the longer of the network's
/// two.
struct Crossover {
  PartOf part = &SweptConfiguration::longest_part;
  SweepPoint at; ///< with the larger factor
  SweepAxis axis = SweepAxis::bandwidth;
  PathPart before = PathPart::rest;
  PathPart after = PathPart::rest;
  double least = 1; ///< the factor lies between these two, which were replayed
  double most = 1;
};

/// Looks for crossovers between neighbours among some configurations that differ in one factor, by rising factor. A
/// part that comes and goes between two neighbours is not seen.
std::vector<Crossover> crossovers(const Sweep& sweep, std::span<const std::size_t> places, SweepAxis axis, PartOf part);

/// Narrows crossovers: `replay` gives the configurations at some points. A crossover that is more than one is the first
/// of them.
void narrow(std::vector<Crossover>& crossovers, const std::function<Sweep(std::span<const SweepPoint>)>& replay,
            std::size_t steps = 15);

} // namespace timeless::analysis
