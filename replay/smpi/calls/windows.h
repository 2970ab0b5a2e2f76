#pragma once

#include "replay/smpi/calls/call.h"
#include "replay/smpi/calls/communicators.h"
#include "replay/smpi/calls/job_context.h"
#include "replay/smpi/calls/reductions.h"

#include <smpi/smpi.h>

#include <map>
#include <unordered_map>
#include <utility>

namespace timeless::replay::smpi {

/// The windows of a rank, and its one-sided communication.
///
/// All threads of the rank share it. They are actors of SimGrid, of which one runs at a time and others go on only
/// where a call of SMPI blocks, so that it needs no lock.
class Windows {
public:
  Windows(JobContext& context, const Communicators& communicators, Reductions& reductions)
      : context_(context), communicators_(communicators), reductions_(reductions) {}

  /// Makes the window with this number, together with its other members: before SMPI replays, as communicators.
  void make(trace::CommunicatorId id, MPI_Comm members);
  /// Performs what all members of a window call: its creation, fences, its end.
  void collective(const Call& call);
  /// Performs what begins or ends an epoch, or waits for transfers.
  void epoch(const Call& call);
  /// Begins a transfer; `request` is null where it has none.
  void transfer(const Call& call, MPI_Request* request);

private:
  void atomic(const Call& call, MPI_Win win, MPI_Request* request);
  void unlock(trace::CommunicatorId id, trace::Rank target);
  MPI_Win window_of(const Call& call) const;
  MPI_Group group_of(const Call& call) const;

  JobContext& context_;
  const Communicators& communicators_;
  Reductions& reductions_;
  std::unordered_map<trace::CommunicatorId, MPI_Win> made_;
  /// By window and target, any_rank for all: whether the lock was asked for among JobContext::locks.
  std::map<std::pair<trace::CommunicatorId, trace::Rank>, bool> locked_;
};

} // namespace timeless::replay::smpi
