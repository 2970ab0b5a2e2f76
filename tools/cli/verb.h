#pragma once

#include "base/error.h"
#include "tools/cli/cli11_fwd.h"

#include <functional>

/// The verbs of the `timeless` command, one file each.
namespace timeless::tools {

/// What running a verb gives the shell, beside the codes an Error carries (see Failure).
enum ExitCode : int { exit_ok = 0, exit_condition_met = 4 };

/// Runs the verb with the options parsed; returns the exit code, throws Error.
using VerbAction = std::function<int()>;

/// One row of the table in verbs.cpp: `add` gives the subcommand its options and returns what runs it.
struct Verb {
  const char* name;
  const char* summary;
  VerbAction (*add)(CLI::App& command);
};

} // namespace timeless::tools
