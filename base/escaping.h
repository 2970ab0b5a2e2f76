#pragma once

#include <string>
#include <string_view>

namespace timeless {

/// Returns what a person has given, as it can stand in one line of a message: 'value', short and escaped.
std::string in_quotes(std::string_view value);

/// Returns a text that may hold what a person, a program or a file has given, such as a name, as it can stand in a
/// line: ends of lines and other control characters, which a terminal obeys, are written as in C. Letters of UTF-8
/// stay.
std::string escaped(std::string_view text);

} // namespace timeless
