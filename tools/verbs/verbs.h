#pragma once

#include "tools/cli/verb.h"

#include "tools/cli/cli11_fwd.h"

#include <span>

namespace timeless::tools {

/// Returns every verb, in the order `timeless --help` lists them.
std::span<const Verb> verbs();

VerbAction add_plan(CLI::App& command);
VerbAction add_advise(CLI::App& command);
VerbAction add_record(CLI::App& command);
VerbAction add_gather(CLI::App& command);
VerbAction add_convert(CLI::App& command);
VerbAction add_info(CLI::App& command);
VerbAction add_dump(CLI::App& command);
VerbAction add_check(CLI::App& command);
VerbAction add_replay(CLI::App& command);
VerbAction add_sweep(CLI::App& command);
VerbAction add_validate(CLI::App& command);
VerbAction add_compare(CLI::App& command);
VerbAction add_platform(CLI::App& command);
VerbAction add_classify(CLI::App& command);
VerbAction add_report(CLI::App& command);
VerbAction add_calibrate(CLI::App& command);
VerbAction add_scale(CLI::App& command);
VerbAction add_extrapolate(CLI::App& command);
VerbAction add_model(CLI::App& command);
VerbAction add_doctor(CLI::App& command);

} // namespace timeless::tools
