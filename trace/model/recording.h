#pragma once

#include <cstdint>

namespace timeless::trace {

/// Returns the number of a recording: what one `timeless record` starts, or those of a job's ranks together. It is the
/// upper half of the identities of its runs, which so can be told from those of another recording; that of a program
/// that records by itself is chance.
constexpr std::uint32_t recording_of(std::uint64_t run_identity) {
  return static_cast<std::uint32_t>(run_identity >> 32U);
}

constexpr std::uint64_t run_identity_of(std::uint32_t recording, std::uint32_t run) {
  return std::uint64_t{recording} << 32U | run;
}

} // namespace timeless::trace
