#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace timeless::gather {

/// A file that is removed unless it was kept: when its owner goes, and when an interrupted program calls
/// remove_temporary_files.
class TemporaryFile {
public:
  /// Takes a fresh hidden name in this directory, which begins with temporary_prefix(purpose). Creates nothing yet.
  /// Throws Error(runtime) when too many temporary files are held at once.
  TemporaryFile(const std::filesystem::path& directory, std::string_view purpose);
  /// Takes this very name.
  explicit TemporaryFile(std::filesystem::path path);
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;

  const std::filesystem::path& path() const { return path_; }

  /// Makes what was written durable, then gives the file its name, and makes that durable too. Without `replace`,
  /// throws Error(usage) when a file of that name exists by then; throws Error(runtime) when the system refuses.
  void keep_as(const std::filesystem::path& name, bool replace);

private:
  void remove() noexcept;

  std::filesystem::path path_;
  int slot_ = -1;
};

/// What the names of temporary files of one purpose begin with.
std::string temporary_prefix(std::string_view purpose);

/// Removes every temporary file of this process; may be called from a signal handler.
void remove_temporary_files() noexcept;

} // namespace timeless::gather
