#pragma once

#include <cstdint>

namespace timeless {

/// Mixes the bits of a number, so that each of them depends on all: the finaliser of SplitMix64 (Steele, Lea and Flood,
/// Fast splittable pseudorandom number generators, 2014). 0 stays 0. Archives and journals hold such numbers: it stays
/// as it is.
constexpr std::uint64_t mix_bits(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

/// Returns the number that SplitMix64 yields in this state: the state takes a step, and its bits are mixed.
constexpr std::uint64_t splitmix64(std::uint64_t state) {
  return mix_bits(state + 0x9e3779b97f4a7c15U);
}

} // namespace timeless
