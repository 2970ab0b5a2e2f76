#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace timeless::replay {

/// What a file is, for a person who has named it where another was asked for.
struct FileKind {
  std::string what;   ///< "a network (timeless.network/1)"
  std::string advice; ///< "give it with --network"
};

/// Returns what a file is by its text or its first bytes, however damaged the rest is; nothing where nobody can tell.
std::optional<FileKind> file_kind(std::string_view text);

} // namespace timeless::replay
