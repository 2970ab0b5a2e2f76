#pragma once

#include "analysis/trace/part_source.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace timeless::analysis {

/// A stretch of a run, from one collective of all ranks to another.
struct Phase {
  std::uint64_t first = 0; ///< collective, from 1
  std::uint64_t last = 0;  ///< the one that ends it; of the last phase the run's last one, which more may follow
};

/// The parts of a run by time.
struct PhaseParts {
  std::vector<Phase> phases; ///< in their order; none where there is no such collective
  RunDivision division;      ///< its parts' numbers are places in `phases`
};

/// Divides a run after blocking collectives on communicators of all ranks, which all ranks make in one order: into at
/// most so many phases (1 at least), as alike in numbers of the first rank's actions as those collectives allow. Reads
/// the first rank.
PhaseParts phase_parts(const trace::Source& source, std::size_t most);

} // namespace timeless::analysis
