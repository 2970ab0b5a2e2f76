#pragma once

#include "tracer/counters/counter.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What the memory model of icount counts, as a profile.
namespace timeless::tracer {

/// What TIMELESS_PROFILE is for it.
inline constexpr std::string_view memory_profile = "memory";

/// Starts the profile; returns the names of what is counted, trace::memory_events(). Throws Error(missing_capability)
/// where the counter is not icount, or its tool runs without the model.
std::vector<std::string> start_memory_profile(const ActiveCounter& counter);

/// Reads what the calling thread has counted so far. Where a call begins, the program's accesses end, until
/// `call_begins` is false.
bool read_memory_profile(std::uint64_t* values, bool call_begins) noexcept;

} // namespace timeless::tracer
