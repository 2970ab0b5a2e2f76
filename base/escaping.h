#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace timeless {

/// Returns the bytes of the character of UTF-8 that a text, which is not empty, begins with; 0 where none begins there:
/// too short, too long, a surrogate, beyond U+10FFFF.
std::size_t character_size(std::string_view text);

/// Returns what a person has given, as it can stand in one line of a message: 'value', short and escaped.
std::string in_quotes(std::string_view value);

/// Returns a text that may hold what a person, a program or a file has given, such as a name, as it is shown in a line
/// of a terminal, a table or a page. Ends of lines and other control characters, which a terminal obeys, are written as
/// in C, "\n" and "\x1b"; so are bytes that are no UTF-8. Characters that nobody sees and that change how others are
/// shown or compared are written by their numbers, "\u202e": Unicode's format characters (marks of direction, joiners,
/// byte order marks, tags), separators of lines, and letters that are blank. Other letters of UTF-8 stay.
std::string escaped(std::string_view text);

/// Returns JSON in which such characters stand as JSON's escapes, so that a terminal obeys nothing and a reader is not
/// misled; what it says is the same.
std::string escaped_json(std::string_view json);

} // namespace timeless
