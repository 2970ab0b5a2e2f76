#pragma once

#include "tools/recording/capabilities.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

/// Trying the user's own command: what starts it, and its program.
namespace timeless::tools {

/// Runs a command as `timeless record` would, but ends its program once it has come through MPI_Init, and tells what
/// was found of the program and of the launch: how far the preloaded library has come, or what has kept it from the
/// program. After `limit` the command is ended. Its files go into a directory of their own beside `directory`, and are
/// removed.
std::vector<Check> test_launch(const std::vector<std::string>& command, const std::filesystem::path& directory,
                               std::chrono::milliseconds limit);

} // namespace timeless::tools
