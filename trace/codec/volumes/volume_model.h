#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// How the values of one stream are told: the models of a volumes payload, and which of them is the shortest.
namespace timeless::trace {

/// The two upper bits of a model's first byte; its lower six are a width in bits, or an OtherModel.
enum class ModelClass : std::uint8_t {
  around = 0,  ///< a centre, and the signed distance from it, Rice-coded
  packed = 1,  ///< the least value, and the distance above it in a fixed width
  changes = 2, ///< the difference from the value before less the usual one, signed, Rice-coded
  other = 3,
};

/// How the volumes of a stream are written that are not of a common kind. The archive holds these numbers.
enum class OtherModel : std::uint8_t {
  constant = 0,
  ramp = 1,     ///< a first value and a constant step
  periodic = 2, ///< a period, and the model of one
  above = 3,    ///< the least value, and the distance above it, Rice-coded
  listed = 4,   ///< at most 256 distinct values, and which of them each is, as a symbol among all streams' symbols
  ranked = 5,   ///< at most 256 distinct values, the frequent ones first, and which of them each is, Rice-coded
};

inline constexpr std::size_t max_listed = 256;

/// How the volumes of one stream are written.
struct VolumeModel {
  ModelClass kind = ModelClass::other;
  OtherModel other = OtherModel::constant;
  unsigned width = 0;     ///< of the low bits of a Rice code, or of a packed value
  std::uint64_t base = 0; ///< the constant, the centre, the least value, the first one
  std::uint64_t step = 0; ///< of a ramp; the usual change
};

/// Returns how many of its lowest bits a centre is written without: as many as the values have of noise.
constexpr unsigned centre_shift(unsigned width) {
  return width > 3 ? width - 3 : 0;
}

/// The distinct values of a stream and where each stands. Keeps its working memory.
class DistinctValues {
public:
  /// Returns false when there are so many that listing them does not pay.
  bool list(std::span<const std::uint64_t> values);
  /// Returns the frequent ones first.
  std::span<const std::uint64_t> values() const { return {values_.data(), count_}; }
  std::span<const std::uint32_t> counts() const { return {counts_.data(), count_}; }
  /// Returns each value's place among them.
  std::span<const std::uint8_t> places() const { return places_; }

private:
  std::array<std::uint64_t, max_listed> values_{};
  std::array<std::uint32_t, max_listed> counts_{};
  std::size_t count_ = 0;
  std::vector<std::uint8_t> places_;
};

/// Returns the length of the shortest beginning whose repetition gives the values; their number if there is none worth
/// telling. `borders` is working memory.
std::size_t period_of(std::span<const std::uint64_t> values, std::vector<std::uint32_t>& borders);

/// Returns the shortest of the models but the periodic one; leaves in `distinct` what it needs.
VolumeModel choose_model(std::span<const std::uint64_t> values, DistinctValues& distinct);

/// Returns bytes that each of some values takes above the least of them.
unsigned byte_width(std::span<const std::uint64_t> values);

} // namespace timeless::trace
