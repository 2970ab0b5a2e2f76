#pragma once

#include <span>
#include <string>

namespace timeless::tools {

/// Returns a word as a shell takes it for one; characters that are not shown are written by their bytes, $'\001'.
std::string shell_word(const std::string& word);
/// Returns a path as a command takes it for one, not for an option: "./-run.tia".
std::string path_argument(const std::string& path);
/// Returns words as a line that a shell takes for them.
std::string shell_line(std::span<const std::string> words);

} // namespace timeless::tools
