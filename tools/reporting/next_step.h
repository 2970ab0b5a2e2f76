#pragma once

#include "tools/reporting/installed_platforms.h"
#include "tools/reporting/report.h"

namespace timeless::tools {

/// Fills the verdict's next command, which says again what the report was asked, and why that is next.
void find_next_step(Report& report, InstalledPlatforms& installed);

} // namespace timeless::tools
