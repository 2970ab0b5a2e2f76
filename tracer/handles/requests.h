#pragma once

#include "trace/model/action.h"
#include "tracer/common/flat_map.h"
#include "tracer/common/spin_lock.h"
#include "tracer/mpi/program_handles.h"
#include "tracer/storage/block_queue.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace timeless::tracer {

struct KnownCommunicator;

/// The lists of an action that outlives the call it was made of.
struct ActionLists {
  std::vector<trace::Bytes> counts;
  std::vector<trace::Bytes> receive_counts;
  std::vector<trace::Rank> ranks;
};

/// What is known of a request the program holds.
struct Request {
  MPI_Request handle = nullptr;
  /// Its number in the trace. None when the trace knows nothing of it: its peer is MPI_PROC_NULL, or it began while
  /// recording was switched off, or by a call that is not recorded.
  trace::RequestId id = trace::no_request;
  trace::RequestId send_half = trace::no_request; ///< MPI_Isendrecv: that of the send, beside `id` of the receive
  bool receive = false;
  bool generalized = false;
  bool persistent = false;
  bool active = true; ///< not so: a persistent request between two starts
  bool cancel_asked = false;
  bool claimed = false;               ///< a completion has it; the table does not
  std::uint32_t owner = 0;            ///< number of the thread that started it
  bool published = false;             ///< all that is known when it starts has been entered
  bool completion_seen = false;       ///< a successful MPI_Request_get_status has been recorded as its completion
  trace::Action action;               ///< of a receive, or of a persistent request: what is recorded of it
  ActionPosition place;               ///< where that stands
  std::unique_ptr<ActionLists> lists; ///< of a persistent collective: what `action` points into
  int partitions = 0;                 ///< of a partitioned send; its message leaves when all of them are ready
  int ready = 0;                      ///< how many are, since it was started
  bool awaited = false;               ///< a receive, and its place waits for what it receives
  bool unsettled = false;             ///< ... whose source or tag is not known yet
  ProgramHandles<MPI_Comm> duplicate; ///< MPI_Comm_idup: where the handle will be, while it is not known
  KnownCommunicator* duplicate_known = nullptr;
  Request* younger = nullptr;  ///< the next one with the same handle
  Request* youngest = nullptr; ///< in the oldest of several with the same handle: the last of them
};

/// Requests of the program, by handle.
///
/// Open MPI answers a call that completes at once with one shared handle, so several requests may have the same; of
/// those the oldest is taken to complete first, which no program can tell from another order, since all are complete.
///
/// One thread at a time: ProgramRequests has a lock for each of its tables.
class RequestTable {
public:
  /// Enters a request; the reference stays valid until it is removed.
  Request& add(MPI_Request handle);
  /// Returns the oldest request with this handle, or null.
  Request* find(MPI_Request handle);
  /// Returns the oldest request with this handle that the thread has started; where there is none, the oldest that
  /// another has, and that is published.
  Request* find_of(MPI_Request handle, std::uint32_t owner);
  /// Takes a request out of the table; it stays what it is until it is given back, or put in again.
  void take(Request& request);
  void put(Request& request);
  void give_back(Request& request);

  /// Returns the lowest free number.
  trace::RequestId take_id();
  void free_id(trace::RequestId id);

private:
  std::deque<Request> pool_;
  std::vector<Request*> spare_;
  FlatMap<Request*> oldest_;
  std::vector<std::uint64_t> free_; ///< one bit a number: set when free
  std::size_t first_free_word_ = 0;
};

/// All requests of the program. Of several with one handle (see RequestTable), a thread means its own. Threads that are
/// in MPI at once find each its own in a different part of the table, by the handle, so that they hardly ever wait for
/// each other.
class ProgramRequests {
public:
  /// Prepares the table for several threads at once. To be called while it is empty.
  void share();

  /// Enters a request that this thread starts; the reference stays valid until it is removed.
  Request& add(MPI_Request handle, std::uint32_t thread);
  /// Publishes a request of which all that is known has been entered: other threads may find it from here on.
  void publish(Request& request);
  /// Returns the request this thread means by the handle, or null.
  Request* find(MPI_Request handle, std::uint32_t thread);
  /// Finds a request as find() does, and takes it out of the table unless it is persistent, so that no other thread
  /// takes it for one of its own: MPI may give its handle to another request as soon as it has completed, and so, where
  /// threads are in MPI at once, a call claims what it may complete before it asks MPI. It keeps its number until it is
  /// removed.
  Request* claim(MPI_Request handle, std::uint32_t thread);
  /// Puts a claimed request that has not completed back.
  void disclaim(Request& request);
  /// Notes that MPI has given the program another handle for it.
  void rename(Request& request, MPI_Request handle);
  /// Ends a request, claimed or not, and frees its number: not before everything of it has been recorded.
  void remove(Request& request);
  /// Gives the request the lowest free number of its part.
  trace::RequestId number(Request& request);
  /// Gives it a second one, for the send of two operations that are one request.
  trace::RequestId number_send_half(Request& request);

private:
  struct alignas(64) Part {
    SpinLock lock;
    RequestTable table;
  };
  static constexpr std::size_t shared_parts = 64;

  bool shared() const { return parts_.size() > 1; }
  std::size_t part_number(MPI_Request handle) const;
  trace::RequestId take_number(MPI_Request handle);
  void free_number(trace::RequestId number);
  Request* find_in(Part& part, MPI_Request handle, std::uint32_t thread) {
    return shared() ? part.table.find_of(handle, thread) : part.table.find(handle);
  }

  std::vector<Part> parts_ = std::vector<Part>(1);
};

} // namespace timeless::tracer
