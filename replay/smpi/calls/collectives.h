#pragma once

#include "replay/smpi/calls/call.h"
#include "replay/smpi/calls/communicators.h"
#include "replay/smpi/calls/job_context.h"
#include "replay/smpi/calls/reductions.h"

#include <smpi/smpi.h>

namespace timeless::replay::smpi {

/// The collectives of one group that SMPI has.
class Collectives {
public:
  Collectives(JobContext& context, const Communicators& communicators, Reductions& reductions)
      : context_(context), communicators_(communicators), reductions_(reductions) {}

  /// Calls the action's collective, whatever its own communicator is, on `comm`: the nonblocking one where there is a
  /// request for it.
  void play(const Call& call, MPI_Comm comm, MPI_Request* request);
  void start_barrier(const Call& call, MPI_Comm comm, MPI_Request* request);
  /// Creates a communicator: it exists already; what remains is that its makers meet and agree on an identity.
  void create_communicator(const Call& call, trace::CommunicatorId on, MPI_Request* request);

private:
  void reduce(const Call& call, MPI_Comm comm, MPI_Request* request);
  void reduce_scatter(const Call& call, MPI_Comm comm, MPI_Request* request, const Reduction& reduction);
  void move_parts(const Call& call, MPI_Comm comm, MPI_Request* request);
  void all_to_all_of_any_size(const Call& call, MPI_Comm comm, MPI_Request* request);

  JobContext& context_;
  const Communicators& communicators_;
  Reductions& reductions_;
};

} // namespace timeless::replay::smpi
