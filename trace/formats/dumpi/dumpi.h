#pragma once

#include "trace/formats/common/format.h"

namespace timeless::trace::formats {

/// Reads the binary traces of DUMPI (sst-dumpi), of versions 0.6 to 13: PREFIX.meta and PREFIX-0000.bin,
/// PREFIX-0001.bin, ... The path is the prefix, one of these files, or a directory that holds one such trace.
///
/// Computation is the time between the calls, and inside those of ImportOptions::counted, in nanoseconds; the other
/// calls keep their own times. docs/formats.md says what becomes of what a DUMPI trace cannot say.
///
/// Reads the records twice before it gives an action. Memory: what ranks make communicators of, and some words for
/// each rank.
std::unique_ptr<ImportedRun> open_dumpi(const std::filesystem::path& path, const ImportOptions& options = {});

/// Returns whether this begins a rank's file, or a .meta file.
bool looks_like_dumpi(std::string_view beginning);

} // namespace timeless::trace::formats
