#pragma once

#include "tracer/common/scratch.h"
#include "tracer/mpi/program_handles.h"
#include "tracer/record/call_scope.h"

#include <algorithm>
#include <utility>

namespace timeless::tracer {

/// The requests of a call that may complete them, as they were before it: MPI replaces the handles.
///
/// Empty where the program gives none, or a negative count, which MPI refuses. Where threads are in MPI at once, they
/// are claimed before the call; what has not completed is disclaimed at the end.
class SavedRequests {
public:
  SavedRequests(CallScope& call, ProgramHandles<const MPI_Request> requests, int count)
      : size_(requests != nullptr ? std::max(count, 0) : 0),
        early_(call.recorder() != nullptr && call.recorder()->threads_at_once()), saved_(size_) {
    for (int index = 0; index < size_; ++index)
      saved_[index].handle = requests[index];
    if (early_) [[unlikely]]
      claim_all(call);
  }
  ~SavedRequests() {
    if (recorder_ == nullptr) [[likely]]
      return;
    for (int index = 0; index < size_; ++index)
      if (saved_[index].claimed != nullptr) recorder_->requests().disclaim(*saved_[index].claimed);
  }
  SavedRequests(const SavedRequests&) = delete;
  SavedRequests& operator=(const SavedRequests&) = delete;

  int size() const { return size_; }
  MPI_Request operator[](int index) const { return saved_[index].handle; }
  /// Returns the request, which the call may not end; null when it is unknown.
  Request* look(Recorder& recorder, int index) {
    return early_ ? saved_[index].claimed : recorder.find_request(saved_[index].handle);
  }
  /// Returns the request, which the call has completed; null when it is unknown.
  Request* claim(Recorder& recorder, int index) {
    return early_ ? std::exchange(saved_[index].claimed, nullptr) : recorder.claim_request(saved_[index].handle);
  }

private:
  struct Saved {
    MPI_Request handle;
    Request* claimed; ///< early; only then set
  };

  void claim_all(CallScope& call) {
    for (int index = 0; index < size_; ++index)
      saved_[index].claimed = nullptr;
    call.record([this](Recorder& recorder) {
      recorder_ = &recorder;
      for (int index = 0; index < size_; ++index)
        saved_[index].claimed = recorder.claim_request(saved_[index].handle);
    });
  }

  int size_;
  bool early_;
  Recorder* recorder_ = nullptr; ///< whose the claims are, where they are early
  ScratchArray<Saved> saved_;
};

} // namespace timeless::tracer
