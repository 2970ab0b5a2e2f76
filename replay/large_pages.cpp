#include "replay/large_pages.h"

#include <climits>
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
  constexpr std::size_t reserve = std::size_t{1} << 30U;
  constexpr int largest_in_heap = 32 << 20;
  constexpr int usual_reserve = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, largest_in_heap);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, static_cast<int>(reserve));
  // More than the heap has left makes it grow; volatile, or the compiler would leave both out.
  void* volatile more = std::malloc(std::size_t{1} << 20U);
  std::free(more);
  mallopt(M_TOP_PAD, usual_reserve);
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21U;
  const auto place = reinterpret_cast<std::uintptr_t>(more);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  if (end < place || end - place < reserve) return; // a limit was in the way
  const std::uintptr_t begin = (place + page - 1) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

#else

void prefer_large_pages() {}

#endif

} // namespace timeless::replay
