#pragma once

#include "trace/model/run.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// What a recording left behind, read from its directory.
namespace timeless::tools {

/// What a recording left in its directory.
struct Outcome {
  trace::Rank size = 0;                ///< ranks the program had; 0 when nothing was recorded
  std::vector<trace::Rank> recorded;   ///< ranks with a file here
  std::vector<trace::Rank> of_others;  ///< ranks of another recording, of which nothing is counted
  std::vector<trace::Rank> unfinished; ///< of those, the ones whose file does not end with MPI_Finalize
  /// Why they do not, and which; first those that nothing else has ended, as far as that is known.
  std::vector<std::pair<std::string, std::vector<trace::Rank>>> reasons;
  std::map<std::string, std::vector<trace::Rank>> notes; ///< what the trace says of ranks' recordings, and of which
  std::vector<std::string> unreadable;                   ///< files that are no archives, with why
  trace::Counter counter;
  std::uint64_t actions = 0;
  std::uint64_t bytes = 0;
  std::map<std::string, std::uint64_t> unrecorded_calls; ///< over all ranks, by MPI name
  std::vector<std::string> icount_messages;              ///< "LOG: first line"
  std::vector<std::string> spawned_worlds;               ///< where spawned processes were recorded

  bool complete() const;
  std::vector<trace::Rank> missing() const; ///< ranks without a file here
};

/// Reads the rank files' headers, and removes the icount tool's empty logs. `recording`: the number of the one to tell
/// of (recording/number.h).
Outcome outcome_of(const std::filesystem::path& directory, std::uint32_t recording);

/// Returns true where not even the beginning of a rank's recording finds room on the disk.
bool has_no_room(const std::filesystem::path& directory);

/// Returns in one line why this command, which has left no rank files in the directory, may have recorded nothing.
std::string why_nothing_recorded(const std::vector<std::string>& command, const std::filesystem::path& directory);

} // namespace timeless::tools
