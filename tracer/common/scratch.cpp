#include "tracer/common/scratch.h"

#include <algorithm>
#include <utility>

namespace timeless::tracer {

namespace {

constexpr std::size_t alignment = alignof(std::max_align_t);
constexpr std::size_t first_chunk_bytes = std::size_t{64} << 10U;

std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace

ScratchMemory& ScratchMemory::of_this_thread() {
  // A new one when the thread's data is gone already: programs call MPI from handlers that run at exit.
  static thread_local ScratchMemory* memory = nullptr;
  static thread_local const struct Owner {
    ~Owner() { delete std::exchange(memory, nullptr); }
  } owner;
  if (memory == nullptr) memory = new ScratchMemory;
  return *memory;
}

void* ScratchMemory::take(std::size_t bytes) {
  bytes = aligned(bytes);
  while (current_ < chunks_.size() && chunks_[current_].size - chunks_[current_].used < bytes)
    ++current_;
  if (current_ == chunks_.size()) {
    const std::size_t size = std::max(bytes, chunks_.empty() ? first_chunk_bytes : 2 * chunks_.back().size);
    chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size, 0});
  }
  Chunk& chunk = chunks_[current_];
  void* const taken = chunk.memory.get() + chunk.used;
  chunk.used += bytes;
  return taken;
}

void ScratchMemory::give_back(std::size_t bytes) {
  while (chunks_[current_].used == 0)
    --current_;
  chunks_[current_].used -= aligned(bytes);
}

} // namespace timeless::tracer
