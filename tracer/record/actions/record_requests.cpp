#include "tracer/record/actions/record.h"

#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/out_status.h"

#include <algorithm>

namespace timeless::tracer::record {

Request& begin(Recorder& recorder, ProgramHandles<const MPI_Request> request, trace::Action& action) {
  Request& entry = recorder.add_request(*request);
  if (!recorder.paused()) action.request = recorder.requests().number(entry);
  return entry;
}

Request* append(Recorder& recorder, ProgramHandles<const MPI_Request> request, trace::Action& action) {
  if (request == nullptr) {
    recorder.append(action);
    return nullptr;
  }
  Request& entry = begin(recorder, request, action);
  entry.place = recorder.append(action);
  return &entry;
}

void begin_silent(Recorder& recorder, ProgramHandles<const MPI_Request> request) {
  if (*request != mpi().request_null) recorder.add_request(*request);
}

void not_recorded(Recorder& recorder, ProgramHandles<const MPI_Request> request) {
  recorder.count_unrecorded();
  if (request != nullptr) begin_silent(recorder, request);
}

Request& begin_persistent(Recorder& recorder, ProgramHandles<const MPI_Request> request, trace::Action action) {
  Request& entry = recorder.add_request(*request);
  action.request = recorder.requests().number(entry);
  action.flags |= trace::flag_persistent;
  entry.action = action;
  entry.persistent = true;
  entry.active = false;
  return entry;
}

void begin_persistent_silent(Recorder& recorder, ProgramHandles<const MPI_Request> request) {
  Request& entry = recorder.add_request(*request);
  entry.persistent = true;
  entry.active = false;
}

void begin_receive(Recorder& recorder, Request& request, const trace::Action& action) {
  request.receive = true;
  request.action = action;
  request.place = recorder.append(action, true);
  request.awaited = request.place.exists();
  request.unsettled = request.awaited && (action.flags & trace::flag_wildcard) != 0;
}

void settle_receive(Recorder& recorder, Request& request, const MPI_Status& status, bool truncated) {
  trace::Action received = request.action;
  received.peer = source_of(status);
  received.tag = tracer::tag_of(status);
  received.bytes = truncated ? std::max(received.bytes, received_bytes(status)) : received_bytes(status);
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
  if (!request.awaited) return;
  request.awaited = request.unsettled = false;
  recorder.blocks().settle(request.place);
}

void generalized_started(Recorder& recorder, ProgramHandles<const MPI_Request> request) {
  trace::Action action{.kind = ActionKind::grequest_start};
  Request& entry = begin(recorder, request, action);
  entry.place = recorder.append(action);
  entry.generalized = true;
  if (entry.place.exists()) recorder.kept().keep_generalized(entry);
}

bool ask_of_end(Recorder& recorder, Request& request) {
  StatusRoom room;
  const MPI_Status& status = *room.get();
  int complete = 0;
  int cancelled = 0;
  if (mpi().Request_get_status(request.handle, &complete, room.get()) != MPI_SUCCESS || complete == 0) return false;
  if (request.cancel_asked) mpi().Test_cancelled(&status, &cancelled);
  if (cancelled != 0)
    recorder.append_of_recorded({.kind = ActionKind::cancelled, .request = request.id});
  else if (request.receive)
    settle_receive(recorder, request, status);
  return true;
}

void free_request(Recorder& recorder, Request& request) {
  if (request.active && request.place.exists() && !request.completion_seen) {
    recorder.append_of_recorded({.kind = ActionKind::request_free, .request = request.id});
    if (request.send_half != trace::no_request)
      recorder.append_of_recorded({.kind = ActionKind::request_free, .request = request.send_half});
  }
  give_up_receive(recorder, request);
  if (request.generalized) recorder.kept().forget_generalized(request);
  recorder.requests().remove(request);
}

void release_complete(Recorder& recorder) {
  for (Request* const request : recorder.kept().take_freed()) {
    OwnHandle handle(request->handle);
    if (!ask_of_end(recorder, *request)) {
      recorder.kept().keep_freed(*request);
      continue;
    }
    free_request(recorder, *request);
    mpi().Request_free(handle.place());
  }
}

void release_freed(Recorder& recorder) {
  release_complete(recorder);
  for (Request* const request : recorder.kept().take_freed()) {
    OwnHandle handle(request->handle);
    recorder.append_of_recorded({.kind = ActionKind::cancelled, .request = request->id});
    free_request(recorder, *request);
    mpi().Request_free(handle.place());
  }
}

} // namespace timeless::tracer::record
