#pragma once

#include "base/files/temporary_file.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace timeless::gather {

/// A file that gets its name only when it is whole, and that one process at a time may write.
///
/// While it exists, a lock beside the name keeps other processes, on this host and (where the file system can lock) on
/// others, from writing the same one. What a killed process left there, the next removes. On a file system without
/// locks, two may write; then only the first gets the name.
class OutputFile {
public:
  /// Throws Error(usage) when the name is taken (unless `replace`) or no place for a file, Error(runtime) when another
  /// process is writing the file, or nothing can be written there.
  OutputFile(const std::filesystem::path& name, bool replace);

  /// Returns where to write it; there is no such file yet.
  const std::filesystem::path& path() const { return partial_->path(); }
  /// Returns another file beside it, for what is needed on the way. Should the process be killed, the next that writes
  /// the output removes it.
  TemporaryFile beside() const { return {directory_of(name_), purpose_, name_}; }
  /// Makes it durable and gives it its name, which is then durable too. Throws as the constructor does.
  void keep();

private:
  class Lock;
  struct Unlock {
    void operator()(Lock* lock) const;
  };

  std::filesystem::path name_;
  std::string purpose_;
  Existing existing_;
  std::unique_ptr<Lock, Unlock> lock_;
  std::optional<TemporaryFile> partial_;
};

} // namespace timeless::gather
