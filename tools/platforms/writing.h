#pragma once

#include "tools/platforms/draft.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools::platforms {

/// A platform file that was written.
struct WrittenPlatform {
  std::filesystem::path output;
  /// Of an upgrade: the file it was made from, and what had to change.
  std::optional<std::filesystem::path> from = {};
  std::vector<std::string> changes = {};
};

/// Writes the file in today's format. Throws Error(usage) without an output, where it is the file itself or exists
/// (unless `force`), and the first mistake of what would be written, which is not.
WrittenPlatform write_upgraded(const std::filesystem::path& file, const std::filesystem::path& output, bool force);
/// Writes a platform of few words, asking on the terminal for what the draft lacks where `ask`. Throws likewise.
WrittenPlatform write_new(Draft draft, const std::filesystem::path& output, bool ask, bool force);

/// Writes a platform file's text; throws likewise.
void write_text(const std::filesystem::path& output, const std::string& text, bool force);

} // namespace timeless::tools::platforms
