#pragma once

#include <filesystem>

namespace timeless {

/// Creates a file that must not exist yet, not even as a link, and opens it with `access` (O_RDWR, O_WRONLY); what the
/// process executes does not get it. Below 0, with errno, where the system refuses.
int open_exclusively(const std::filesystem::path& path, int access);

} // namespace timeless
