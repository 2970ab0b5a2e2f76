#pragma once

#include "tools/reporting/report.h"

namespace timeless::tools {

/// Fills the verdict: what other machines, a better network, faster processors and a better balance save on the base
/// machine.
void weigh_upgrades(Report& report, const trace::Source& source);

} // namespace timeless::tools
