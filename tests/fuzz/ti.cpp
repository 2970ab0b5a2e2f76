// SimGrid's text, as one file of all ranks or as a list of files.
#include "trace/formats/ti/ti.h"
#include "tests/fuzz/imports.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  static fuzz::MemoryFile file;
  file.hold(fuzz::text(data, size));
  fuzz::read_import([] { return trace::formats::open_ti(file.path()); });
  return 0;
}
