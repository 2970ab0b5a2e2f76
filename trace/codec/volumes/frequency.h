#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace timeless::trace {

/// Puts at most 256 things in the order of how often they occur, the frequent ones first, and says by `places` where
/// each occurrence's thing is now.
template <typename Thing>
void sort_by_count(std::span<Thing> things, std::span<std::uint32_t> counts, std::span<std::uint8_t> places) {
  struct Counted {
    Thing thing;
    std::uint32_t count;
    std::uint8_t place;
  };
  std::array<Counted, 256> entries;
  for (std::size_t place = 0; place < things.size(); ++place)
    entries[place] = {things[place], counts[place], static_cast<std::uint8_t>(place)};
  std::ranges::sort(std::span(entries).first(things.size()), [](const Counted& left, const Counted& right) {
    return left.count != right.count ? left.count > right.count : left.place < right.place;
  });
  std::array<std::uint8_t, 256> ranks;
  for (std::size_t rank = 0; rank < things.size(); ++rank) {
    things[rank] = entries[rank].thing;
    counts[rank] = entries[rank].count;
    ranks[entries[rank].place] = static_cast<std::uint8_t>(rank);
  }
  for (std::uint8_t& place : places)
    place = ranks[place];
}

} // namespace timeless::trace
