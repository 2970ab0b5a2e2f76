#pragma once

#include <cstddef>

namespace timeless::tools {

/// What of a prediction is listed.
struct ListingOptions {
  bool per_rank = false; ///< every rank, too
  std::size_t top = 10;  ///< in the text, parts of a division and pieces of a path; 0: all
};

} // namespace timeless::tools
