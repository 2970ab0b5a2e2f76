#pragma once

#include "trace/check/check.h"
#include "trace/model/source.h"

namespace timeless::tools {

/// Returns all that is known against a trace: what its actions say, the damage of its file, and, where these are sound,
/// how a replay of it ends. The worst findings come first.
trace::CheckReport examined(const trace::Source& source);

} // namespace timeless::tools
