#pragma once

#include "gather/parts/output_file.h"
#include "trace/model/run.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace timeless::gather {

/// How rank files are merged into one archive.
struct MergeOptions {
  bool force = false; ///< replace an existing output
  /// Once the output is whole and durable, and every block in it has been read back: remove the inputs, their journals
  /// and the directories that are empty then. Nothing is removed when ranks are missing or not finalized: what was not
  /// recorded to its end, or can be gathered again with more, stays.
  bool remove = false;
  /// Names of the inputs in errors, where their paths would not say enough; empty, or one per input.
  std::vector<std::string> labels = {};
  /// Called now and then with the bytes of blocks copied so far and in all.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// What was merged.
struct Merged {
  trace::Run run;
  std::uint64_t input_bytes = 0;  ///< of all input files
  std::uint64_t output_bytes = 0; ///< of the archive written
  std::uint64_t segments = 0;     ///< of actions
  std::uint64_t removed = 0;      ///< input files
};

/// Merges archives of one run, one rank's or several ranks' each, into one.
///
/// The output is one definitions part (see RunUnion) and then the actions blocks as the inputs hold them, checksums
/// verified, by rank. It is written beside its final name, reopened and compared with what should stand there, made
/// durable, and only then given its name; inputs are only read. On any failure the temporary file is removed and
/// an output that was there before is untouched.
///
/// Ranks that no input holds are missing in the output too, and ranks that did not finalize keep their ending:
/// run.missing_ranks() and run.complete() tell. Memory: the united definitions and the index, not the actions.
///
/// Throws Error(usage) when the output exists (unless forced) or is one of the inputs, Error(invalid_input) when the
/// inputs do not fit together or are damaged, Error(runtime) when the disk is full or the system refuses.
Merged merge(std::span<const std::filesystem::path> inputs, const std::filesystem::path& output,
             const MergeOptions& options = {});
/// Merges into an output that the caller holds, whose name it gets; options.force does not count.
Merged merge(std::span<const std::filesystem::path> inputs, OutputFile& output, const MergeOptions& options = {});

} // namespace timeless::gather
