#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools {

/// Returns what a file that was measured says against its own figures, sentences that begin with the file's name: that
/// the host was too noisy, and what was not reached. Of networks, rates and machines (JSON) and of platforms (the
/// comment at their head); none of other files, nor of one that cannot be read.
std::vector<std::string> reservations(const std::filesystem::path& file);

} // namespace timeless::tools
