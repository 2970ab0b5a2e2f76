#pragma once

#include "replay/smpi/calls/call.h"
#include "replay/smpi/calls/job_context.h"

#include <smpi/smpi.h>

#include <unordered_map>
#include <vector>

namespace timeless::replay::smpi {

/// A communicator of the run, in SMPI.
struct SmpiCommunicator {
  MPI_Comm whole = MPI_COMM_NULL; ///< its members; those of both groups of an intercommunicator
  MPI_Comm aside = MPI_COMM_NULL; ///< the same once more, for messages that are not the program's own
  MPI_Comm group = MPI_COMM_NULL; ///< of an intercommunicator: this rank's group
  std::vector<int> remote;        ///< of an intercommunicator: the other group's ranks in the whole
  int size = 0;                   ///< of the whole
  int self = 0;                   ///< this rank in the whole
  bool inter() const { return group != MPI_COMM_NULL; }
};

/// Returns the calling actor's rank in the communicator.
int rank_in(MPI_Comm communicator);

/// Returns how many members the communicator has.
int size_of(MPI_Comm communicator);

/// The communicators that a rank uses in a run.
class Communicators {
public:
  Communicators(const JobContext& context, trace::Rank rank) : context_(context), rank_(rank) {}

  /// Makes one of those in JobContext::communicators_of, together with its other members: before SMPI replays, for
  /// making moves real data, which a replay does not.
  const SmpiCommunicator& make(trace::CommunicatorId id);

  /// Ends the child where the rank is no member.
  const SmpiCommunicator& of(const Call& call, trace::CommunicatorId id) const;
  const SmpiCommunicator& of(const Call& call) const { return of(call, call.action.communicator); }
  /// Returns the rank in the whole communicator of one that the call names.
  int rank(const Call& call, trace::Rank rank) const;

private:
  MPI_Comm made_of(const std::vector<int>& ranks) const;

  const JobContext& context_;
  trace::Rank rank_;
  std::unordered_map<trace::CommunicatorId, SmpiCommunicator> made_;
};

} // namespace timeless::replay::smpi
