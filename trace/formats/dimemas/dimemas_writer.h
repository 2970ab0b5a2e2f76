#pragma once

#include "trace/formats/common/format.h"

namespace timeless::trace::formats {

/// Writes one .dim file for Dimemas of the Barcelona Supercomputing Center, with the places of its tasks at the end.
/// Computation becomes seconds at ExportOptions::rate. Collectives that Dimemas knows stay collectives, others become
/// messages that all begin at once.
ExportReport write_dimemas(const Source& source, const std::filesystem::path& output, const ExportOptions& options);

} // namespace timeless::trace::formats
