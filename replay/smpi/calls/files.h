#pragma once

#include "replay/smpi/calls/call.h"
#include "replay/smpi/calls/collectives.h"
#include "replay/smpi/calls/communicators.h"
#include "replay/smpi/calls/job_context.h"

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

#include <cstdint>
#include <unordered_map>
#include <utility>

namespace timeless::replay::smpi {

struct Pending;

/// Bytes on their way to or from a file.
struct FileTransfer {
  simgrid::s4u::IoPtr disk = nullptr; ///< where the host has one
  double until = 0;                   ///< where it has none: when they are there, simulated seconds
  bool instance = false;              ///< a collective call: the members' collective says when it began
  std::pair<trace::CommunicatorId, std::uint64_t> members{};
  trace::Bytes bytes = 0;
  MPI_Request arrival = MPI_REQUEST_NULL; ///< done when all members have come
};

/// The file operations of a rank. SMPI's own need names and places that traces do not hold. What it would do with them,
/// it does on SimGrid's disks: so does this, where hosts have some, and else as the model does.
class Files {
public:
  Files(JobContext& context, const Communicators& communicators, Collectives& collectives)
      : context_(context), communicators_(communicators), collectives_(collectives) {}

  /// Performs a call of the rank alone; `pending` is the request that it begins, null where it blocks.
  void transfer(const Call& call, Pending* pending);
  /// Performs a call of all members of a communicator; `pending` as above.
  void collective(const Call& call, Pending* pending);
  /// Waits for the end of a transfer.
  void finish(const Call& call, FileTransfer& transfer);

private:
  FileTransfer meet(const Call& call, bool waits);
  void start(const Call& call, FileTransfer& transfer, trace::Bytes read, trace::Bytes written);

  JobContext& context_;
  const Communicators& communicators_;
  Collectives& collectives_;
  std::unordered_map<std::uint32_t, double> port_free_; ///< by thread: when its earlier transfers have passed
  std::unordered_map<trace::CommunicatorId, std::uint64_t> calls_; ///< collective ones so far
  std::unordered_map<trace::CommunicatorId, FileTransfer> split_;  ///< begun and not ended
};

} // namespace timeless::replay::smpi
