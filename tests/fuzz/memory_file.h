#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace timeless::fuzz {

/// Bytes that can be opened like a file.
class MemoryFile {
public:
  MemoryFile() : file_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (file_ < 0) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(file_); }

  void hold(std::string_view bytes) {
    if (ftruncate(file_, 0) != 0) std::abort();
    for (std::size_t written = 0; written < bytes.size();) {
      const ssize_t more = pwrite(file_, bytes.data() + written, bytes.size() - written, static_cast<off_t>(written));
      if (more <= 0) std::abort();
      written += static_cast<std::size_t>(more);
    }
  }

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
  int file_;
};

} // namespace timeless::fuzz
