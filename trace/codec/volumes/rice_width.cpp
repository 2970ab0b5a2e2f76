#include "trace/codec/volumes/rice_width.h"

#include "trace/codec/volumes/rice.h"

#include <algorithm>

namespace timeless::trace {

namespace {

/// Returns twice the bits that a Rice code takes beside its low bits, on average over the numbers that have `above`
/// more bits.
std::uint64_t twice_the_code(unsigned above) {
  if (above == 0) return 2;
  if (above < 5) return (3U << (above - 1)) + 1; // 2^(above-1) to 2^above - 1 zeros, and a one
  if (above == 5) return 57;                     // half of them 16 to 23 zeros, half of them escapes
  return 2 * std::uint64_t{rice_escape + 7 + above};
}

} // namespace

Coding rice_coding(const Widths& widths, std::size_t numbers) {
  unsigned median = 0;
  for (std::size_t below = widths[0]; below <= numbers / 2 && median < 64;)
    below += widths[++median];
  unsigned last = 64;
  while (last > 0 && widths[last] == 0)
    --last;
  Coding best;
  for (unsigned width = median > 2 ? median - 2 : 0; width <= std::min(median + 1, 63U); ++width) {
    std::uint64_t halves = 2 * numbers;
    for (unsigned bits = width + 1; bits <= last; ++bits)
      halves += widths[bits] * (twice_the_code(bits - width) - 2);
    const std::uint64_t all = halves / 2 + numbers * width;
    if (all < best.bits) best = {all, width};
  }
  return best;
}

} // namespace timeless::trace
