#pragma once

#include "base/files/new_file.h"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace timeless::trace::formats {

/// A text file that is being written, words between single spaces. Throws what NewFile does.
class TextOutput {
public:
  TextOutput(const std::filesystem::path& path, Existing existing, Durable durable = Durable::yes)
      : file_(path, existing, durable) {}

  void begin_line(std::int64_t first);
  void word(std::string_view text);
  void number(std::int64_t value);
  void numbers(std::initializer_list<std::int64_t> values);
  void end_line();
  void line(std::string_view text);

  /// Returns where the next line begins.
  std::uint64_t place() const { return place_ + buffer_.size(); }
  /// Writes over what stands there.
  void overwrite(std::uint64_t place, std::string_view text);

  /// Gives the file its name; the bytes written.
  std::uint64_t finish();

private:
  void flush();

  NewFile file_;
  std::string buffer_;
  std::uint64_t place_ = 0; ///< of the buffer
};

} // namespace timeless::trace::formats
