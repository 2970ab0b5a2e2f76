#pragma once

#include "base/files/input_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::trace::formats {

/// Reads the lines of a text file, one after the other. Memory: a buffer, and the longest line. Not thread-safe.
class TextLines {
public:
  /// Begins at this offset. Throws Error(runtime) when the file cannot be opened.
  explicit TextLines(const std::filesystem::path& path, std::uint64_t offset = 0);

  /// Reads the next line, without its end; a last line needs none. The view lasts until the next call. Returns false at
  /// the end. Throws Error(invalid_input) on lines that no honest file has.
  bool next(std::string_view& line);

  std::uint64_t offset() const { return line_offset_; } ///< of the line last given
  std::uint64_t number() const { return number_; }      ///< of that line, from 1, counted from where reading began
  const std::filesystem::path& path() const { return file_.path(); }

private:
  bool fill();

  InputFile file_;
  std::string buffer_;
  std::size_t position_ = 0;
  std::uint64_t buffer_offset_; ///< in the file, of the buffer's first byte
  std::uint64_t line_offset_ = 0;
  std::uint64_t number_ = 0;
};

/// Splits a line into words: what stands between spaces and tabs.
void split_words(std::string_view line, std::vector<std::string_view>& words);

} // namespace timeless::trace::formats
