#pragma once

#include "tools/reporting/report.h"

namespace timeless::tools {

/// Fills what the trace itself says: totals, messages, kernels. `source` has the volumes as they were recorded.
void read_contents(Report& report, const trace::Source& source);

} // namespace timeless::tools
