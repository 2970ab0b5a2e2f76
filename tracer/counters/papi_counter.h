#pragma once

#include "tracer/counters/papi_library.h"

#include <cstdint>
#include <span>
#include <string>

namespace timeless::tracer {

/// Returns PAPI while it counts the volumes, or null. PAPI counts one set of events of a thread at a time, so whatever
/// else is to be counted has to join the volumes' set.
const PapiLibrary* papi_of_volumes() noexcept;

/// Counts further events together with the volumes, in every thread that calls MPI from here on and in the calling
/// one; PAPI_OK, or what failed: then the volumes are counted as before. Volumes go on from where they are.
int count_with_volumes(std::span<const std::string> events);

/// Reads what the calling thread has counted of those events, in their order. Returns false when that cannot be read.
bool read_with_volumes(std::uint64_t* values) noexcept;

} // namespace timeless::tracer
