#pragma once

#include "tracer/common/flat_map.h"
#include "tracer/handles/communicators.h"
#include "tracer/mpi/types.h"

namespace timeless::tracer {

/// The files this rank has open, by handle. Each has a communicator of its own in the trace: the group of the one it
/// was opened on, and an identity as of any communicator made collectively over that (see communicators.h).
///
/// Not safe to share: calls of files are recorded one at a time, under the recorder's mutex where several threads call
/// MPI at once.
class FileTable {
public:
  void open(MPI_File handle, KnownCommunicator* own) { by_handle_.set(key_of(handle), own); }
  /// Returns what was known of the file, or null.
  KnownCommunicator* close(MPI_File handle) {
    KnownCommunicator* const own = find(handle);
    if (own != nullptr) by_handle_.erase(key_of(handle));
    return own;
  }

  /// Returns the file's communicator, or null when the trace knows nothing of the file.
  KnownCommunicator* find(MPI_File handle) {
    KnownCommunicator** const known = by_handle_.find(key_of(handle));
    return known != nullptr ? *known : nullptr;
  }

private:
  FlatMap<KnownCommunicator*> by_handle_;
};

} // namespace timeless::tracer
