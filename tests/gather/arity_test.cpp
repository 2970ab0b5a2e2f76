#include "gather/tree/arity.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace timeless::gather {
namespace {

constexpr double megabyte = 1e6;
constexpr double gigabyte = 1e9;

/// Every sender brings so much, up to what the link carries.
Speeds speeds(double each, double link, double disk) {
  Speeds result{.latency = 20e-6, .into_first = {}, .disk = disk};
  for (const int senders : {1, 2, 4, 8})
    result.into_first.emplace_back(senders, std::min(senders * each, link));
  return result;
}

TEST(Arity, time_is_that_of_the_slower_of_link_and_disk_and_of_the_way_up) {
  const Speeds known = speeds(100 * megabyte, 400 * megabyte, 300 * megabyte);
  // 8 processes: 3 levels with k = 1, 2 with k = 2, 1 with k = 7.
  const double hop = 20e-6 + 1048576 / (100 * megabyte);
  EXPECT_NEAR(gathering_time(8, 1, gigabyte, known), 10 + 3 * hop + 2 * 3 * 1 * 20e-6, 1e-9);
  EXPECT_NEAR(gathering_time(8, 2, gigabyte, known), 5 + 2 * hop + 2 * 2 * 2 * 20e-6, 1e-9);
  EXPECT_NEAR(gathering_time(8, 3, gigabyte, known), gigabyte / (300 * megabyte) + 2 * hop + 2 * 2 * 3 * 20e-6, 1e-9);
  EXPECT_NEAR(gathering_time(8, 7, gigabyte, known), gigabyte / (300 * megabyte) + hop + 2 * 7 * 20e-6, 1e-9);
}

TEST(Arity, is_as_small_as_fills_the_link) {
  EXPECT_EQ(best_arity(1000, 1000 * gigabyte, speeds(100 * megabyte, 100 * megabyte, gigabyte)), 1);
  EXPECT_EQ(best_arity(1000, 1000 * gigabyte, speeds(100 * megabyte, 200 * megabyte, gigabyte)), 2);
  EXPECT_EQ(best_arity(1000, 1000 * gigabyte, speeds(100 * megabyte, gigabyte, 4 * gigabyte)), 8);
}

TEST(Arity, is_as_small_as_keeps_the_disk_busy) {
  EXPECT_EQ(best_arity(1000, 1000 * gigabyte, speeds(100 * megabyte, gigabyte, 390 * megabyte)), 4);
}

TEST(Arity, of_a_gathering_of_next_to_nothing_makes_a_flat_but_not_too_wide_tree) {
  const int arity = best_arity(10000, 1, speeds(gigabyte, gigabyte, gigabyte));
  EXPECT_GT(arity, 4);
  EXPECT_LT(arity, 64);
}

TEST(Arity, never_exceeds_the_number_of_senders) {
  EXPECT_EQ(best_arity(1, gigabyte, speeds(1, gigabyte, gigabyte)), 1);
  EXPECT_EQ(best_arity(2, gigabyte, speeds(1, gigabyte, gigabyte)), 1);
  EXPECT_LE(best_arity(4, gigabyte, speeds(1, gigabyte, gigabyte)), 3);
  EXPECT_THROW(best_arity(0, gigabyte, speeds(1, gigabyte, gigabyte)), Error);
}

} // namespace
} // namespace timeless::gather
