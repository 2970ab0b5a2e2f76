#pragma once

#include "trace/action_block.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace timeless::trace {

/// Writes the block's plain payload (docs/archive-format.md, "Actions payload") to the end of `bytes`.
void encode_block(const ActionBlock& block, std::string& bytes);

/// Reads a plain payload into `block`, replacing what it held. Throws Error(invalid_input) on anything malformed: an
/// unknown kind, an index out of range, a count that does not fit the bytes, trailing bytes.
void decode_block(std::string_view bytes, ActionBlock& block);

} // namespace timeless::trace
