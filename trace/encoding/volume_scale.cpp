#include "trace/encoding/volume_scale.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace timeless::trace {

bool VolumeScale::find(std::span<const std::uint64_t> values) {
  constexpr std::size_t enough = 8;
  if (values.size() < enough) return false;
  factor_ = 0;
  for (std::size_t i = 1; i <= values.size() * 3 / 4 && factor_ != 1; ++i)
    factor_ = std::gcd(factor_, values[i] > values[0] ? values[i] - values[0] : values[0] - values[i]);
  if (factor_ < 2) return false;
  remainder_ = values[0] % factor_;
  quotients_.clear();
  exceptions_.clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t quotient = values[i] < remainder_ ? 0 : (values[i] - remainder_) / factor_;
    quotients_.push_back(quotient);
    const auto difference = static_cast<std::int64_t>(values[i] - remainder_ - factor_ * quotient);
    if (difference == 0) continue;
    if (exceptions_.size() == std::min(most_exceptions, 1 + values.size() / 16)) return false;
    exceptions_.push_back({i, difference});
  }
  return true;
}

std::uint64_t VolumeScale::bits() const {
  const auto width = static_cast<unsigned>(std::bit_width(factor_));
  return 24 + 2 * width + exceptions_.size() * (16 + width);
}

} // namespace timeless::trace
