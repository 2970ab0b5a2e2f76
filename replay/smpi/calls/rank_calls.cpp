#include "replay/smpi/calls/rank_calls.h"

namespace timeless::replay::smpi {

namespace {

MPI_Request* request_of(Pending* pending) {
  return pending == nullptr ? nullptr : &pending->request;
}

} // namespace

RankCalls::RankCalls(JobContext& context, trace::Rank rank)
    : context_(context), rank_(rank), communicators_(context, rank), reductions_(context, communicators_),
      collectives_(context, communicators_, reductions_), composed_(context, communicators_, collectives_),
      files_(context, communicators_, collectives_), requests_(files_), messages_(context, rank, communicators_),
      windows_(context, communicators_, reductions_) {}

void RankCalls::prepare() {
  for (const trace::CommunicatorId id : context_.communicators_of[static_cast<std::size_t>(rank_)]) {
    const SmpiCommunicator& made = communicators_.make(id);
    if (context_.scan->communicators[id].window) windows_.make(id, made.whole);
  }
}

void RankCalls::play(const Call& call) {
  switch (trace::family(call.action.kind)) {
  case trace::ActionFamily::completion:
    return requests_.complete(call);
  case trace::ActionFamily::request:
    if (call.action.kind == trace::ActionKind::request_free) requests_.free(call);
    return;
  case trace::ActionFamily::point_to_point:
    return messages_.play(call, requests_.begin(call));
  case trace::ActionFamily::collective:
    return collective(call);
  case trace::ActionFamily::communicator:
    return create_communicator(call);
  case trace::ActionFamily::window:
    return windows_.collective(call);
  case trace::ActionFamily::one_sided:
    return windows_.transfer(call, request_of(requests_.begin(call)));
  case trace::ActionFamily::epoch:
    return windows_.epoch(call);
  case trace::ActionFamily::file:
    return files_.transfer(call, requests_.begin(call));
  case trace::ActionFamily::file_collective:
    return files_.collective(call, requests_.begin(call));
  case trace::ActionFamily::computation: // no call
  case trace::ActionFamily::mark:
  case trace::ActionFamily::lifecycle:
  case trace::ActionFamily::generalized: // what they stand for was not recorded
  case trace::ActionFamily::process:     // refused by the scan
    return;
  }
}

void RankCalls::collective(const Call& call) {
  Pending* const pending = requests_.begin(call);
  if (trace::neighbourhood(call.action.kind)) return composed_.neighborhood(call, pending);
  const SmpiCommunicator& members = communicators_.of(call);
  if (members.inter()) return composed_.between_groups(call, pending);
  collectives_.play(call, members.whole, request_of(pending));
}

void RankCalls::create_communicator(const Call& call) {
  if (!trace::traits(call.action.kind).creates) return;
  if (const auto on = trace::creating_communicator(call.action))
    collectives_.create_communicator(call, *on, request_of(requests_.begin(call)));
}

} // namespace timeless::replay::smpi
