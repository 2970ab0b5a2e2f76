#pragma once

#include "base/error.h"

#include <string>
#include <utility>

namespace timeless::replay {

/// Throws Error(invalid_input), as the trace contradicts itself. A caller that knows the rank and the action adds them.
[[noreturn]] inline void fail(std::string what) {
  throw Error(Failure::invalid_input, std::move(what));
}

} // namespace timeless::replay
