#include "gather/parts/volume_rounding.h"

#include "trace/codec/volumes/volume_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>

namespace timeless::gather {
namespace {

using Volumes = std::vector<std::uint64_t>;
__extension__ using Wide = __int128;

constexpr VolumeOwner kernel{trace::ActionKind::compute, 3};

Volumes rounded(const Volumes& volumes, std::uint64_t error) {
  VolumeRounding rounding(error);
  for (const std::uint64_t volume : volumes)
    rounding.expect(kernel, volume);
  Volumes result = volumes;
  rounding.round(kernel, result);
  return result;
}

Wide sum(const Volumes& volumes) {
  Wide all = 0;
  for (const std::uint64_t volume : volumes)
    all += volume;
  return all;
}

bool within(const Volumes& exact, const Volumes& rounded, std::uint64_t error) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const Wide difference = static_cast<Wide>(rounded[i]) - static_cast<Wide>(exact[i]);
    if ((difference < 0 ? -difference : difference) * static_cast<Wide>(billion) >
        static_cast<Wide>(exact[i]) * static_cast<Wide>(error))
      return false;
  }
  return true;
}

std::size_t bytes(const Volumes& volumes) {
  std::string payload;
  trace::VolumeEncoder().encode(std::array{std::span<const std::uint64_t>(volumes)}, payload);
  return payload.size();
}

/// Volumes of any size, near one another or not, constant, or of two sizes.
Volumes any_volumes(std::mt19937_64& random) {
  Volumes volumes(random() % 500);
  const std::uint64_t about = random() >> random() % 64;
  const unsigned manner = static_cast<unsigned>(random() % 5);
  for (std::uint64_t& volume : volumes)
    volume = manner == 0   ? about + random() % (about / 50 + 1)
             : manner == 1 ? random() >> random() % 64
             : manner == 2 ? about
             : manner == 3 ? (random() % 2 == 0 ? about : about / 3)
                           : ~std::uint64_t{0} - random() % 1000;
  return volumes;
}

constexpr std::array<std::uint64_t, 6> errors = {1, 1'000'000, 2'000'000, 10'000'000, 300'000'000, billion - 1};

/// Whatever the volumes, in one go or segment by segment, some of them left as they are: the bounds and the sum hold.
RC_GTEST_PROP(VolumeRounding, keeps_every_volume_within_the_error_and_the_sum_exact, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const std::uint64_t error = errors[random() % errors.size()];
  const Volumes exact = any_volumes(random);
  VolumeRounding rounding(error);
  for (const std::uint64_t volume : exact)
    rounding.expect(kernel, volume);
  Volumes all = exact;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t size = std::min<std::size_t>(1 + random() % 100, all.size() - begin);
    const auto some = std::span(all).subspan(begin, size);
    const auto before = std::span(exact).subspan(begin, size);
    rounding.round(kernel, some);
    if (random() % 3 == 0 && rounding.keep_instead(kernel, before, some)) std::ranges::copy(before, some.begin());
    begin += size;
  }
  RC_ASSERT(within(exact, all, error));
  RC_ASSERT(sum(exact) == sum(all));
}

TEST(VolumeRounding, leaves_volumes_that_are_too_small_for_the_error_as_they_are) {
  const Volumes small = {0, 1, 2, 100, 499, 3, 0};
  EXPECT_EQ(rounded(small, 2'000'000), small);
}

TEST(VolumeRounding, makes_a_kernel_that_varies_by_less_than_the_error_nearly_constant) {
  std::mt19937_64 random(1);
  Volumes volumes;
  for (int i = 0; i < 4000; ++i)
    volumes.push_back(1'000'000 + random() % 1000);
  const Volumes result = rounded(volumes, 2'000'000);
  EXPECT_LE(std::set<std::uint64_t>(result.begin(), result.end()).size(), 4U);
  EXPECT_LT(bytes(result), bytes(volumes) / 20);
}

TEST(VolumeRounding, of_one_percent_of_noise_to_a_fifth_of_a_percent_leaves_less_than_a_third) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> volume(3e7, 3e5);
  Volumes volumes;
  for (int i = 0; i < 4000; ++i)
    volumes.push_back(static_cast<std::uint64_t>(volume(random)));
  EXPECT_LT(bytes(rounded(volumes, 2'000'000)), bytes(volumes) / 3);
}

TEST(VolumeRounding, never_lets_a_kernel_run_ahead_by_more_than_eight_quanta) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> volume(12, 0.02);
  Volumes volumes;
  for (int i = 0; i < 20000; ++i)
    volumes.push_back(static_cast<std::uint64_t>(volume(random)));
  const Volumes result = rounded(volumes, 5'000'000);
  const auto most = static_cast<double>(*std::ranges::max_element(volumes)) * 0.005 * 1.5 * 8 * 2; // of two groups
  double ahead = 0;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    ahead += static_cast<double>(result[i]) - static_cast<double>(volumes[i]);
    ASSERT_LE(std::abs(ahead), most) << i;
  }
}

TEST(VolumeRounding, keeps_kernels_and_kinds_apart) {
  std::mt19937_64 random(4);
  const std::array owners = {VolumeOwner{trace::ActionKind::compute, 0}, VolumeOwner{trace::ActionKind::compute, 1},
                             VolumeOwner{trace::ActionKind::workers_sum, 1}};
  std::vector<std::pair<std::size_t, std::uint64_t>> sequence;
  for (int i = 0; i < 3000; ++i)
    sequence.emplace_back(random() % owners.size(), 1'000'000 + random() % 100'000);
  VolumeRounding rounding(10'000'000);
  for (const auto& [owner, volume] : sequence)
    rounding.expect(owners[owner], volume);
  std::map<std::size_t, std::int64_t> differences;
  for (const auto& [owner, volume] : sequence) {
    std::array<std::uint64_t, 1> one = {volume};
    rounding.round(owners[owner], one);
    differences[owner] += static_cast<std::int64_t>(one[0] - volume);
  }
  for (const auto& [owner, difference] : differences)
    EXPECT_EQ(difference, 0) << owner;
}

} // namespace
} // namespace timeless::gather
