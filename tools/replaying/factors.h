#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tools {

/// Reads a factor, "x2", "/2", "1.5" as 2, 0.5, 1.5; nothing for what is no finite number above 0.
std::optional<double> parse_factor(std::string_view word);

/// Reads factors, "x2,/2,1.5" as 2, 0.5, 1.5, and "/2..x4" as 0.5, 1, 2, 4, in steps of two. Throws Error(usage);
/// `option` is named in it.
std::vector<double> parse_factors(const std::string& text, const std::string& option);

/// Reads factors of the processors' speeds likewise, and returns those of the time that computation takes: "x2" is 0.5.
std::vector<double> parse_speeds(const std::string& text, const std::string& option);

} // namespace timeless::tools
