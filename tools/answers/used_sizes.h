#pragma once

#include "trace/action.h"
#include "trace/run.h"

namespace timeless::tools {

/// Which of an action's plain sizes its call has, be they 0.
struct UsedSizes {
  bool bytes = false;
  bool receive_bytes = false;
};

/// As the list of trace::Action says of the kind; sizes that mean something at a root only, at that one only. `rank` is
/// the caller's in the run.
UsedSizes used_sizes(const trace::Action& action, const trace::Run& run, trace::Rank rank);

} // namespace timeless::tools
