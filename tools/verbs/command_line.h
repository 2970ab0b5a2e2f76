#pragma once

namespace timeless::tools {

/// Does what a command line asks: runs the verb, or prints the help. Returns the exit code; throws Error.
int run_command_line(int argc, char** argv);

} // namespace timeless::tools
