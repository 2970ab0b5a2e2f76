#include "gather/parts/volume_rounding.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace timeless::gather {

namespace {

constexpr int most_quanta = 8;

/// Towards minus infinity.
template <typename Wide>
Wide floor_division(Wide dividend, Wide divisor) {
  return dividend / divisor - (dividend % divisor < 0 ? 1 : 0);
}

} // namespace

std::uint64_t VolumeRounding::bound(std::uint64_t volume) const {
  const auto product = static_cast<Wide>(volume) * static_cast<Wide>(error_) / static_cast<Wide>(billion);
  return std::min(static_cast<std::uint64_t>(product), std::numeric_limits<std::uint64_t>::max() - volume);
}

VolumeRounding::Group& VolumeRounding::group(VolumeOwner owner, std::uint64_t volume) {
  return groups_[{owner, static_cast<unsigned>(std::bit_width(volume))}];
}

void VolumeRounding::expect(VolumeOwner owner, std::uint64_t volume) {
  Group& of = group(owner, volume);
  of.least = of.count == 0 ? volume : std::min(of.least, volume);
  ++of.count;
  of.sum += volume;
  of.room += bound(volume);
}

std::uint64_t VolumeRounding::rounded(Group& group, std::uint64_t volume) const {
  const auto exact = static_cast<Wide>(volume);
  const auto error = static_cast<Wide>(bound(volume));
  group.room -= error;
  const Wide quantum = static_cast<Wide>(bound(group.least)) * 3 / 2;
  if (quantum == 0) return volume; // D stays 0
  const Wide most = std::min(group.room, most_quanta * quantum);
  const Wide lowest = std::max(exact - error, exact - group.difference - most);
  const Wide highest = std::min(exact + error, exact - group.difference + most);
  const bool settle = group.difference >= quantum || group.difference <= -quantum;
  const Wide wanted = std::clamp(settle ? exact - group.difference : exact, lowest, highest);

  const Wide mean = group.sum / static_cast<Wide>(group.count);
  const Wide nearest = floor_division(wanted - mean + quantum / 2, quantum);
  const Wide first = -floor_division(mean - lowest, quantum); // the first grid point that is not below
  const Wide last = floor_division(highest - mean, quantum);
  const Wide chosen = first <= last ? mean + std::clamp(nearest, first, last) * quantum : wanted;
  group.difference += chosen - exact;
  return static_cast<std::uint64_t>(chosen);
}

void VolumeRounding::round(VolumeOwner owner, std::span<std::uint64_t> volumes) {
  for (std::uint64_t& volume : volumes)
    volume = rounded(group(owner, volume), volume);
}

bool VolumeRounding::keep_instead(VolumeOwner owner, std::span<const std::uint64_t> volumes,
                                  std::span<const std::uint64_t> rounded) {
  const auto take_back = [&](int sign) {
    for (std::size_t i = 0; i < volumes.size(); ++i)
      group(owner, volumes[i]).difference -= sign * (static_cast<Wide>(rounded[i]) - static_cast<Wide>(volumes[i]));
  };
  take_back(1);
  for (const std::uint64_t volume : volumes) {
    const Group& of = group(owner, volume);
    if (of.difference <= of.room && -of.difference <= of.room) continue;
    take_back(-1);
    return false;
  }
  return true;
}

} // namespace timeless::gather
