#pragma once

#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tracer {

/// The regions the program has named, numbered in the order of their first use, which is the order of their definitions
/// in the rank's file; and those that its threads are in.
///
/// A region may be entered while recording is switched off and left while it is on, or the reverse: its end is recorded
/// when its begin was.
class RegionTable {
public:
  /// Returns the region's number; allocates for a name that is new only.
  trace::RegionId number(std::string_view name);
  /// Returns how many there are.
  std::size_t defined() const { return count_; }
  /// Returns the names that are new since the last time, from this number on.
  std::vector<std::string> new_ones(std::size_t first) const;
  /// Returns the names that are new since the last time.
  std::vector<std::string> take_new();

  void enter(std::uint32_t thread, trace::RegionId region, bool recorded);
  /// Notes that the thread leaves the region. Returns whether its begin was recorded, or nothing when it is not in it.
  std::optional<bool> leave(std::uint32_t thread, trace::RegionId region);

private:
  struct Open {
    std::uint32_t thread;
    trace::RegionId region;
    bool recorded;
  };

  std::map<std::string, trace::RegionId, std::less<>> numbers_;
  trace::RegionId count_ = 0;
  std::vector<std::string> new_;
  std::vector<Open> open_; ///< in the order they were entered
};

} // namespace timeless::tracer
