#pragma once

#include "trace/model/source.h"

#include <filesystem>

namespace timeless::bench {

/// Writes an archive as gathering leaves it: the ranks share their structures.
void write_gathered(const trace::Source& source, const std::filesystem::path& path);

/// A file of its own among the temporary ones, removed in the end.
class TemporaryArchive {
public:
  explicit TemporaryArchive(const trace::Source& source);
  ~TemporaryArchive();
  TemporaryArchive(const TemporaryArchive&) = delete;
  TemporaryArchive& operator=(const TemporaryArchive&) = delete;
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace timeless::bench
