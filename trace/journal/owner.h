#pragma once

#include "trace/journal/image.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace timeless::trace {

/// What has become of the process that keeps a journal.
enum class JournalOwner : std::uint8_t {
  running,   ///< it is there, and has the journal
  replaced,  ///< it has become another program (exec)
  gone,      ///< it has ended
  elsewhere, ///< it is or was on another host, or in another container: from here one cannot tell
};

/// Where processes have their numbers: a host since it was started, and a container on it.
struct PidNamespace {
  std::string boot;
  std::uint64_t processes = 0;
};
PidNamespace this_pid_namespace();

/// Returns when a process of this place started, in clock ticks after the host did; 0 when there is none.
std::uint64_t start_of_process(std::uint32_t process);

/// Looks for the process on this host. `path` is the journal's.
JournalOwner find_owner(const JournalImage& journal, const std::filesystem::path& path);

/// Returns in words why, or that, the rank's recording has not ended in an orderly way: "killed by SIGTERM
/// (Terminated), sent by process 4711, in MPI_Recv".
std::string ending_words(const JournalImage& journal, JournalOwner owner);

} // namespace timeless::trace
