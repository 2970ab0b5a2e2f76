#pragma once

#include "trace/model/memory_source.h"

#include <cstdint>

namespace timeless::bench {

/// About as many actions in all as asked for, in whole sweeps.
struct ProgramSize {
  trace::Rank ranks = 1024;
  std::uint64_t actions = 4'000'000;
};

/// Returns the pattern of NAS LU: sweeps over a two-dimensional grid of ranks, each plane waiting for two neighbours
/// and feeding two, an allreduce after every 16 planes there and back. Every call is followed by a computation.
trace::MemorySource wavefront(const ProgramSize& size);

/// Returns a stencil on a three-dimensional torus of ranks: six nonblocking receives and sends, a computation, a
/// waitall, another computation, an allreduce.
trace::MemorySource halo(const ProgramSize& size);

} // namespace timeless::bench
