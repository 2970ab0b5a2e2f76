#pragma once

#include "trace/action_block.h"

#include <string_view>

namespace timeless::trace {

/// Reads the plain payload of an actions block, as version 1 of the archive had them (docs/archive-format.md, "Actions
/// payload"), into `block`, replacing what it held. Throws Error(invalid_input) on anything malformed: an unknown kind,
/// an index out of range, a count that does not fit the bytes, trailing bytes.
void decode_version_1(std::string_view bytes, ActionBlock& block);

} // namespace timeless::trace
