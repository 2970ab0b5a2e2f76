#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace timeless::gather {

/// The united run's numbers of some things, in the order they are first asked for.
class Numbering {
public:
  explicit Numbering(std::size_t count) : numbers_(count, unnumbered) {}

  std::uint32_t operator()(std::uint32_t ours) {
    std::uint32_t& number = numbers_.at(ours);
    if (number == unnumbered) {
      number = static_cast<std::uint32_t>(order_.size());
      order_.push_back(ours);
    }
    return number;
  }
  bool has(std::uint32_t ours) const { return numbers_.at(ours) != unnumbered; }
  /// Returns our numbers, in the order of the run's.
  const std::vector<std::uint32_t>& order() const { return order_; }

private:
  static constexpr std::uint32_t unnumbered = 0xffffffffU;

  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> order_;
};

} // namespace timeless::gather
