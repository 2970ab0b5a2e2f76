#pragma once

#include "tracer/common/flat_map.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace timeless::tracer {

inline constexpr std::size_t max_stack_depth = 32;

/// What names a place the program calls MPI from: the return address of the call and, where a deeper stack is asked
/// for, those of the functions around it.
struct CallPath {
  std::array<const void*, max_stack_depth> addresses; ///< the call's own, its caller's, ...: `length` of them
  std::size_t length = 1;
  std::uint64_t key = 0; ///< different for different paths, never 0
};

/// Fills in the path of the wrapper's return address with up to depth - 1 callers: fewer where the stack ends, or where
/// code gives no unwind information. To be called below the wrapper. Does not allocate.
void unwind(CallPath& path, const void* return_address, std::size_t depth) noexcept;

/// Returns the path; with a depth of 1 nothing is unwound.
inline CallPath call_path(const void* return_address, std::size_t depth) noexcept {
  CallPath path;
  path.addresses[0] = return_address;
  path.key = key_of(return_address);
  if (depth > 1) unwind(path, return_address, depth);
  return path;
}

} // namespace timeless::tracer
