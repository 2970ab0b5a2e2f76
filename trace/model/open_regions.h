#pragma once

#include "trace/model/action.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace timeless::trace {

/// The regions a rank is in while its actions are followed in order. Each of its threads enters and leaves its own.
class OpenRegions {
public:
  struct Open {
    RegionId region = no_region;
    std::uint64_t begin = 0; ///< ordinal of the action that began it
  };

  /// Takes note of a mark (region_begin, region_end, thread) that is the rank's action of this ordinal; anything else
  /// changes nothing. False when it ends a region that is not open; of equal ones open, the innermost ends.
  bool follow(const Action& action, std::uint64_t ordinal);

  /// Returns those of the thread whose actions come now, the outermost first.
  std::span<const Open> here() const { return *here_; }
  /// Returns those of all threads.
  std::vector<Open> all() const;

  OpenRegions() = default;
  OpenRegions(const OpenRegions&) = delete;
  OpenRegions& operator=(const OpenRegions&) = delete;

private:
  std::map<Rank, std::vector<Open>> threads_ = {{0, {}}};
  std::vector<Open>* here_ = &threads_.begin()->second;
};

} // namespace timeless::trace
