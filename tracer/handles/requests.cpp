#include "tracer/handles/requests.h"

#include <bit>

namespace timeless::tracer {

namespace {

constexpr std::size_t bits_per_word = 64;

} // namespace

Request& RequestTable::add(MPI_Request handle) {
  if (spare_.empty()) {
    pool_.emplace_back();
    spare_.push_back(&pool_.back());
  }
  Request& request = *spare_.back();
  spare_.pop_back();
  request = Request{};
  request.handle = handle;
  put(request);
  return request;
}

void RequestTable::put(Request& request) {
  request.younger = request.youngest = nullptr;
  if (Request** const same = oldest_.find(key_of(request.handle))) {
    Request& oldest = **same;
    (oldest.youngest != nullptr ? oldest.youngest : &oldest)->younger = &request;
    oldest.youngest = &request;
  } else {
    oldest_.set(key_of(request.handle), &request);
  }
}

Request* RequestTable::find(MPI_Request handle) {
  Request** const oldest = oldest_.find(key_of(handle));
  return oldest != nullptr ? *oldest : nullptr;
}

Request* RequestTable::find_of(MPI_Request handle, std::uint32_t owner) {
  Request* of_another = nullptr;
  for (Request* request = find(handle); request != nullptr; request = request->younger) {
    if (request->owner == owner) return request;
    if (of_another == nullptr && request->published) of_another = request;
  }
  return of_another;
}

void RequestTable::take(Request& request) {
  Request* const oldest = find(request.handle);
  if (oldest != &request) {
    Request* before = oldest;
    while (before->younger != &request)
      before = before->younger;
    before->younger = request.younger;
    if (oldest->youngest == &request) oldest->youngest = before == oldest ? nullptr : before;
  } else if (Request* const next = request.younger) {
    if (next != request.youngest) next->youngest = request.youngest;
    oldest_.set(key_of(request.handle), next);
  } else {
    oldest_.erase(key_of(request.handle));
  }
}

void RequestTable::give_back(Request& request) {
  spare_.push_back(&request);
}

trace::RequestId RequestTable::take_id() {
  while (first_free_word_ < free_.size() && free_[first_free_word_] == 0)
    ++first_free_word_;
  if (first_free_word_ == free_.size()) free_.push_back(~std::uint64_t{0});
  std::uint64_t& word = free_[first_free_word_];
  const int bit = std::countr_zero(word);
  word &= word - 1;
  return static_cast<trace::RequestId>(first_free_word_ * bits_per_word + static_cast<std::size_t>(bit));
}

void RequestTable::free_id(trace::RequestId id) {
  const std::size_t word = id / bits_per_word;
  free_[word] |= std::uint64_t{1} << (id % bits_per_word);
  if (word < first_free_word_) first_free_word_ = word;
}

void ProgramRequests::share() {
  parts_ = std::vector<Part>(shared_parts);
}

Request& ProgramRequests::add(MPI_Request handle, std::uint32_t thread) {
  Part& part = parts_[part_number(handle)];
  const OptionalLock held(part.lock, shared());
  Request& request = part.table.add(handle);
  request.owner = thread;
  return request;
}

void ProgramRequests::publish(Request& request) {
  const OptionalLock held(parts_[part_number(request.handle)].lock, shared());
  request.published = true;
}

Request* ProgramRequests::find(MPI_Request handle, std::uint32_t thread) {
  Part& part = parts_[part_number(handle)];
  const OptionalLock held(part.lock, shared());
  return find_in(part, handle, thread);
}

Request* ProgramRequests::claim(MPI_Request handle, std::uint32_t thread) {
  Part& part = parts_[part_number(handle)];
  const OptionalLock held(part.lock, shared());
  Request* const request = find_in(part, handle, thread);
  if (request == nullptr || request->persistent) return request;
  part.table.take(*request);
  request->claimed = true;
  return request;
}

void ProgramRequests::disclaim(Request& request) {
  if (!request.claimed) return;
  Part& part = parts_[part_number(request.handle)];
  const OptionalLock held(part.lock, shared());
  part.table.put(request);
  request.claimed = false;
}

void ProgramRequests::rename(Request& request, MPI_Request handle) {
  if (handle == request.handle) return;
  {
    Part& part = parts_[part_number(request.handle)];
    const OptionalLock held(part.lock, shared());
    part.table.take(request);
  }
  request.handle = handle;
  Part& part = parts_[part_number(handle)];
  const OptionalLock held(part.lock, shared());
  part.table.put(request);
}

void ProgramRequests::remove(Request& request) {
  if (request.id != trace::no_request) free_number(request.id);
  if (request.send_half != trace::no_request) [[unlikely]]
    free_number(request.send_half);
  Part& part = parts_[part_number(request.handle)];
  const OptionalLock held(part.lock, shared());
  if (!request.claimed) part.table.take(request);
  part.table.give_back(request);
}

trace::RequestId ProgramRequests::number(Request& request) {
  return request.id = take_number(request.handle);
}

trace::RequestId ProgramRequests::number_send_half(Request& request) {
  return request.send_half = take_number(request.handle);
}

trace::RequestId ProgramRequests::take_number(MPI_Request handle) {
  const std::size_t at = part_number(handle);
  Part& part = parts_[at];
  const OptionalLock held(part.lock, shared());
  return part.table.take_id() * static_cast<trace::RequestId>(parts_.size()) + static_cast<trace::RequestId>(at);
}

/// The part is that of the handle which the request had when it was given the number.
void ProgramRequests::free_number(trace::RequestId number) {
  const auto parts = static_cast<trace::RequestId>(parts_.size());
  Part& part = parts_[number % parts];
  const OptionalLock held(part.lock, shared());
  part.table.free_id(number / parts);
}

std::size_t ProgramRequests::part_number(MPI_Request handle) const {
  if (!shared()) return 0;
  constexpr std::uint64_t mixer = 0x9e3779b97f4a7c15U;
  return static_cast<std::size_t>((key_of(handle) * mixer) >> 40U) % shared_parts;
}

} // namespace timeless::tracer
