#pragma once

#include "trace/formats/common/format.h"

namespace timeless::trace::formats {

/// Writes what `smpirun -replay OUTPUT` of SimGrid 3.20 and later replays: OUTPUT lists one text a rank, in
/// OUTPUT_files, by absolute paths.
///
/// The text knows one communicator: messages on others get tags of their own, collectives on others become messages,
/// as do nonblocking ones (whose messages then all start at once). docs/formats.md says how every action is said.
/// Reads the source twice. Memory: what is under way on one rank.
ExportReport write_ti(const Source& source, const std::filesystem::path& output, const ExportOptions& options);

} // namespace timeless::trace::formats
