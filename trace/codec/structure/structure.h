#pragma once

#include "trace/codec/structure/folded_sequence.h"
#include "trace/model/dictionary.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::trace {

/// Which actions a rank did, in which order, without their volumes: of a segment of its run, or of all of it.
struct Structure {
  Dictionary dictionary;
  /// By entry, what in it is relative to the rank (see RelativeRanks); empty when nothing is.
  std::vector<std::uint8_t> relative;
  FoldedSequence sequence; ///< of entries of the dictionary
};

/// Appends the structure's bytes (docs/archive-format.md, "Structure"). Equal structures give equal bytes.
void encode(const Structure& structure, std::string& bytes);

/// Throws Error(invalid_input) on anything malformed, and on more than `most_actions` actions.
Structure decode_structure(std::string_view bytes, std::uint64_t most_actions);

} // namespace timeless::trace
