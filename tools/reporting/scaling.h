#pragma once

#include "tools/reporting/report.h"

namespace timeless::tools {

/// Fills Report::scaling where the report was given three or more numbers of ranks of one program, or says in its notes
/// why not. Targets are twice and four times the most ranks.
void read_scaling(Report& report);

} // namespace timeless::tools
