#pragma once

#include "trace/ids.h"
#include "trace/source.h"

#include <cstdint>
#include <unordered_map>

namespace timeless::trace {

/// What a later action says of a nonblocking one.
struct Amendment {
  bool cancelled = false;
  Rank peer = no_rank; ///< of a receive from anybody, once it is known; with it the tag and the bytes
  Tag tag = 0;
  Bytes bytes = 0;
};

/// By the number of the action that began the request, from 0.
using Amendments = std::unordered_map<std::uint64_t, Amendment>;

/// Reads a rank's actions once, for writers that must know when a request begins what becomes of it.
Amendments amendments_of(const Source& source, Rank rank);

} // namespace timeless::trace
