#include "replay/large_pages.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/interruption.h"
#include "tools/verbs/command_line.h"

#include <fcntl.h>
#include <unistd.h>

namespace {

/// Keeps files from being opened in the place of a standard stream that is closed: what is printed would go into them.
/// Programs that are executed find it closed.
void occupy_closed_streams() {
  int file = STDIN_FILENO;
  while (file >= 0 && file <= STDERR_FILENO)
    file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (file >= 0) ::close(file);
}

} // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  return timeless::tools::exit_status_of([&] {
    timeless::replay::prefer_large_pages();
    timeless::tools::remove_temporary_files_when_interrupted();
    return timeless::tools::run_command_line(argc, argv);
  });
}
