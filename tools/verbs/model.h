#pragma once

#include "tools/cli/verb.h"

#include <CLI/CLI.hpp>

/// The parts of `timeless model`, one file each.
namespace timeless::tools {

VerbAction add_model_wavefront(CLI::App& command);

} // namespace timeless::tools
