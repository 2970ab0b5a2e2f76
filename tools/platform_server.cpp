// Reads a platform file with SimGrid for a program that cannot link it: timeless-mpi starts one for each process.
// Usage: platform-server FILE [KEY:VALUE...], settings of SimGrid's; questions come on standard input, answers go to
// standard output.
#include "replay/distributed/served_platform.h"
#include "replay/simgrid/simgrid_platform.h"

#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  using namespace timeless::replay;
  if (argc < 2) return 2;
  // What SimGrid prints must not come among the answers.
  const int answers = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const std::vector<std::string> settings(argv + 2, argv + argc);
  serve_platform([&] { return std::make_unique<SimgridPlatform>(SimgridPlatform::load(argv[1], settings)); },
                 STDIN_FILENO, answers);
  return 0;
}
