#pragma once

#include "trace/codec/definitions/definitions.h"
#include "trace/codec/structure/structure.h"

#include <memory>

namespace timeless::trace {

/// Returns a structure's dictionary as one rank means it, entry by entry: with absolute ranks and the run's numbers in
/// place of those that `numbers` translates. Lists of actions stay the structure's where they can. Throws
/// Error(invalid_input) when the structure does not suit the rank.
Dictionary rank_dictionary(const std::shared_ptr<const Structure>& structure, Rank rank, const RankNumbers& numbers,
                           const Run& run);

} // namespace timeless::trace
