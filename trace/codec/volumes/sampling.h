#pragma once

#include <cstddef>
#include <cstdint>

namespace timeless::trace {

/// Returns the place of the i-th of `size` samples of `count` things: one in each of as many parts, at a place that no
/// regular pattern of the things meets always in the same way.
constexpr std::size_t sample_place(std::size_t i, std::size_t size, std::size_t count) {
  const std::size_t start = i * count / size;
  const std::size_t end = (i + 1) * count / size;
  const std::uint64_t scattered = (i + 1) * 0x9e3779b97f4a7c15U >> 32U;
  return start + static_cast<std::size_t>(scattered * (end - start) >> 32U);
}

} // namespace timeless::trace
