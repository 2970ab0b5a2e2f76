#pragma once

#include "trace/formats/common/format.h"

namespace timeless::trace::formats {

/// Reads SimGrid's time-independent text: `<rank> <action> values...`, one action a line.
///
/// The path is that of one file with the lines of all ranks, or of a file that lists one such file, or a file for each
/// rank. Understood are the lines that SimGrid 3.20 and later write and replay, and older ones: `rcv` for `recv`, names
/// in any mixture of cases, `p0` for `0`, messages without tag or size, waits that name no message, no `init` or
/// `finalize`, and SimGrid's timed print of a replay. docs/formats.md says what becomes of each.
///
/// Reads the text twice before it gives an action. Memory: some words for each rank; where receives name no sizes,
/// those of the sends, runs of equal ones once.
std::unique_ptr<ImportedRun> open_ti(const std::filesystem::path& path, const ImportOptions& options = {});

/// Returns whether a line of this is an action. A list of files is not known by its looks.
bool looks_like_ti(std::string_view beginning);

} // namespace timeless::trace::formats
