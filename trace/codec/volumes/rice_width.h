#pragma once

#include "base/bytes.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

/// How many low bits suit the Rice codes of some numbers.
namespace timeless::trace {

/// How many of the numbers need how many bits.
using Widths = std::array<std::uint32_t, 65>;

/// A Rice code for some numbers, and what they take by it.
struct Coding {
  std::uint64_t bits = std::numeric_limits<std::uint64_t>::max(); ///< of all numbers together, about
  unsigned width = 0;                                             ///< of the low bits of each
};

/// Returns the best width, looked for near that of the median.
Coding rice_coding(const Widths& widths, std::size_t numbers);

/// Returns the signed distance of a value as a number, modulo 2^64.
constexpr std::uint64_t distance_from(std::uint64_t centre, std::uint64_t value) {
  return zigzag(static_cast<std::int64_t>(value - centre));
}

constexpr unsigned width_around(std::uint64_t centre, std::uint64_t value) {
  return static_cast<unsigned>(std::bit_width(distance_from(centre, value)));
}

} // namespace timeless::trace
