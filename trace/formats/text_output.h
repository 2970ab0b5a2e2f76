#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace timeless::trace::formats {

/// A text file that is being written, words between single spaces. Throws Error(runtime) where the disk is full.
class TextOutput {
public:
  /// Creates the file, or empties it.
  explicit TextOutput(const std::filesystem::path& path);

  void begin_line(std::int64_t first);
  void word(std::string_view text);
  void number(std::int64_t value);
  void numbers(std::initializer_list<std::int64_t> values);
  void end_line();
  void line(std::string_view text);

  /// Closes the file; the bytes written.
  std::uint64_t finish();

private:
  void flush();
  [[noreturn]] void fail() const;

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

} // namespace timeless::trace::formats
