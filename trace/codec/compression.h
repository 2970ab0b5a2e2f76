#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace timeless::trace {

/// Writes one zstd frame, in place of what `stored` held. The compressor's working memory is kept per thread between
/// calls.
void compress(std::string_view plain, int level, std::string& stored);

/// Returns the content of one zstd frame, which must be exactly plain_bytes long. Throws Error(invalid_input).
std::string decompress(std::string_view stored, std::uint32_t plain_bytes);

} // namespace timeless::trace
