#pragma once

#include "tools/reporting/report.h"

namespace timeless::tools {

/// Fills traces and about: the first run, whose answers are known, and the others, each replayed on the report's
/// machines and classified on the base machine.
void predict_traces(Report& report);

} // namespace timeless::tools
