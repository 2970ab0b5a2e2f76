#pragma once

#include "trace/model/run.h"

#include <cstdint>

namespace timeless::tracer {

trace::Host this_host();
/// Returns the most memory this process has had resident so far, in bytes; 0 where the system does not tell.
std::uint64_t peak_memory() noexcept;
/// Returns what recorded this program, and when; without the run's identity.
trace::Provenance this_program();

} // namespace timeless::tracer
