#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Which recording a command is part of.
namespace timeless::tools {

/// A number that the files of one recording share, and no other recording in the directory has.
struct RecordingNumber {
  std::uint32_t value = 0; ///< never 0
  /// The command is one of a job's ranks, as in `srun timeless record`, and those of the others have the same number.
  bool shared = false;
};

/// Returns the number of the recording of this command (trace/model/recording.h): that of the job of which a launcher
/// has started it as a rank; chance for any other, and for one that starts a launcher itself.
RecordingNumber recording_number(const std::vector<std::string>& command);

} // namespace timeless::tools
