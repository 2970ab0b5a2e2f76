#pragma once

#include "tools/cli/verb.h"

#include "tools/cli/cli11_fwd.h"

/// The parts of `timeless calibrate`, one file each.
namespace timeless::tools {

VerbAction add_calibrate_compute(CLI::App& command);
VerbAction add_calibrate_network(CLI::App& command);
VerbAction add_calibrate_machine(CLI::App& command);
VerbAction add_calibrate_show(CLI::App& command);

} // namespace timeless::tools
