#pragma once

#include "base/error.h"

#include <string>
#include <utility>

namespace timeless::replay {

/// The trace contradicts itself. Whoever knows the rank and the action adds them.
[[noreturn]] inline void fail(std::string what) {
  throw Error(Failure::invalid_input, std::move(what));
}

} // namespace timeless::replay
