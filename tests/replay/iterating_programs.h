#pragma once

#include "trace/model/memory_source.h"

#include <cstdint>
#include <functional>

namespace timeless::replay::test {

/// The number of what is done after all iterations.
inline constexpr std::uint64_t after_all = ~std::uint64_t{0};

/// Adds what a rank does in one iteration, or after_all.
using Iteration = std::function<void(trace::MemorySource& program, trace::Rank rank, std::uint64_t iteration)>;

/// Returns a program whose ranks do something by themselves and meet, then these iterations, then something more, and
/// meet again. Volumes of the iterations are the iteration's business.
trace::MemorySource iterating(trace::Rank ranks, std::uint64_t iterations, const Iteration& iteration);

// Volumes differ by rank, drawn from the seed, and are the same in all iterations.

/// Sweeps over a square grid of ranks, there and back where `both_ways`.
Iteration wavefront(trace::Rank ranks, std::uint64_t seed, bool both_ways);
/// Exchanges with both neighbours around a ring by nonblocking calls; then an allreduce where `together`.
Iteration halo(trace::Rank ranks, std::uint64_t seed, bool together);
/// Passes messages around a ring: each rank receives from the one before and sends to the one after: what one iteration
/// sends, the next receives.
Iteration ring_under_way(trace::Rank ranks, std::uint64_t seed);
/// Exchanges by recursive doubling, then across: periods of more than one iteration.
Iteration doubling(trace::Rank ranks, std::uint64_t seed);
/// Draws anything of these, and random messages around, the same in all iterations.
Iteration anything(trace::Rank ranks, std::uint64_t seed);

/// Sweeps of `inner` iterations each, after work whose volume on rank 0 is another in each sweep, as of a line that is
/// printed. In every `other`th sweep all inner iterations have other volumes.
Iteration sweeps(const Iteration& iteration, std::uint64_t inner, std::uint64_t other);

} // namespace timeless::replay::test
