#pragma once

#include "tools/symbols/symboliser.h"

#include <string>

namespace timeless::tools::symbols {

/// Returns the function that calls MPI where a kernel ends, as compiled: that into which others are inlined; the file
/// that holds it, where its name is not known. Empty where no place is known.
std::string calling_function(const trace::Run& run, const trace::Kernel& kernel, Symboliser& symboliser);

} // namespace timeless::tools::symbols
