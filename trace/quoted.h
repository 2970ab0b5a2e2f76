#pragma once

#include <string>
#include <string_view>

namespace timeless::trace {

/// What a person has given, as it can stand in one line of a message: 'value', short and printable.
std::string quoted(std::string_view value);

/// A text that may hold what a person has given, such as a path, without what would end a line.
std::string in_one_line(std::string text);

} // namespace timeless::trace
