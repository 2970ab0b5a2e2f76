#pragma once

#include <string>

/// What the process remembers of its way under the icount tool.
namespace timeless::tracer {

/// Returns why the process could not be put under the tool when it started, or nothing.
const std::string& icount_refusal();
void set_icount_refusal(std::string reason);

} // namespace timeless::tracer
