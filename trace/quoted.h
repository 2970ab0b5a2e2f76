#pragma once

#include <string>
#include <string_view>

namespace timeless::trace {

/// What a person has given, as it can stand in one line of a message: 'value', short and printable.
std::string quoted(std::string_view value);

} // namespace timeless::trace
