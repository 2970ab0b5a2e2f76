#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace timeless::tools {

/// Returns the first `most` words with commas between them, and how many more there are: "a, b and 3 more".
std::string joined_words(std::span<const std::string> words, std::size_t most);

} // namespace timeless::tools
