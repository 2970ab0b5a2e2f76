#include "replay/large_pages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace timeless::replay {

#ifdef __GLIBC__

void prefer_large_pages() {
  // Address space, not memory: the heap's first part, which holds nearly all of most replays.
  constexpr int reserve = 256 << 20;
  constexpr int largest_in_heap = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, largest_in_heap);
  mallopt(M_TRIM_THRESHOLD, 2 * reserve);
  mallopt(M_TOP_PAD, reserve);
  // More than the heap has left makes it grow.
  void* volatile more = std::malloc(std::size_t{1} << 20U); // which the compiler may not leave out
  std::free(more);
  mallopt(M_TOP_PAD, 1 << 20);
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21U;
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0)) / page * page;
  madvise(reinterpret_cast<void*>(end - reserve), reserve, MADV_HUGEPAGE);
}

#else

void prefer_large_pages() {}

#endif

} // namespace timeless::replay
