#pragma once

#include <sys/types.h>

namespace timeless {

/// Sends a signal to a process and to all that it has started, directly or through others, as far as they are still its
/// descendants: a shell that dies of SIGTERM does not hand it on.
void signal_with_descendants(pid_t process, int signal);

} // namespace timeless
