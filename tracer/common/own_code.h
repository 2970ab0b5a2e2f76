#pragma once

#include <cstdint>

extern "C" {
// The bounds of this library, by the linker.
extern const char __ehdr_start[] __attribute__((visibility("hidden"))); // NOLINT(bugprone-reserved-identifier)
extern const char _end[] __attribute__((visibility("hidden")));         // NOLINT(bugprone-reserved-identifier)
}

namespace timeless::tracer {

/// Returns true for an address in this library. Always inline: also asked by code that runs before a sanitizer is
/// ready.
[[gnu::always_inline]] inline bool is_own(const void* address) noexcept {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  return place >= reinterpret_cast<std::uintptr_t>(__ehdr_start) && place < reinterpret_cast<std::uintptr_t>(_end);
}

} // namespace timeless::tracer
