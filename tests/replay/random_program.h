#pragma once

#include "trace/model/memory_source.h"

#include <cstdint>

namespace timeless::replay::test {

/// What a random program may look like.
struct ProgramLimits {
  trace::Rank most_ranks = 6;
  std::uint32_t most_events = 60; ///< things that happen, over all ranks
  std::size_t most_actions_per_block = 32;
  int synchronous = 0;   ///< percent of the sends
  int posted_before = 0; ///< percent of the sends whose receive is posted before them, whatever waits for whom
  int most_threads = 1;  ///< of a rank, that call MPI
};

/// Returns a correct MPI program that ends as long as no send waits for its receive, decided by the seed: sends and
/// receives of all sorts, completions of all sorts, probes, exchanges, wildcards learnt late, cancelled and freed
/// requests, blocking and nonblocking collectives on overlapping communicators, between two groups and among
/// neighbours, and the creation of communicators.
///
/// Sizes are such that no part of a collective's cost is a fraction.
trace::MemorySource random_program(std::uint64_t seed, const ProgramLimits& limits = {});

} // namespace timeless::replay::test
