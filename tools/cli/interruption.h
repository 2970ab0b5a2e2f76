#pragma once

#include "base/files/temporary_file.h"
#include "base/processes/command.h"
#include "tools/cli/console.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <string_view>

namespace timeless::tools {

/// The file of measurements that stays when this process is interrupted; null: there is none.
inline std::atomic<const char*> measurements_that_stay = nullptr;

/// Ends this process by the signal it received, without its temporary files, what it runs captured and its progress
/// bar. Says what is left where it speaks.
template <bool speaks>
void end_by(int received) {
  const char* const kept = remove_temporary_files();
  end_captured_commands();
  clear_progress();
  if constexpr (speaks) {
    const auto say = [](std::string_view text) {
      [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    };
    if (const char* const measured = measurements_that_stay.load(); measured != nullptr) {
      say("timeless: interrupted; what was measured before is kept, and --from reads it: ");
      say({measured, std::strlen(measured)});
      say("\n");
    } else {
      say("timeless: interrupted; finished outputs are kept, unfinished ones are removed, "
          "what was printed is not complete\n");
    }
    if (kept != nullptr) {
      say("timeless: what was launched before is kept, and --from reads it: ");
      say({kept, std::strlen(kept)});
      say("\n");
    }
  }
  std::signal(received, SIG_DFL);
  std::raise(received);
}

/// Makes, from now on, a file beyond the size limit an error like a full disk, and has an interruption (Ctrl-C, a batch
/// system's SIGTERM, a lost terminal) remove the temporary files of this process and its progress bar, and say what is
/// left unless another process speaks for this one, before it ends the process as it would have. Programs that this one
/// executes are not concerned. What is ignored stays so.
inline void remove_temporary_files_when_interrupted(bool speaks = true) {
  std::signal(SIGXFSZ, [](int) {}); // not SIG_IGN, which executed programs would inherit
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, speaks ? end_by<true> : end_by<false>) == SIG_IGN) std::signal(signal, SIG_IGN);
}

} // namespace timeless::tools
