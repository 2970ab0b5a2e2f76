#pragma once

#include "trace/encoding/volume_model.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace timeless::trace {

/// Values that lie around one of a few levels, as those of a kernel that works on grids of several sizes.
struct VolumeLevel {
  std::uint64_t centre = 0;
  unsigned width = 0; ///< of the low bits of the distances' Rice codes
};

/// Finds the levels of a stream. Keeps its working memory.
class VolumeLevels {
public:
  static constexpr std::size_t most = 16;

  /// False when a sample of the values shows no gaps that are wide beside the others.
  bool find(std::span<const std::uint64_t> values);

  /// The frequent ones first.
  std::span<const VolumeLevel> levels() const { return {levels_.data(), count_}; }
  std::span<const std::uint32_t> counts() const { return {counts_.data(), count_}; }
  /// Which level each value has.
  std::span<const std::uint8_t> places() const { return places_; }
  /// Bits that the distances from the levels take, about, and the levels themselves.
  std::uint64_t bits() const { return bits_; }

private:
  void split(std::span<const std::uint64_t> sample);
  void place(std::span<const std::uint64_t> values);

  std::array<VolumeLevel, most> levels_{};
  std::array<std::uint64_t, most> starts_{}; ///< the least value that belongs to each level
  std::array<std::uint32_t, most> counts_{};
  std::size_t count_ = 0;
  std::uint64_t bits_ = 0;
  std::vector<std::uint8_t> places_;
};

} // namespace timeless::trace
