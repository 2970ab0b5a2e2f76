#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools {

/// Returns the platforms that come with Timeless, by name.
std::vector<std::string> known_platforms();
/// Returns a platform's file by that, or by its own name. Throws Error(invalid_input), with the nearest name there is.
std::filesystem::path platform_file(const std::string& name);

} // namespace timeless::tools
