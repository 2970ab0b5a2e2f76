#include "bodies.h"

#include "tracer/common/scratch.h"
#include "tracer/mpi/mpi_library.h"
#include "tracer/mpi/out_parameter.h"
#include "tracer/mpi/out_status.h"
#include "tracer/record/actions/record.h"
#include "tracer/record/actions/saved_requests.h"

#include <algorithm>

/// Bodies of the calls that complete requests.
///
/// Each remembers the handles, which MPI replaces, asks for statuses even where the program wants none, and records one
/// action that lists the requests it has completed. A call that completes none is not recorded.
namespace timeless::tracer::body {

namespace {

using trace::ActionKind;

/// The requests one call completes.
class Completion {
public:
  Completion(Recorder& recorder, ActionKind kind, int result)
      : recorder_(recorder), completed_(recorder.thread().completed), ended_(recorder.thread().ended), kind_(kind),
        result_(error_class(result)) {
    completed_.clear();
    ended_.clear();
  }
  /// Other requests may have the numbers once the completion has been recorded.
  ~Completion() {
    for (Request* const request : ended_) {
      if (request->generalized) recorder_.kept().forget_generalized(*request);
      recorder_.requests().remove(*request);
    }
  }
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// Adds one of the call's requests, by its handle now and by what it was before.
  void add(SavedRequests& before, int index, MPI_Request after, const MPI_Status& status) {
    if (before[index] == mpi().request_null) return;
    Request* const request = before.claim(recorder_, index);
    if (request == nullptr) return;
    // After an error, some requests may not have completed: then the program still has their handles.
    const int error = error_of(status);
    const bool kept = error != MPI_SUCCESS && after == before[index] && !request->persistent;
    const bool stays = error == mpi().err_pending || kept;
    if (stays || !request->active) return recorder_.requests().disclaim(*request);
    if (!request->persistent) ended_.push_back(request);
    request->active = false;
    note_duplicate(*request);
    if (!request->place.exists() || request->completion_seen) return;
    note_end(*request, status);
    complete(*request);
  }

  /// Does as add(), for a request the program still holds (MPI_Request_get_status).
  void see(MPI_Request handle, const MPI_Status& status) {
    if (handle == mpi().request_null) return;
    Request* const request = recorder_.find_request(handle);
    if (request == nullptr || !request->active || request->completion_seen) return;
    note_duplicate(*request);
    if (!request->place.exists()) return;
    note_end(*request, status);
    request->completion_seen = true;
    complete(*request);
  }

  void record() {
    if (completed_.empty()) return;
    recorder_.append_of_recorded({.kind = kind_, .requests = completed_});
  }

private:
  void complete(const Request& request) {
    if (request.send_half != trace::no_request) [[unlikely]]
      completed_.push_back(request.send_half);
    completed_.push_back(request.id);
  }

  /// Returns what MPI says of one of the requests.
  int error_of(const MPI_Status& status) const {
    return result_ == mpi().err_in_status ? error_class(tracer::error_of(status)) : result_;
  }

  /// Gives the communicator of an MPI_Comm_idup its handle, which is known now.
  void note_duplicate(Request& request) {
    if (request.duplicate == nullptr) return;
    recorder_.name_communicator(*request.duplicate, request.duplicate_known);
    request.duplicate = nullptr;
  }

  void note_end(Request& request, const MPI_Status& status) {
    if (cancelled(request, status)) {
      recorder_.append_of_recorded({.kind = ActionKind::cancelled, .request = request.id});
      if (request.receive) record::give_up_receive(recorder_, request);
    } else if (request.send_half != trace::no_request && !tells_of(request.action, status)) [[unlikely]] {
      if (request.unsettled) recorder_.count_unrecorded(CallId::Isendrecv);
      record::give_up_receive(recorder_, request);
    } else if (request.receive && record::took_part(error_of(status))) {
      record::settle_receive(recorder_, request, status, error_of(status) != MPI_SUCCESS);
    } else if (request.receive) {
      record::give_up_receive(recorder_, request);
    } else if (error_of(status) == mpi().err_truncate && recorder_.blocks().holds(request.place)) {
      recorder_.blocks().add_flag(request.place, trace::flag_truncated); // a collective
    }
  }

  /// Returns whether a status is that of the receive of two messages that are one request: MPICH 4.0 sets none.
  static bool tells_of(const trace::Action& receive, const MPI_Status& status) {
    const int source = source_of(status);
    const int tag = tag_of(status);
    return (source == receive.peer || (receive.peer == trace::any_rank && source >= 0)) &&
           (tag == receive.tag || (receive.tag == trace::any_tag && tag >= 0));
  }

