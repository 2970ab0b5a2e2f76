#pragma once

#include "base/files/temporary_file.h"
#include "trace/formats/common/format.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace timeless::trace::formats {

/// A run on its way into a foreign format, and what is told of it in the end.
struct ExportJob {
  /// Prepares an export. `who_needs_all` ends the sentence that ranks are missing. Throws Error(invalid_input) where
  /// some are.
  ExportJob(const Source& source, const ExportOptions& options, std::string_view who_needs_all);

  const Source& source;
  const ExportOptions& options;
  std::uint64_t actions = 0; ///< of all ranks
  ExportReport report = {};
};

/// Throws Error(usage) for a rate that makes no time of computation.
void require_rate(const ExportOptions& options);
/// Returns what becomes of an output that exists.
Existing existing(const ExportOptions& options);

} // namespace timeless::trace::formats
