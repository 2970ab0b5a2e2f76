#pragma once

#include "trace/run.h"

namespace timeless::tracer {

trace::Host this_host();
/// What recorded this program, and when; without the run's identity.
trace::Provenance this_program();

} // namespace timeless::tracer
