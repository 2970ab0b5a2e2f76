#include "replay/large_pages.h"
#include "tools/command_line.h"
#include "tools/exit_status.h"

int main(int argc, char** argv) {
  return timeless::tools::exit_status_of([&] {
    timeless::replay::prefer_large_pages();
    return timeless::tools::run_command_line(argc, argv);
  });
}
