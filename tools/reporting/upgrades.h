#pragma once

#include "tools/reporting/report.h"

namespace timeless::tools {

/// Fills the verdict: what other machines, and what helps on the base machine, save of its time; and how far to trust
/// that.
void weigh_upgrades(Report& report, const trace::Source& source);

} // namespace timeless::tools
