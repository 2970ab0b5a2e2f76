#pragma once

#include "base/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace timeless::fuzz {

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the program, so that the fuzzer keeps the input.
inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

/// Runs what may throw Error, but only of the one kind that malformed bytes may end in. False when it threw.
template <typename Read>
bool reads(const Read& read) {
  try {
    read();
    return true;
  } catch (const Error& problem) {
    demand(problem.failure() == Failure::invalid_input, problem.what());
    return false;
  }
}

} // namespace timeless::fuzz
