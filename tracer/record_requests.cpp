#include "tracer/record.h"

#include "tracer/mpi_library.h"

namespace timeless::tracer::record {

Request& begin(Recorder& recorder, const MPI_Request* request, trace::Action& action) {
  Request& entry = recorder.add_request(*request);
  if (!recorder.paused()) action.request = recorder.requests().number(entry);
  return entry;
}

void begin_silent(Recorder& recorder, const MPI_Request* request) {
  if (*request != mpi().request_null) recorder.add_request(*request);
}

void begin_receive(Recorder& recorder, Request& request, const trace::Action& action) {
  const bool unsettled = (action.flags & trace::flag_wildcard) != 0;
  request.receive = true;
  request.action = action;
  request.place = recorder.append(action, unsettled);
  request.unsettled = unsettled && request.place.exists();
}

void settle_receive(Recorder& recorder, Request& request, const MPI_Status& status) {
  trace::Action received = request.action;
  received.peer = status.MPI_SOURCE;
  received.tag = status.MPI_TAG;
  received.bytes = received_bytes(status);
  if (recorder.blocks().holds(request.place)) {
    if (received != request.action) recorder.blocks().replace(request.place, received);
  } else if (request.unsettled) {
    recorder.append_of_recorded({.kind = ActionKind::resolved,
                                 .communicator = received.communicator,
                                 .peer = received.peer,
                                 .tag = received.tag,
                                 .bytes = received.bytes,
                                 .request = received.request});
  }
  give_up_receive(recorder, request);
}

void give_up_receive(Recorder& recorder, Request& request) {
  if (!request.unsettled) return;
  request.unsettled = false;
  recorder.blocks().settle(request.place);
}

void generalized_started(Recorder& recorder, const MPI_Request* request) {
  trace::Action action{.kind = ActionKind::grequest_start};
  Request& entry = begin(recorder, request, action);
  entry.place = recorder.append(action);
}

} // namespace timeless::tracer::record
