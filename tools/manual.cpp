// Usage: timeless_manual TEMPLATE: prints the manual page made from it.

#include "base/error.h"
#include "tools/verbs/manual_page.h"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw timeless::Error(timeless::Failure::usage, "expected one template");
    std::fputs(timeless::tools::manual_page(argv[1]).c_str(), stdout);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "timeless_manual: %s\n", problem.what());
    return 1;
  }
}
