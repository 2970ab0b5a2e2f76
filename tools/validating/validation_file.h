#pragma once

#include "tools/validating/validation.h"

#include <string>

namespace timeless::tools {

/// Reads a file of `timeless validate --json`; what the file does not say is 0 or empty. Throws Error(usage) when there
/// is no such file, Error(invalid_input) when it holds something else.
Validation read_validation(const std::string& file);

} // namespace timeless::tools
