#include "tracer/requests.h"

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
  if (Request** const same = oldest_.find(key_of(handle))) {
    Request& oldest = **same;
    (oldest.youngest != nullptr ? oldest.youngest : &oldest)->younger = &request;
    oldest.youngest = &request;
  } else {
    oldest_.set(key_of(handle), &request);
  }
  return request;
}

Request* RequestTable::find(MPI_Request handle) {
  Request** const oldest = oldest_.find(key_of(handle));
  return oldest != nullptr ? *oldest : nullptr;
}

void RequestTable::remove(Request& request) {
  if (request.id != trace::no_request) free_id(request.id);
  if (Request* const next = request.younger) {
    if (next != request.youngest) next->youngest = request.youngest;
    oldest_.set(key_of(request.handle), next);
  } else {
    oldest_.erase(key_of(request.handle));
  }
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

} // namespace timeless::tracer
