#pragma once

#include "trace/model/times.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::trace {

/// Appends the plain payload of a times block (docs/archive-format.md, "Times payload") to `bytes`.
void encode_times(std::span<const ActionTimes> times, std::string& bytes);

/// Reads the times of `actions` actions into `times`, replacing what it held. Throws Error(invalid_input) on anything
/// malformed: bytes that end too early or too late, a time that does not fit 64 bits.
void decode_times(std::string_view bytes, std::size_t actions, std::vector<ActionTimes>& times);

} // namespace timeless::trace
