#pragma once

#include "trace/model/source.h"

namespace timeless::tools {

/// Bytes of the largest message of a run, or of what a member gives to a collective; 0 where there are none.
trace::Bytes largest_message(const trace::Source& source);

} // namespace timeless::tools
