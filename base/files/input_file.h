#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace timeless::trace {

/// A file open for reading at any offset. Reads are independent of each other, so threads may share one.
class InputFile {
public:
  /// Throws Error(runtime) when it cannot be opened, Error(invalid_input) when it is no regular file.
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Returns bytes when it was opened; it may be growing.
  std::uint64_t size() const { return size_; }
  /// Puts other bytes, which live in memory, in the place of those from an offset on.
  void continue_with(std::uint64_t offset, std::string tail);
  /// Reads up to `count` bytes from an offset; fewer only where the file ends. Throws Error(runtime) when reading
  /// fails.
  std::string read(std::uint64_t offset, std::size_t count) const;

private:
  std::string read_file(std::uint64_t offset, std::size_t count) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t file_size_ = 0; ///< of that, what stands in the file
  std::string tail_;            ///< and what follows on it
};

} // namespace timeless::trace
