// GOAL, as text or in LogGOPSim's binary form, as the file's first bytes say.
#include "trace/formats/goal/goal.h"
#include "tests/fuzz/imports.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  static fuzz::MemoryFile file;
  file.hold(fuzz::text(data, size));
  fuzz::read_import([] { return trace::formats::open_goal(file.path()); });
  return 0;
}
