#pragma once

#include "tracer/call_scope.h"
#include "tracer/scratch.h"

#include <mpi.h>

#include <algorithm>
#include <utility>

namespace timeless::tracer {

/// The requests of a call that may complete them, as they were before it: MPI replaces the handles.
///
/// Empty where the program gives none, or a negative count, which MPI refuses. Where threads are in MPI at once, they
/// are claimed before the call; what has not completed is disclaimed at the end.
class SavedRequests {
public:
  SavedRequests(CallScope& call, const MPI_Request* requests, int count)
      : size_(requests != nullptr ? std::max(count, 0) : 0),
        early_(call.recorder() != nullptr && call.recorder()->threads_at_once()), saved_(size_),
        claimed_(early_ ? size_ : 0) {
    std::copy_n(requests, size_, saved_.data());
    if (early_) claim_all(call);
  }
  ~SavedRequests() {
    if (!early_ || recorder_ == nullptr) return;
    for (int index = 0; index < size_; ++index)
      if (claimed_[index] != nullptr) recorder_->requests().disclaim(*claimed_[index]);
  }
  SavedRequests(const SavedRequests&) = delete;
  SavedRequests& operator=(const SavedRequests&) = delete;

  int size() const { return size_; }
  MPI_Request operator[](int index) const { return saved_[index]; }
  /// The request, which the call may not end; null when it is unknown.
  Request* look(Recorder& recorder, int index) {
    return early_ ? claimed_[index] : recorder.find_request(saved_[index]);
  }
  /// The request, which the call has completed; null when it is unknown.
  Request* claim(Recorder& recorder, int index) {
    return early_ ? std::exchange(claimed_[index], nullptr) : recorder.claim_request(saved_[index]);
  }

private:
  void claim_all(CallScope& call) {
    std::fill_n(claimed_.data(), size_, nullptr);
    call.record([this](Recorder& recorder) {
      recorder_ = &recorder;
      for (int index = 0; index < size_; ++index)
        claimed_[index] = recorder.claim_request(saved_[index]);
    });
  }

  int size_;
  bool early_;
  Recorder* recorder_ = nullptr; ///< whose the claims are
  ScratchArray<MPI_Request> saved_;
  ScratchArray<Request*> claimed_;
};

} // namespace timeless::tracer
