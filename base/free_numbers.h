#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace timeless {

/// Numbers for things that come and go, from 0: the number that was given back last is taken next; where none was, the
/// smallest that was never taken.
class FreeNumbers {
public:
  std::uint32_t take() {
    if (free_.empty()) return next_++;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }
  void give_back(std::span<const std::uint32_t> numbers) { free_.insert(free_.end(), numbers.begin(), numbers.end()); }

private:
  std::vector<std::uint32_t> free_;
  std::uint32_t next_ = 0;
};

} // namespace timeless
