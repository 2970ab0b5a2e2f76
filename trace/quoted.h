#pragma once

#include <string>
#include <string_view>

namespace timeless::trace {

/// What a person has given, as it can stand in one line of a message: 'value', short and in_one_line.
std::string quoted(std::string_view value);

/// A text that may hold what a person, a program or a file has given, such as a name, as it can stand in a line: ends
/// of lines and other control characters, which a terminal obeys, are written as in C. Letters of UTF-8 stay.
std::string in_one_line(std::string_view text);

} // namespace timeless::trace
