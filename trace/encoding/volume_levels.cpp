#include "trace/encoding/volume_levels.h"

#include "trace/encoding/frequency.h"
#include "trace/encoding/rice_width.h"
#include "trace/encoding/sampling.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace timeless::trace {

namespace {

/// 2^16 times log2, by the straight line between powers of two: what relative differences look like.
std::uint64_t relative(std::uint64_t value) {
  if (value == 0) return 0;
  const auto whole = static_cast<unsigned>(std::bit_width(value)) - 1;
  const std::uint64_t fraction = whole >= 16 ? value >> (whole - 16) : value << (16 - whole);
  return (std::uint64_t{whole} << 16U) + (fraction & 0xffffU);
}

} // namespace

bool VolumeLevels::find(std::span<const std::uint64_t> values) {
  std::array<std::uint64_t, 127> sample{};
  const std::size_t size = std::min(values.size(), std::clamp<std::size_t>(values.size() / 8, 24, sample.size()));
  for (std::size_t i = 0; i < size; ++i)
    sample[i] = values[sample_place(i, size, values.size())];
  std::ranges::sort(std::span(sample).first(size));
  split(std::span(sample).first(size));
  if (count_ < 2) return false;
  place(values);
  sort_by_count(std::span(levels_).first(count_), std::span(counts_).first(count_), std::span(places_));
  return true;
}

/// A level ends at a gap that is wide beside the median gap; the widest ones count.
void VolumeLevels::split(std::span<const std::uint64_t> sample) {
  std::array<std::uint64_t, 127> gaps{};
  for (std::size_t i = 0; i + 1 < sample.size(); ++i)
    gaps[i] = relative(sample[i + 1]) - relative(sample[i]);
  auto ordered = gaps;
  const auto last = ordered.begin() + static_cast<std::ptrdiff_t>(sample.size() - 1);
  std::sort(ordered.begin(), last, std::greater<>());
  constexpr std::uint64_t least_gap = 256; // 0.4 %
  const std::uint64_t wide = std::max({16 * ordered[sample.size() / 2], least_gap, ordered[most - 1] + 1});
  count_ = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (i + 1 < sample.size() && gaps[i] < wide) continue;
    starts_[count_] = start == 0 ? 0 : sample[start] - (sample[start] - sample[start - 1]) / 2;
    levels_[count_++].centre = sample[(start + i) / 2];
    start = i + 1;
  }
}

void VolumeLevels::place(std::span<const std::uint64_t> values) {
  std::array<Widths, most> widths{};
  places_.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t level = 0;
    for (std::size_t next = 1; next < count_; ++next)
      level += values[i] >= starts_[next];
    places_[i] = static_cast<std::uint8_t>(level);
    ++widths[level][width_around(levels_[level].centre, values[i])];
  }
  bits_ = 0;
  for (std::size_t level = 0; level < count_; ++level) {
    counts_[level] = 0;
    for (const std::uint32_t count : widths[level])
      counts_[level] += count;
    const Coding coding = rice_coding(widths[level], counts_[level]);
    levels_[level].width = coding.width;
    bits_ +=
        coding.bits + 8 + static_cast<unsigned>(std::bit_width(levels_[level].centre)) - centre_shift(coding.width);
  }
}

} // namespace timeless::trace
