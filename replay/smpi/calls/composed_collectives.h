#pragma once

#include "replay/smpi/calls/call.h"
#include "replay/smpi/calls/collectives.h"
#include "replay/smpi/calls/communicators.h"
#include "replay/smpi/calls/job_context.h"
#include "replay/smpi/calls/requests.h"

#include <smpi/smpi.h>

#include <span>
#include <vector>

namespace timeless::replay::smpi {

/// The collectives that SMPI does not have: those of neighbourhoods, and of the two groups of an intercommunicator.
/// Their messages go over a communicator of their own, so that no receive of the program's takes them.
class ComposedCollectives {
public:
  ComposedCollectives(JobContext& context, const Communicators& communicators, Collectives& collectives)
      : context_(context), communicators_(communicators), collectives_(collectives) {}

  /// Sends a message to each neighbour and receives one from each, all under way together, as MPI libraries do it.
  /// `pending` is the request that the call begins, null where it blocks.
  void neighborhood(const Call& call, Pending* pending);
  /// Performs a collective between groups as MPICH puts it together: a collective in each group, and messages between
  /// the groups' first members.
  void between_groups(const Call& call, Pending* pending);

private:
  void in_group(const Call& call, trace::ActionKind kind, trace::Bytes bytes, trace::Bytes receive_bytes,
                std::span<const trace::Bytes> counts = {});
  void root_and_group(const Call& call);
  void reduce_scatter(const Call& call);
  void start_between_groups(const Call& call, Pending& pending);
  void rooted_messages(const Call& call, std::vector<MPI_Request>& parts);
  void each_with_each(const Call& call, std::vector<MPI_Request>& parts);
  void exchange_of_leaders(const Call& call, trace::Bytes out, trace::Bytes in);
  void send_aside(const Call& call, int to, trace::Bytes bytes, std::vector<MPI_Request>& parts);
  void receive_aside(const Call& call, int from, trace::Bytes bytes, std::vector<MPI_Request>& parts);

  JobContext& context_;
  const Communicators& communicators_;
  Collectives& collectives_;
};

} // namespace timeless::replay::smpi
