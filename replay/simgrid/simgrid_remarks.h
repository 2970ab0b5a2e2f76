#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::replay {

/// Returns what SimGrid warns of while it loads a platform file, a line each. Works in a child process; throws Error
/// where the file does not load.
std::vector<std::string> simgrid_warnings(const std::filesystem::path& file);

/// Returns the names of all settings that a platform file's <config> may hold, as this SimGrid knows them. Works in a
/// child process.
std::vector<std::string> simgrid_settings();

/// Limits this process's processor time and memory: for a child that reads a file nobody vouches for.
void limit_this_process();

} // namespace timeless::replay
