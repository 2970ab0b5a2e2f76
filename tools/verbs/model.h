#pragma once

#include "tools/cli/verb.h"

#include "tools/cli/cli11_fwd.h"

/// The parts of `timeless model`, one file each.
namespace timeless::tools {

VerbAction add_model_wavefront(CLI::App& command);

} // namespace timeless::tools
