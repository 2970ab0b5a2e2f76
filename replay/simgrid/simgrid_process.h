#pragma once

#include "base/processes/apart.h"

namespace timeless::replay {

/// Runs work that uses SimGrid in a child, as run_apart() does.
///
/// SimGrid answers many mistakes by printing and aborting, and its state is global to a process. Where the child dies,
/// the Error says the last of what SimGrid printed, unless `death` has a reason of its own.
std::string run_simgrid(const ChildWork& work, ChildDeath death, const ChildProgress& progress = {},
                        const ChildPart& part = {});

} // namespace timeless::replay
