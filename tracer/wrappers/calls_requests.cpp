#include "bodies.h"

#include "tracer/common/scratch.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/record/actions/record.h"
#include "tracer/record/actions/saved_requests.h"

#include <algorithm>

/// Bodies of the calls that start, cancel and free requests.
namespace timeless::tracer::body {

namespace {

/// Records that the call has started a request that had the handle `before`. Open MPI gives a persistent send another
/// handle where the message of the start before is still in transit (pml_ob1_start.c).
void started(Recorder& recorder, MPI_Request before, MPI_Request handle) {
  Request* const request = recorder.find_request(before);
  // Made by a call that the tracer does not know.
  if (request == nullptr) return recorder.count_unrecorded();
  recorder.requests().rename(*request, handle);
  request->active = true;
  request->cancel_asked = false;
  request->completion_seen = false;
  request->place = {};
  request->ready = 0;
  if (request->id == trace::no_request || request->partitions > 0) return;
  if (request->receive)
    record::begin_receive(recorder, *request, request->action);
  else
    request->place = recorder.append(request->action);
}

/// Returns true for a request that is freed while how it ends is not known, and matters.
bool to_be_asked(const Request& request) {
  const bool under_way = request.active && request.place.exists() && !request.completion_seen;
  return under_way && !request.generalized && (request.unsettled || request.cancel_asked);
}

} // namespace

int Start(CallScope& call, ProgramHandles<MPI_Request> request) {
  const MPI_Request before = request != nullptr ? *request : mpi().request_null;
  const int result = mpi().Start(request);
  call.record(result, [&](Recorder& recorder) { started(recorder, before, *request); });
  return result;
}

int Startall(CallScope& call, int count, ProgramHandles<MPI_Request> requests) {
  const int size = requests != nullptr ? std::max(count, 0) : 0;
  ScratchArray<MPI_Request> before(size);
  for (int index = 0; index < size; ++index)
    before[index] = requests[index];
  const int result = mpi().Startall(count, requests);
  call.record(result, [&](Recorder& recorder) {
    for (int index = 0; index < size; ++index)
      started(recorder, before[index], requests[index]);
  });
  return result;
}

/// That a partition has come says nothing of the others, and the trace has one message of them all.
int Parrived(CallScope& call, MPI_Request request, int partition, int* flag) {
  const int result = mpi().Parrived(request, partition, flag);
  if (result == MPI_SUCCESS && *flag != 0)
    call.record([](Recorder& recorder) { recorder.count_unrecorded(); });
  else
    call.record_nothing();
  return result;
}

/// Recorded before the call: once it has begun, another thread's wait may end, which has claimed the request if it is
/// under way already.
int Grequest_complete(CallScope& call, MPI_Request request) {
  call.record([&](Recorder& recorder) {
    if (const trace::RequestId id = recorder.kept().generalized(request); id != trace::no_request)
      recorder.append_of_recorded({.kind = trace::ActionKind::grequest_complete, .requests = {&id, 1}});
  });
  return mpi().Grequest_complete(request);
}

int Cancel(CallScope& call, ProgramHandles<MPI_Request> request) {
  const int result = mpi().Cancel(request);
  call.record(result, [&](Recorder& recorder) {
    if (Request* const known = recorder.find_request(*request)) known->cancel_asked = true;
  });
  return result;
}

/// After the call nobody can be asked how the request has ended, so it is asked before. A receive from any source that
/// has not ended is kept in the program's stead and freed once it has: only then is its source known.
int Request_free(CallScope& call, ProgramHandles<MPI_Request> request) {
  SavedRequests before(call, request, 1);
  bool kept = false;
  if (before.size() == 1 && before[0] != mpi().request_null)
    call.record([&](Recorder& recorder) {
      record::release_complete(recorder);
      Request* const known = before.look(recorder, 0);
      if (known == nullptr || !to_be_asked(*known) || record::ask_of_end(recorder, *known) || !known->unsettled) return;
      recorder.kept().keep_freed(*before.claim(recorder, 0));
      kept = true;
    });
  if (kept) {
    request.set(mpi().request_null);
    return MPI_SUCCESS;
  }
  const int result = mpi().Request_free(request);
  call.record(result, [&](Recorder& recorder) {
    if (Request* const known = before.claim(recorder, 0)) record::free_request(recorder, *known);
  });
  return result;
}

} // namespace timeless::tracer::body
