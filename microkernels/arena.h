#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace timeless::microkernels {

/// Memory that kernels divide into arrays; the same addresses for the same kernel and size, whatever ran before.
class Arena {
public:
  /// Takes memory and touches it, so that no kernel meets a page for the first time. Throws Error(runtime) where there
  /// is not that much.
  explicit Arena(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void clear() { taken_ = 0; }
  /// Takes elements from a line's beginning; throws Error(runtime) when there is not that much left.
  template <typename Element>
  std::span<Element> take(std::size_t count) {
    return {static_cast<Element*>(take_bytes(count * sizeof(Element))), count};
  }

private:
  void* take_bytes(std::size_t bytes);

  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t taken_ = 0;
};

/// xorshift64* (Vigna 2016): the same numbers everywhere.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545f4914f6cdd1dULL;
  }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() >> 11U) % limit; }
  /// Returns a number from 0 to 1.
  double fraction() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

private:
  std::uint64_t state_;
};

} // namespace timeless::microkernels
