#pragma once

#include "trace/model/memory_source.h"

#include <cstdint>

namespace timeless::fuzz {

/// Returns a run of so many ranks with one kernel, from /bin/app to libm.so.
inline trace::MemorySource run_of_one_kernel(trace::Rank ranks) {
  trace::MemorySource program(ranks);
  program.description().modules = {{.path = "/bin/app", .build_id = {}}, {.path = "libm.so", .build_id = {}}};
  program.add_kernel({.begin = {.module = 0, .offset = 16}, .end = {.module = 1, .offset = 32}});
  return program;
}

} // namespace timeless::fuzz
