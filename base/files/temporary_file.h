#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace timeless {

/// What becomes of a file that has the name already.
enum class Existing : std::uint8_t { refuse, replace };

/// Whether a file is on the disk when it gets its name, or some time later.
enum class Durable : bool { no, yes };

/// A file, or a directory with all that is in it, that is removed unless it was kept: when its owner goes, and when an
/// interrupted program calls remove_temporary_files.
class TemporaryFile {
public:
  /// Takes a fresh hidden name in this directory, which begins with temporary_prefix(purpose); `output` is what it is
  /// on its way to, if there is such, for output_of(). Creates nothing yet. Throws Error(runtime) when too many
  /// temporary files are held at once.
  TemporaryFile(const std::filesystem::path& directory, std::string_view purpose,
                const std::filesystem::path& output = {});
  /// Takes this very name.
  explicit TemporaryFile(std::filesystem::path path);
  ~TemporaryFile();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;

  const std::filesystem::path& path() const { return path_; }

  /// Creates the file, open for reading and writing: a new one, never what a link there points to. The caller closes
  /// it. Throws Error(runtime).
  int create() const;
  /// Does the same for a directory.
  void create_directory() const;

  /// Makes what was written durable, then gives the file its name, and makes that durable too. A file that had the name
  /// is replaced, a link itself and not what it points to. With Existing::refuse, throws Error(usage) when something of
  /// that name exists by then; throws Error(runtime) when the system refuses.
  ///
  /// A directory replaces a directory, which is removed with all that is in it. What is in it is not made durable.
  void keep_as(const std::filesystem::path& name, Existing existing, Durable durable = Durable::yes);

  /// Has an interruption give it this name, if there is nothing of that name then, instead of removing it: for what is
  /// worth something before it is whole.
  void keep_when_interrupted(const std::filesystem::path& name);

private:
  void remove() noexcept;
  void forget() noexcept;

  std::filesystem::path path_;
  int slot_ = -1;
};

/// Returns what an error should name: of a temporary file, or a file in such a directory, the output that it is on its
/// way to; else the file itself.
std::filesystem::path output_of(const std::filesystem::path& file);

/// Returns what the names of temporary files of one purpose begin with.
std::string temporary_prefix(std::string_view purpose);

/// Returns where a file stands; "." where its path does not say.
std::filesystem::path directory_of(const std::filesystem::path& file);

/// Returns the last part of a path: "/usr/bin/env" is "env".
std::string file_name(const std::filesystem::path& path);

/// Returns a file without a name, in this directory, for what does not fit into memory; the caller closes it. Throws
/// Error(runtime).
int open_scratch(const std::filesystem::path& directory);

/// Removes every temporary file of this process, but for those of keep_when_interrupted(): they get their names, of
/// which it returns one; null where there is none. May be called from a signal handler.
const char* remove_temporary_files() noexcept;

} // namespace timeless
