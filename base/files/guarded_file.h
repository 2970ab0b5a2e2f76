#pragma once

#include <filesystem>

#include <sys/types.h>

namespace timeless {

/// A file being written in a process that other code shares: a program that is recorded may close descriptors that are
/// not its own, and get their numbers for files it opens itself.
///
/// So the descriptor has a high number, out of the way of those that programs count through, and descriptor() makes
/// sure that it still stands for the file before anything is written. Not thread-safe.
class GuardedFile {
public:
  GuardedFile() = default;
  /// Closes the descriptor, unless it stands for something else by now.
  ~GuardedFile();
  GuardedFile(GuardedFile&& other) noexcept;
  GuardedFile& operator=(GuardedFile&& other) noexcept;

  /// Creates the file, which must not exist yet, and opens it with `access`. Returns 0, or errno.
  int create(const std::filesystem::path& path, int access);
  bool open() const { return descriptor_ >= 0; }
  /// Returns the file's descriptor. Where it has been closed, or stands for another file, the file is opened again by
  /// its name. Below 0, with errno, where that is not possible; what stands in its place is left alone.
  int descriptor();
  /// Returns how often the file had to be opened again.
  unsigned times_reopened() const { return times_reopened_; }
  /// Closes the file. Returns 0, or errno.
  int close();

private:
  bool own(int descriptor) const;
  int reopen();

  std::filesystem::path path_;
  int access_ = 0;
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  unsigned times_reopened_ = 0;
};

} // namespace timeless
