#pragma once

#include "ping/raw.h"

#include <filesystem>
#include <functional>

namespace timeless::tools {

/// Reads a file of measurements; warns where its end was cut off. Throws Error(runtime) where it cannot be read,
/// Error(invalid_input) where it is none.
ping::Raw read_raw_file(const std::filesystem::path& file);

/// Does what writes results. Adds to an Error(runtime) of it that the measurements stay in `raw`.
void write_results(const std::filesystem::path& raw, const std::function<void()>& write);

} // namespace timeless::tools
