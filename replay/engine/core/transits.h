#pragma once

#include "replay/engine/clocks/clocks.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace timeless::replay {

/// Transfers that requests stand for, from when they begin until their requests are completed: one-sided ones, and
/// those to and from files.
class Transits {
public:
  /// Keeps a transfer; returns its number.
  std::uint32_t keep(Transit way) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(kept_.size()));
      kept_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    kept_[number] = std::move(way);
    return number;
  }
  /// The transfer of this number, which is kept no longer.
  Transit release(std::uint32_t number) {
    free_.push_back(number);
    return std::exchange(kept_[number], {});
  }

private:
  std::vector<Transit> kept_;
  std::vector<std::uint32_t> free_;
};

/// What carries the bytes of each rank's transfers, one after the other; by the rank's number.
class TransitPorts {
public:
  Port& operator[](std::uint32_t number) {
    if (number >= ports_.size()) ports_.resize(std::size_t{number} + 1);
    return ports_[number];
  }

private:
  std::vector<Port> ports_;
};

} // namespace timeless::replay
