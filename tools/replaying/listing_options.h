#pragma once

#include <cstddef>

namespace timeless::tools {

/// How much of a prediction a listing shows.
struct ListingOptions {
  bool per_rank = false; ///< every rank, too
  std::size_t top = 10;  ///< in the text, parts of a division and pieces of a path; 0: all
};

} // namespace timeless::tools
