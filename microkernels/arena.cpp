#include "microkernels/arena.h"

#include "base/error.h"

#include <cstring>
#include <sys/mman.h>

namespace timeless::microkernels {

Arena::Arena(std::size_t bytes)
    : memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)), bytes_(bytes) {
  if (memory_ == MAP_FAILED) throw Error(Failure::runtime, "no memory for the kernels' arrays");
  std::memset(memory_, 1, bytes);
}

Arena::~Arena() {
  munmap(memory_, bytes_);
}

void* Arena::take_bytes(std::size_t bytes) {
  // Arrays that all began at the same place of a page would evict each other.
  constexpr std::size_t line = 64;
  constexpr std::size_t apart = 5 * line;
  const std::size_t begin = taken_;
  taken_ += (bytes + line - 1) / line * line + apart;
  if (taken_ > bytes_) throw Error(Failure::runtime, "the kernels' arrays are larger than their memory");
  return static_cast<char*>(memory_) + begin;
}

} // namespace timeless::microkernels
