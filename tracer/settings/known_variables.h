#pragma once

#include <string>
#include <vector>

namespace timeless::tracer {

/// Returns the variables of the environment that look like settings of the tracer's but are none, as after a typing
/// error.
std::vector<std::string> unknown_variables();

} // namespace timeless::tracer
