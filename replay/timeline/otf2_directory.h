#pragma once

#include "base/files/new_file.h"
#include "base/files/temporary_file.h"

#include <cstdint>
#include <filesystem>

namespace timeless::replay::timeline {

/// What the files of an archive begin with.
inline constexpr const char* otf2_archive_name = "traces";

/// The directory of an OTF2 archive, which gets its name when it is whole. It may replace another archive, and nothing
/// else.
class Otf2Directory {
public:
  /// Throws Error(usage) where something has this name that may not be replaced, Error(runtime) where no directory can
  /// be made.
  Otf2Directory(std::filesystem::path name, Existing existing);

  const std::filesystem::path& name() const { return name_; }
  /// Returns where the archive is written.
  const std::filesystem::path& written() const { return part_.path(); }

  /// Gives it its name. Returns the bytes in it. Throws as the constructor does.
  std::uint64_t finish();

private:
  std::filesystem::path name_;
  Existing existing_;
  TemporaryFile part_;
};

} // namespace timeless::replay::timeline
