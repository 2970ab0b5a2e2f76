#pragma once

#include "tools/cli/verb.h"

/// The parts of `timeless advise`, one file each.
namespace timeless::tools {

VerbAction add_advise_features(CLI::App& command);
VerbAction add_advise_collect(CLI::App& command);
VerbAction add_advise_train(CLI::App& command);
VerbAction add_advise_evaluate(CLI::App& command);

} // namespace timeless::tools
