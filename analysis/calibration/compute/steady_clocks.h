#pragma once

#include "trace/model/source.h"

#include <string>

namespace timeless::analysis {

/// Returns how the clock of a rank jumped while a launch was recorded, a sentence; empty where all clocks went on: no
/// action ends before it begins, and no rank was recorded for longer than the `elapsed` seconds that the launch took by
/// the clock of who launched it; infinity where that is not known. Reads all actions.
std::string clock_jump(const trace::Source& launch, double elapsed);

} // namespace timeless::analysis
