#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace timeless::replay::timeline {

/// A file that is written from its beginning to its end. It gets its name when it is whole: until then it stands beside
/// it, as NAME.part, and is removed when anything fails. What is no regular file (a pipe, /dev/stdout) is written as it
/// is.
class Output {
public:
  /// Throws Error(runtime) when it cannot be written there.
  explicit Output(std::filesystem::path name);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Throws Error(runtime) when the system refuses, as on a full disk.
  void write(std::string_view bytes);
  void finish();

private:
  void flush();
  [[noreturn]] void fail(int code) const;

  std::filesystem::path name_;
  std::filesystem::path written_; ///< where it stands until it is whole
  std::string buffer_;
  int file_ = -1;
  bool whole_ = false;
};

/// A file without a name, in this directory, for what does not fit into memory. Throws Error(runtime).
int open_scratch(const std::filesystem::path& directory);

} // namespace timeless::replay::timeline
