#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace timeless::trace {

/// A value that is not where the others are.
struct ScaleException {
  std::size_t place = 0;
  std::int64_t difference = 0; ///< of the value from remainder + factor * quotient
};

/// Values that are all, but for some exceptions, a remainder plus a multiple of one factor: of a coarse clock, of whole
/// lines, or rounded. Keeps its working memory.
class VolumeScale {
public:
  static constexpr std::size_t most_exceptions = 64;

  /// False when there is no factor above 1 in the first three quarters of the values, or too many exceptions to it in
  /// the last.
  bool find(std::span<const std::uint64_t> values);

  std::uint64_t factor() const { return factor_; }
  std::uint64_t remainder() const { return remainder_; }
  std::span<const std::uint64_t> quotients() const { return quotients_; }
  std::span<const ScaleException> exceptions() const { return exceptions_; }
  /// Bits that all this takes beside the quotients, about.
  std::uint64_t bits() const;

private:
  std::uint64_t factor_ = 1;
  std::uint64_t remainder_ = 0;
  std::vector<std::uint64_t> quotients_;
  std::vector<ScaleException> exceptions_;
};

} // namespace timeless::trace
