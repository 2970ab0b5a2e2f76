#pragma once

#include <bit>
#include <cstdint>

/// Every algorithm is a function that says what one member does in its n-th step, or that it has no such step. It works
/// that out from the group and the place alone, so that no schedule is ever written down.
namespace timeless::replay::schedules {

inline constexpr std::uint32_t nobody = 0xffffffffU;

/// Members 0 to members - 1.
struct Group {
  std::uint32_t members = 1;
  std::uint32_t root = 0; ///< only where an algorithm says that it looks at it; others have member 0 as their root
};

/// Consecutive blocks of a collective's data. After the last block comes the first.
struct Blocks {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool operator==(const Blocks&) const = default;
};

/// A member sends, then receives; either may be missing. Then it reduces, if it does.
struct Step {
  std::uint32_t to = nobody;
  Blocks out;
  std::uint32_t from = nobody;
  Blocks in;
  bool reduces = false; ///< what came in is combined with what was here
};

/// Returns floor(lg members).
constexpr std::uint32_t floor_log2(std::uint32_t members) {
  return static_cast<std::uint32_t>(std::bit_width(members)) - 1;
}

/// Returns ceil(lg members).
constexpr std::uint32_t ceil_log2(std::uint32_t members) {
  return static_cast<std::uint32_t>(std::bit_width(members - 1));
}

} // namespace timeless::replay::schedules
