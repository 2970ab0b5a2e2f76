#include "bodies.h"

#include "tracer/mpi_library.h"
#include "tracer/record.h"
#include "tracer/saved_requests.h"

/// Bodies of the calls that start, cancel and free requests.
namespace timeless::tracer::body {

namespace {

void started(Recorder& recorder, MPI_Request handle) {
  Request* const request = recorder.find_request(handle);
  if (request == nullptr) return;
  request->active = true;
  request->cancel_asked = false;
  request->completion_seen = false;
  request->place = {};
  if (request->id == trace::no_request) return;
  if (request->receive)
    record::begin_receive(recorder, *request, request->action);
  else
    request->place = recorder.append(request->action);
}

} // namespace

int Start(CallScope& call, MPI_Request* request) {
  const int result = mpi().Start(request);
  call.record(result, [&](Recorder& recorder) { started(recorder, *request); });
  return result;
}

int Startall(CallScope& call, int count, MPI_Request requests[]) {
  const int result = mpi().Startall(count, requests);
  call.record(result, [&](Recorder& recorder) {
    for (int index = 0; index < count; ++index)
      started(recorder, requests[index]);
  });
  return result;
}

/// Recorded before the call: once it has begun, another thread's wait may end. A wait that is under way already has
/// claimed the request, and there is nothing to say of it.
int Grequest_complete(CallScope& call, MPI_Request request) {
  call.record([&](Recorder& recorder) {
    const Request* const known = recorder.find_request(request);
    if (known != nullptr && known->place.exists())
      recorder.append_of_recorded({.kind = trace::ActionKind::grequest_complete, .requests = {&known->id, 1}});
  });
  return mpi().Grequest_complete(request);
}

int Cancel(CallScope& call, MPI_Request* request) {
  const int result = mpi().Cancel(request);
  call.record(result, [&](Recorder& recorder) {
    if (Request* const known = recorder.find_request(*request)) known->cancel_asked = true;
  });
  return result;
}

int Request_free(CallScope& call, MPI_Request* request) {
  SavedRequests before(call, request, 1);
  const int result = mpi().Request_free(request);
  call.record(result, [&](Recorder& recorder) {
    Request* const known = before.claim(recorder, 0);
    if (known == nullptr) return;
    if (known->active && known->place.exists() && !known->completion_seen)
      recorder.append_of_recorded({.kind = trace::ActionKind::request_free, .request = known->id});
    record::give_up_receive(recorder, *known);
    recorder.requests().remove(*known);
  });
  return result;
}

} // namespace timeless::tracer::body
