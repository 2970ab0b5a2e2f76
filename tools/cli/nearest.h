#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tools {

/// Returns the word of a list that differs least from this one, or begins with it; empty where all differ much.
std::string_view nearest(std::span<const std::string_view> words, std::string_view word);

/// Returns "did you mean e10g? ", or nothing; names up to three words that differ equally little.
std::string did_you_mean(const std::vector<std::string>& words, std::string_view word);

} // namespace timeless::tools
