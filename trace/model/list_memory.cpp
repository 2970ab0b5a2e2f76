#include "trace/model/list_memory.h"

#include <algorithm>

namespace timeless::trace {

namespace {

constexpr std::size_t first_chunk_bytes = std::size_t{4} << 10U;
constexpr std::size_t most_kept_bytes = std::size_t{1} << 20U;

} // namespace

std::byte* ListMemory::take(std::size_t bytes) {
  bytes = (bytes + alignment - 1) / alignment * alignment;
  while (current_ < chunks_.size() && chunks_[current_].size - used_ < bytes) {
    ++current_;
    used_ = 0;
  }
  if (current_ == chunks_.size()) {
    const std::size_t size = std::max(bytes, chunks_.empty() ? first_chunk_bytes : 2 * chunks_.back().size);
    chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
  }
  std::byte* const taken = chunks_[current_].memory.get() + used_;
  used_ += bytes;
  return taken;
}

void ListMemory::clear() {
  current_ = 0;
  used_ = 0;
  std::size_t kept = 0;
  const auto too_much = [&kept](const Chunk& chunk) { return (kept += chunk.size) > most_kept_bytes; };
  chunks_.erase(std::ranges::find_if(chunks_, too_much), chunks_.end());
}

} // namespace timeless::trace
