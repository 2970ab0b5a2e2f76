#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tools {

/// "x2", "/2", "1.5" -> 2, 0.5, 1.5; nothing for what is no finite number above 0.
std::optional<double> parse_factor(std::string_view word);

/// "x2,/2,1.5" -> 2, 0.5, 1.5; "/2..x4" -> 0.5, 1, 2, 4, in steps of two. Throws Error(usage); `option` is named in it.
std::vector<double> parse_factors(const std::string& text, const std::string& option);

} // namespace timeless::tools
