#pragma once

#include "tracer/record/call_scope.h"

#include <span>

namespace timeless::tracer {

/// Returns the names of all calls, by CallId.
std::span<const char* const> call_names();

/// Returns true when what is recorded of the call shares nothing that is not safe to share between threads.
bool recorded_at_once(CallId call);

} // namespace timeless::tracer
