#include "tracer/record/kept_handles.h"

#include <utility>

namespace timeless::tracer {

void KeptHandles::keep_message(MPI_Message handle, const MatchedMessage& message) {
  const std::scoped_lock held(mutex_);
  messages_.set(key_of(handle), message);
}

std::optional<MatchedMessage> KeptHandles::take_message(MPI_Message handle) {
  const std::scoped_lock held(mutex_);
  const MatchedMessage* const known = messages_.find(key_of(handle));
  if (known == nullptr) return std::nullopt;
  const MatchedMessage taken = *known;
  messages_.erase(key_of(handle));
  return taken;
}

void KeptHandles::keep_generalized(const Request& request) {
  const std::scoped_lock held(mutex_);
  generalized_.set(key_of(request.handle), request.id);
}

trace::RequestId KeptHandles::generalized(MPI_Request handle) {
  const std::scoped_lock held(mutex_);
  const trace::RequestId* const known = generalized_.find(key_of(handle));
  return known != nullptr ? *known : trace::no_request;
}

void KeptHandles::forget_generalized(const Request& request) {
  const std::scoped_lock held(mutex_);
  // MPI may have given the handle to the next one already.
  const trace::RequestId* const known = generalized_.find(key_of(request.handle));
  if (known != nullptr && *known == request.id) generalized_.erase(key_of(request.handle));
}

void KeptHandles::keep_freed(Request& request) {
  const std::scoped_lock held(mutex_);
  freed_.push_back(&request);
}

std::vector<Request*> KeptHandles::take_freed() {
  const std::scoped_lock held(mutex_);
  return std::exchange(freed_, {});
}

} // namespace timeless::tracer
