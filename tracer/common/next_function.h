#pragma once

#include <dlfcn.h>

namespace timeless::tracer {

/// Returns the function of this name that the program would call without the tracer.
template <typename Function>
Function next_function(const char* name) noexcept {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Returns the same, of a function of the C library that has changed: in this version where there is that, else the
/// only one.
template <typename Function>
Function next_function(const char* name, const char* version) noexcept {
  if (void* const found = dlvsym(RTLD_NEXT, name, version)) return reinterpret_cast<Function>(found);
  return next_function<Function>(name);
}

} // namespace timeless::tracer
