#pragma once

#include "gather/temporary_file.h"

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Files moved between processes: in chunks, as fast as the receiver can store them, with a checksum over the whole.
namespace timeless::gather {

/// A file received.
struct Received {
  int sender = 0;
  TemporaryFile file;
  std::uint64_t bytes = 0;
};

/// Sends what `prepare` names, or word that there is nothing, to a process in receive_files. When `prepare` or reading
/// fails, the receiver is told, then the Error is thrown. When the receiver cannot store, the sending stops early;
/// throwing is the receiver's part then, so both belong into one Team::together.
void send_file(MPI_Comm communicator, int receiver,
               const std::function<std::optional<std::filesystem::path>()>& prepare);

/// Receives the files of these senders, all at once, into temporary files in `directory`; senders that had nothing, or
/// failed, give none. Calls progress(bytes) for each chunk. Comes to an end whatever fails; then throws Error(runtime)
/// when a file could not be stored or arrived other than it was sent.
std::vector<Received> receive_files(MPI_Comm communicator, const std::vector<int>& senders,
                                    const std::filesystem::path& directory,
                                    const std::function<void(std::uint64_t)>& progress);

} // namespace timeless::gather
