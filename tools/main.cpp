#include "replay/large_pages.h"
#include "tools/command_line.h"
#include "tools/console.h"

#include <exception>
#include <new>

int main(int argc, char** argv) {
  using timeless::Error;
  using timeless::Failure;
  try {
    timeless::replay::prefer_large_pages();
    return timeless::tools::run_command_line(argc, argv);
  } catch (const Error& error) {
    timeless::tools::print_error(error);
    return static_cast<int>(error.failure());
  } catch (const std::bad_alloc&) {
    timeless::tools::print_error({Failure::runtime, "out of memory", "", "use a machine with more memory"});
  } catch (const std::exception& problem) {
    timeless::tools::print_error({Failure::runtime, problem.what(), "", "this is a defect; please report it"});
  }
  return static_cast<int>(Failure::runtime);
}