  static bool cancelled(const Request& request, const MPI_Status& status) {
    int flag = 0;
    if (request.cancel_asked) mpi().Test_cancelled(&status, &flag);
    return flag != 0;
  }

  Recorder& recorder_;
  std::vector<trace::RequestId>& completed_;
  std::vector<Request*>& ended_;
  ActionKind kind_;
  int result_; ///< its class
};

/// Returns true when a test has found nothing to be complete.
bool found_nothing(int result, const int* flag) {
  return result == MPI_SUCCESS && *flag == 0;
}

/// Returns true when a call on several requests says of each how it has ended; else it has completed none.
bool says_of_each(int result) {
  return result == MPI_SUCCESS || error_class(result) == mpi().err_in_status;
}

/// Statuses to look at, also where the program wants none.
class OutStatuses {
public:
  OutStatuses(MPI_Status* wanted, int count)
      : own_(wanted == mpi().statuses_ignore ? count : 0),
        statuses_(wanted == mpi().statuses_ignore ? own_.data()->get() : wanted) {}
  MPI_Status* get() { return statuses_; }
  const MPI_Status& operator[](int index) const { return *status_at(statuses_, index); }

private:
  ScratchArray<StatusRoom> own_;
  MPI_Status* statuses_;
};

} // namespace

int Wait(CallScope& call, ProgramHandles<MPI_Request> request, MPI_Status* status) {
  SavedRequests before(call, request, 1);
  OutStatuses read(status, 1);
  const int result = mpi().Wait(request, read.get());
  call.record([&](Recorder& recorder) {
    if (before.size() == 0) return;
    Completion completion(recorder, ActionKind::wait, result);
    completion.add(before, 0, *request, read[0]);
    completion.record();
  });
  return result;
}

int Test(CallScope& call, ProgramHandles<MPI_Request> request, int* flag, MPI_Status* status) {
  SavedRequests before(call, request, 1);
  OutStatuses read(status, 1);
  const int result = mpi().Test(request, flag, read.get());
  if (found_nothing(result, flag)) {
    call.record_nothing();
    return result;
  }
  call.record([&](Recorder& recorder) {
    if (before.size() == 0) return;
    Completion completion(recorder, ActionKind::test, result);
    completion.add(before, 0, *request, read[0]);
    completion.record();
  });
  return result;
}

int Waitall(CallScope& call, int count, ProgramHandles<MPI_Request> requests, MPI_Status statuses[]) {
  SavedRequests before(call, requests, count);
  OutStatuses read(statuses, count);
  const int result = mpi().Waitall(count, requests, read.get());
  call.record([&](Recorder& recorder) {
    if (!says_of_each(result)) return;
    Completion completion(recorder, ActionKind::wait_all, result);
    for (int index = 0; index < before.size(); ++index)
      completion.add(before, index, requests[index], read[index]);
    completion.record();
  });
  return result;
}

int Testall(CallScope& call, int count, ProgramHandles<MPI_Request> requests, int* flag, MPI_Status statuses[]) {
  SavedRequests before(call, requests, count);
  OutStatuses read(statuses, count);
  const int result = mpi().Testall(count, requests, flag, read.get());
  if (found_nothing(result, flag)) {
    call.record_nothing();
    return result;
  }
  call.record([&](Recorder& recorder) {
    if (!says_of_each(result)) return;
    Completion completion(recorder, ActionKind::test_all, result);
    for (int index = 0; index < before.size(); ++index)
      completion.add(before, index, requests[index], read[index]);
    completion.record();
  });
  return result;
}

int Waitany(CallScope& call, int count, ProgramHandles<MPI_Request> requests, int* index, MPI_Status* status) {
  SavedRequests before(call, requests, count);
  OutStatuses read(status, 1);
  OutNumber done(index);
  const int result = mpi().Waitany(count, requests, done.get(), read.get());
  call.record([&](Recorder& recorder) {
    if (*done < 0) return;
    Completion completion(recorder, ActionKind::wait_any, result);
    completion.add(before, *done, requests[*done], read[0]);
    completion.record();
  });
  return result;
}

int Testany(CallScope& call, int count, ProgramHandles<MPI_Request> requests, int* index, int* flag,
            MPI_Status* status) {
  SavedRequests before(call, requests, count);
  OutStatuses read(status, 1);
  OutNumber done(index);
  const int result = mpi().Testany(count, requests, done.get(), flag, read.get());
  if (found_nothing(result, flag)) {
    call.record_nothing();
    return result;
  }
  call.record([&](Recorder& recorder) {
    if (*done < 0) return;
    Completion completion(recorder, ActionKind::test_any, result);
    completion.add(before, *done, requests[*done], read[0]);
    completion.record();
  });
  return result;
}

namespace {

void completed_some(CallScope& call, ActionKind kind, int result, SavedRequests& before,
                    ProgramHandles<const MPI_Request> requests, int outcount, const int indices[],
                    const OutStatuses& read) {
  call.record([&](Recorder& recorder) {
    if (!says_of_each(result)) return;
    Completion completion(recorder, kind, result);
    for (int done = 0; done < outcount; ++done)
      completion.add(before, indices[done], requests[indices[done]], read[done]);
    completion.record();
  });
}

} // namespace

int Waitsome(CallScope& call, int incount, ProgramHandles<MPI_Request> requests, int* outcount, int indices[],
             MPI_Status statuses[]) {
  SavedRequests before(call, requests, incount);
  OutStatuses read(statuses, incount);
  OutNumber done(outcount);
  const int result = mpi().Waitsome(incount, requests, done.get(), indices, read.get());
  completed_some(call, ActionKind::wait_some, result, before, requests, *done, indices, read);
  return result;
}

int Testsome(CallScope& call, int incount, ProgramHandles<MPI_Request> requests, int* outcount, int indices[],
             MPI_Status statuses[]) {
  SavedRequests before(call, requests, incount);
  OutStatuses read(statuses, incount);
  OutNumber done(outcount);
  const int result = mpi().Testsome(incount, requests, done.get(), indices, read.get());
  if (result == MPI_SUCCESS && *done <= 0) {
    call.record_nothing();
    return result;
  }
  completed_some(call, ActionKind::test_some, result, before, requests, *done, indices, read);
  return result;
}

/// Records a request seen to be complete as its completion, which the call that frees it then does not repeat.
int Request_get_status(CallScope& call, MPI_Request request, int* flag, MPI_Status* status) {
  OutStatuses read(status, 1);
  const int result = mpi().Request_get_status(request, flag, read.get());
  if (found_nothing(result, flag)) {
    call.record_nothing();
    return result;
  }
  call.record(result, [&](Recorder& recorder) {
    Completion completion(recorder, ActionKind::test, result);
    completion.see(request, read[0]);
    completion.record();
  });
  return result;
}

int Request_get_status_all(CallScope& call, int count, ProgramHandles<const MPI_Request> requests, int* flag,
                           MPI_Status statuses[]) {
  OutStatuses read(statuses, count);
  const int result = mpi().Request_get_status_all(count, requests, flag, read.get());
  if (found_nothing(result, flag)) {
    call.record_nothing();
    return result;
  }
  call.record(result, [&](Recorder& recorder) {
    Completion completion(recorder, ActionKind::test_all, result);
    for (int index = 0; index < count; ++index)
      completion.see(requests[index], read[index]);
    completion.record();
  });
  return result;
}

int Request_get_status_any(CallScope& call, int count, ProgramHandles<const MPI_Request> requests, int* index,
                           int* flag, MPI_Status* status) {
  OutStatuses read(status, 1);
  OutNumber done(index);
  const int result = mpi().Request_get_status_any(count, requests, done.get(), flag, read.get());
  if (found_nothing(result, flag)) {
    call.record_nothing();
    return result;
  }
  call.record(result, [&](Recorder& recorder) {
    if (*done < 0) return;
    Completion completion(recorder, ActionKind::test_any, result);
    completion.see(requests[*done], read[0]);
    completion.record();
  });
  return result;
}

int Request_get_status_some(CallScope& call, int incount, ProgramHandles<const MPI_Request> requests, int* outcount,
                            int indices[], MPI_Status statuses[]) {
  OutStatuses read(statuses, incount);
  OutNumber done(outcount);
  const int result = mpi().Request_get_status_some(incount, requests, done.get(), indices, read.get());
  if (result == MPI_SUCCESS && *done <= 0) {
    call.record_nothing();
    return result;
  }
  call.record(result, [&](Recorder& recorder) {
    Completion completion(recorder, ActionKind::test_some, result);
    for (int index = 0; index < *done; ++index)
      completion.see(requests[indices[index]], read[index]);
    completion.record();
  });
  return result;
}

} // namespace timeless::tracer::body
