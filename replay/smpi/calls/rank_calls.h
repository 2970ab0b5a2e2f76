#pragma once

#include "replay/smpi/calls/call.h"
#include "replay/smpi/calls/collectives.h"
#include "replay/smpi/calls/communicators.h"
#include "replay/smpi/calls/composed_collectives.h"
#include "replay/smpi/calls/files.h"
#include "replay/smpi/calls/job_context.h"
#include "replay/smpi/calls/messages.h"
#include "replay/smpi/calls/reductions.h"
#include "replay/smpi/calls/requests.h"
#include "replay/smpi/calls/windows.h"

namespace timeless::replay::smpi {

/// The MPI calls of a rank, each of its own subject, on what all threads of the rank share. Called by the rank's
/// actors, of which one runs at a time.
class RankCalls {
public:
  RankCalls(JobContext& context, trace::Rank rank);
  RankCalls(const RankCalls&) = delete;
  RankCalls& operator=(const RankCalls&) = delete;

  /// Makes the communicators and windows that the rank uses in the run.
  void prepare();
  /// Carries out a call; what is none, and what stands for nothing that was recorded, takes no time.
  void play(const Call& call);
  /// Returns Messages::number().
  MessageTags number_messages(const Call& call) { return messages_.number(call); }

private:
  void collective(const Call& call);
  void create_communicator(const Call& call);

  const JobContext& context_;
  trace::Rank rank_;
  Communicators communicators_;
  Reductions reductions_;
  Collectives collectives_;
  ComposedCollectives composed_;
  Files files_;
  Requests requests_;
  Messages messages_;
  Windows windows_;
};

} // namespace timeless::replay::smpi
