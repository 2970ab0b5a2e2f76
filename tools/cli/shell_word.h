#pragma once

#include <string>

namespace timeless::tools {

/// Returns a word as a shell takes it for one.
std::string shell_word(const std::string& word);

} // namespace timeless::tools
