#pragma once

#include "replay/simgrid/platform_text.h"

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::replay {

/// Loads a platform with the caller's settings in a child, where SimGrid may abort, and walks some routes, which it may
/// abort on too. Throws Error(invalid_input) for what no replay can use, naming `file`.
void try_in_child(const PlatformText& text, const std::filesystem::path& file,
                  const std::vector<std::string>& settings);

} // namespace timeless::replay
