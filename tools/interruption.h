#pragma once

#include "gather/temporary_file.h"

#include <csignal>

namespace timeless::tools {

/// From now on, a file beyond the size limit is an error like a full disk, and an interruption (Ctrl-C, a batch
/// system's SIGTERM, a lost terminal) removes the temporary files of this process before it ends it as it would have.
inline void remove_temporary_files_when_interrupted() {
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, [](int received) {
      gather::remove_temporary_files();
      std::signal(received, SIG_DFL);
      std::raise(received);
    });
}

} // namespace timeless::tools
