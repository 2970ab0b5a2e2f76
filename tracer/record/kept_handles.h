#pragma once

#include "trace/model/action.h"
#include "tracer/common/flat_map.h"
#include "tracer/handles/requests.h"
#include "tracer/mpi/types.h"

#include <mutex>
#include <optional>
#include <vector>

namespace timeless::tracer {

/// A message that a matched probe has taken, until it is received.
struct MatchedMessage {
  trace::CommunicatorId communicator = trace::no_communicator;
  trace::Rank peer = trace::no_rank;
  trace::Tag tag = 0;
  trace::Bytes bytes = 0;
};

/// What few programs have of MPI: messages of matched probes, generalized requests, and receives that were freed. Any
/// thread may call any member at any time.
class KeptHandles {
public:
  /// Keeps a message that a matched probe has found, until it is received.
  void keep_message(MPI_Message handle, const MatchedMessage& message);
  /// Returns the message with this handle, which is not kept any more; nothing when it never was.
  std::optional<MatchedMessage> take_message(MPI_Message handle);

  /// Keeps a generalized request by its handle, where a call that waits for it may have claimed it.
  void keep_generalized(const Request& request);
  /// Returns the number of the generalized request with this handle, or no_request.
  trace::RequestId generalized(MPI_Request handle);
  /// Forgets a request that has completed, or been freed.
  void forget_generalized(const Request& request);

  /// Keeps a receive that the program has freed, though its source is not known yet.
  void keep_freed(Request& request);
  /// Returns those kept, which are so no more.
  std::vector<Request*> take_freed();

private:
  std::mutex mutex_;
  FlatMap<MatchedMessage> messages_;
  FlatMap<trace::RequestId> generalized_; ///< requests, by handle
  std::vector<Request*> freed_;
};

} // namespace timeless::tracer
