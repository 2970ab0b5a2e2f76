#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace timeless {

/// Returns all of a text that a person wrote, but for a byte order mark: of a file, or of a pipe. Nothing where it
/// cannot be read. Of what is longer than `most` bytes, a device perhaps, no more than one further byte is read.
std::optional<std::string> read_text(const std::filesystem::path& file, std::size_t most);

} // namespace timeless
