#pragma once

#include "gather/merge/merge.h"
#include "trace/model/source.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace timeless::gather {

/// How an archive is written anew.
struct ConversionOptions {
  std::uint64_t volume_error = 0; ///< how far a volume may be from what it was, in parts of a billion; 0: not at all
  bool force = false;             ///< replace an existing output
  /// Called now and then with the actions read so far, and to be read in all.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// What was written anew, and how much of it was rounded.
struct Conversion {
  Merged merged; ///< input_bytes are the input's
  std::uint64_t volumes = 0;
  std::uint64_t rounded = 0; ///< volumes that are not what they were
  double largest_error = 0;  ///< relative, of a volume
};

/// Writes the run at a path, an archive or a directory of rank files, as a gathered archive.
///
/// With a volume error, volumes are rounded where that makes them smaller (see VolumeRounding): each stays within the
/// error, the sum of each kernel of each rank is exact, and Run::volume_error says so if any was rounded, with the
/// error that the input may have had before taken into account.
///
/// Memory: the definitions, a segment, and some dozen bytes for each kernel. Disk: twice the output while it is made.
/// Throws as merge() does, and Error(usage) when the error is 100 % or more.
Conversion convert(const std::filesystem::path& input, const std::filesystem::path& output,
                   const ConversionOptions& options = {});
/// Converts a run from anywhere, named `label` in errors; merged.input_bytes is not known.
Conversion convert(const trace::Source& source, const std::string& label, const std::filesystem::path& output,
                   const ConversionOptions& options = {});

} // namespace timeless::gather
