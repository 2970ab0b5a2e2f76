#include "replay/large_pages.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/interruption.h"
#include "tools/verbs/command_line.h"

int main(int argc, char** argv) {
  return timeless::tools::exit_status_of([&] {
    timeless::replay::prefer_large_pages();
    timeless::tools::remove_temporary_files_when_interrupted();
    return timeless::tools::run_command_line(argc, argv);
  });
}
