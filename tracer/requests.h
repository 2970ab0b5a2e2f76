#pragma once

#include "trace/action.h"
#include "tracer/block_queue.h"
#include "tracer/flat_map.h"

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace timeless::tracer {

struct KnownCommunicator;

/// What is known of a request the program holds.
struct Request {
  MPI_Request handle = nullptr;
  /// Its number in the trace. None when the trace knows nothing of it: its peer is MPI_PROC_NULL, or it began while
  /// recording was switched off, or by a call that is not recorded.
  trace::RequestId id = trace::no_request;
  bool receive = false;
  bool persistent = false;
  bool active = true; ///< not so: a persistent request between two starts
  bool cancel_asked = false;
  bool completion_seen = false;  ///< a successful MPI_Request_get_status has been recorded as its completion
  trace::Action action;          ///< of a receive, or of a persistent request: what is recorded of it
  Place place;                   ///< where that stands
  bool unsettled = false;        ///< its source or tag is not known yet, and its place waits for it
  MPI_Comm* duplicate = nullptr; ///< MPI_Comm_idup: where the handle will be, while it is not known
  KnownCommunicator* duplicate_known = nullptr;
  Request* younger = nullptr;  ///< the next one with the same handle
  Request* youngest = nullptr; ///< in the oldest of several with the same handle: the last of them
};

/// The requests of the program, by handle.
///
/// Open MPI answers a call that completes at once with one shared handle, so several requests may have the same; of
/// those the oldest is taken to complete first, which no program can tell from another order, since all are complete.
class RequestTable {
public:
  /// Enters a request; the reference stays valid until it is removed.
  Request& add(MPI_Request handle);
  /// The oldest request with this handle, or null.
  Request* find(MPI_Request handle);
  /// Removes the oldest request with this handle, and frees its number.
  void remove(Request& request);

  /// The lowest free number.
  trace::RequestId take_id();
  void free_id(trace::RequestId id);

private:
  std::deque<Request> pool_;
  std::vector<Request*> spare_;
  FlatMap<Request*> oldest_;
  std::vector<std::uint64_t> free_; ///< one bit a number: set when free
  std::size_t first_free_word_ = 0;
};

} // namespace timeless::tracer
