#pragma once

#include <functional>

namespace timeless::tools {

/// Runs a command and gives the program's exit status. What it throws is told on stderr; so is standard output that
/// takes no more (a full disk): an answer that is not all there is no success.
int exit_status_of(const std::function<int()>& command);

} // namespace timeless::tools
