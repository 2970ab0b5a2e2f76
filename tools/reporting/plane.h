#pragma once

#include "tools/reporting/installed_platforms.h"
#include "tools/reporting/report.h"

namespace timeless::tools {

/// Returns what bounds the program on networks around the base machine: factors of two of bandwidth and latency, from
/// an eighth to eight times, and as far as the marked machines are, at most 64 times. Each cell is classified from the
/// 21 configurations around it, all replayed in few passes. Notes which of the installed platforms are not on it.
ClassPlane class_plane(Report& report, InstalledPlatforms& installed, const trace::Source& source);

} // namespace timeless::tools
