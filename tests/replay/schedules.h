#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

namespace timeless::replay::schedules::test {

constexpr std::uint32_t most_members = 70;

/// Every algorithm for 1 to 70 members.
class Schedules : public testing::Test {
protected:
  /// Calls check(members) for all numbers of members.
  template <typename Check>
  void for_all(Check&& check, bool powers_of_two = false) {
    for (std::uint32_t members = 1; members <= most_members; ++members)
      if (!powers_of_two || std::has_single_bit(members)) check(members);
  }
};

} // namespace timeless::replay::schedules::test
