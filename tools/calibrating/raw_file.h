#pragma once

#include "ping/raw.h"

#include <filesystem>
#include <functional>

namespace timeless::tools {

/// Reads a file of measurements; warns where its end was cut off. Throws Error(invalid_input) where it cannot be read
/// or is none.
ping::Raw read_raw_file(const std::filesystem::path& file);

/// Does what fits measurements that were just made. Adds to an Error(invalid_input) of it that they stay in `raw`.
void fit_measured(const std::filesystem::path& raw, const std::function<void()>& fit);

/// Does what writes results. Adds to an Error(runtime) of it that the measurements stay in `raw`.
void write_results(const std::filesystem::path& raw, const std::function<void()>& write);

} // namespace timeless::tools
