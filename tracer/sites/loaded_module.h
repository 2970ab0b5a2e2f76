#pragma once

#include "trace/model/run.h"

#include <cstdint>
#include <optional>

namespace timeless::tracer {

/// A file that the loader has mapped into this process.
struct LoadedModule {
  trace::Module module;
  std::uint64_t base = 0; ///< the lowest address it is mapped to
};

/// Returns the module this address is in; nothing for code made at run time.
std::optional<LoadedModule> loaded_module(const void* address);

/// Returns how many modules the loader has taken out of the process so far.
unsigned long long modules_unloaded();

} // namespace timeless::tracer
