#pragma once

#include "base/files/temporary_file.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace timeless {

/// Throws Error(usage) when `output` exists and is not to be replaced, or is a directory, a device, a pipe or a socket,
/// or "-", by which people mean standard output.
void demand_free_output(const std::filesystem::path& output, Existing existing);

/// Throws Error(usage) when `output` is one of these files, by whatever name: what is read is not written to. Files
/// that are not there count for nothing.
void demand_output_apart(const std::filesystem::path& output, std::span<const std::filesystem::path> inputs);

/// A file that gets its name when it is whole, and is removed when anything fails before or a signal ends the program.
///
/// What is no regular file (a pipe, a terminal, /dev/stdout) is written as it is.
class NewFile {
public:
  /// Throws Error(usage) as demand_free_output() does, Error(runtime) when nothing can be written there.
  NewFile(std::filesystem::path name, Existing existing, Durable durable = Durable::yes);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Writes at the end of the file. Throws Error(runtime) when the system refuses, as on a full disk.
  void write(std::string_view bytes);
  /// Writes over what was written before. Throws Error(usage) where the file is a pipe or its like.
  void write_over(std::uint64_t offset, std::string_view bytes);

  /// Gives the file its name; the bytes written. Throws as the constructor and write() do.
  std::uint64_t finish();

private:
  void flush();
  void name_part();
  [[noreturn]] void fail(int code) const;

  std::filesystem::path name_;
  Existing existing_;
  Durable durable_;
  bool special_;
  std::optional<TemporaryFile> part_; ///< once it has a name of its own
  std::string buffer_;
  std::uint64_t written_ = 0;
  int file_ = -1;
};

/// Writes a whole file; the bytes in it.
std::uint64_t write_file(const std::filesystem::path& name, std::string_view content, Existing existing);

} // namespace timeless
