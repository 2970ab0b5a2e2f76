#pragma once

#include <vector>

namespace timeless::tools {

/// Returns the numbers of the processors that this process may use, at least one.
std::vector<int> usable_processors();

} // namespace timeless::tools
