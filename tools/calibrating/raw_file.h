#pragma once

#include "ping/raw.h"

#include <filesystem>

namespace timeless::tools {

/// Reads a file of measurements; warns where its end was cut off. Throws Error(runtime) where it cannot be read,
/// Error(invalid_input) where it is none.
ping::Raw read_raw_file(const std::filesystem::path& file);

} // namespace timeless::tools
