#include "replay/smpi/calls/requests.h"

#include "replay/smpi/calls/dependences.h"

namespace timeless::replay::smpi {

Pending* Requests::begin(const Call& call) {
  if (call.blocking()) return nullptr;
  if (call.dependences != nullptr) return call.dependences->pending.back().get();
  Pending& pending = known_[call.action.request];
  leave(pending);
  pending = {};
  return &pending;
}

std::vector<Pending*> Requests::under_way(const Call& call, std::span<const trace::RequestId> ids) {
  std::vector<Pending*> found;
  if (call.dependences != nullptr) {
    for (const auto& pending : call.dependences->pending)
      found.push_back(pending.get());
    return found;
  }
  for (const trace::RequestId id : ids)
    if (const auto known = known_.find(id); known != known_.end()) found.push_back(&known->second);
  return found;
}

void Requests::complete(const Call& call) {
  const std::vector<Pending*> all = under_way(call, call.action.requests);
  std::vector<MPI_Request> requests;
  bool files = false;
  for (const Pending* pending : all) {
    if (pending->request != MPI_REQUEST_NULL) requests.push_back(pending->request);
    requests.insert(requests.end(), pending->parts.begin(), pending->parts.end());
    files = files || pending->file.has_value();
  }
  if (requests.empty() && !files) return;
  call.wait(requests);
  for (Pending* const pending : all) {
    if (pending->file) files_.finish(call, *pending->file);
    if (pending->persistent && pending->request != MPI_REQUEST_NULL) PMPI_Request_free(&pending->request);
    pending->request = MPI_REQUEST_NULL;
    pending->parts.clear();
    pending->file.reset();
    MessageNumbers::give_back(pending->number);
  }
}

void Requests::leave(Pending& pending) {
  if (pending.request != MPI_REQUEST_NULL) unfinished_.push_back(pending.request);
  unfinished_.insert(unfinished_.end(), pending.parts.begin(), pending.parts.end());
  pending.request = MPI_REQUEST_NULL;
  pending.parts.clear();
  pending.number = {};
}

void Requests::free(const Call& call) {
  for (Pending* const pending : under_way(call, {&call.action.request, 1}))
    leave(*pending);
}

} // namespace timeless::replay::smpi
