#pragma once

#include "trace/model/action.h"

#include <cstdint>
#include <optional>
#include <string>

namespace timeless::trace::checking {

/// What one member's collective call says of the sizes involved, such that the call fits when
/// - all `common` numbers that are given are equal, and
/// - the sums over all members of `given` and of `expected` are equal.
/// Both are hashes over (sender, receiver, bytes), so that nothing need be kept per pair of ranks.
struct CollectiveSizes {
  std::optional<std::uint64_t> common = {};
  std::optional<std::uint64_t> also_common = {}; ///< where a call gives two, a sent and a received one
  std::uint64_t given = 0;
  std::uint64_t expected = 0;
  bool sums = false; ///< given and expected mean something
  bool common_is_bytes = true;
};

/// Returns the sizes of a call by the member at `place` .
CollectiveSizes sizes_of(const Action& action, Rank place);

/// Returns what is wrong with the call by itself, in words: a root out of range, lists of another length than the
/// communicator's. Empty when nothing.
std::string malformed(const Action& action, Rank place, Rank size);

} // namespace timeless::trace::checking
