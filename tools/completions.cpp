// Usage: timeless_completions bash|zsh|fish: prints the completion of the command for this shell.

#include "tools/verbs/completions.h"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  try {
    timeless::tools::print_completions(argc == 2 ? argv[1] : "");
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "timeless_completions: %s\n", problem.what());
    return 1;
  }
}
