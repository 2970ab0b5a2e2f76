#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sys/types.h>

namespace timeless {

/// Reads until so many bytes are there. Returns false at the end of what there is to read, or on an error.
bool read_whole(int descriptor, void* to, std::size_t bytes);

/// Writes all of it. Returns false, with errno, where the system refuses.
bool write_whole(int descriptor, std::string_view bytes);

/// Reads so many bytes from an offset of a file. Returns how many: fewer only where the file ends, below 0, with errno,
/// on an error.
ssize_t read_at(int descriptor, std::uint64_t offset, char* to, std::size_t bytes);

/// Writes all of it at an offset of a file. Returns how many bytes were written: where the system refuses some, fewer,
/// with errno.
std::size_t write_at(int descriptor, std::uint64_t offset, std::string_view bytes);

} // namespace timeless
