#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace timeless::analysis {

/// Messages whose sizes lie between two powers of two.
struct SizeClass {
  trace::Bytes least = 0; ///< the class holds sizes from here
  trace::Bytes most = 0;  ///< to here
  std::uint64_t messages = 0;
  trace::Bytes bytes = 0; ///< of all of them
};

/// Returns how many point-to-point messages of each size are sent, by rising size from the smallest class that occurs
/// to the largest: 0, 1, 2, 3 to 4, 5 to 8 bytes, and so on. Empty where none is sent. Reads the whole run once.
std::vector<SizeClass> size_histogram(const trace::Source& source,
                                      const std::function<void(std::uint64_t)>& progress = {});

} // namespace timeless::analysis
