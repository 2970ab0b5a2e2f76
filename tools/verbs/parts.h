#pragma once

#include "tools/cli/verb.h"

#include "tools/cli/cli11_fwd.h"

#include <span>

namespace timeless::tools {

/// Gives a verb its parts, each with options of its own: `timeless VERB PART`. Returns what runs the part that was
/// asked for; without one, parsing ends in an error that lists them.
VerbAction add_parts(CLI::App& verb, std::span<const Verb> parts);

} // namespace timeless::tools
