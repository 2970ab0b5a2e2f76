// The plain payload of an index.
#include "tests/fuzz/fuzz.h"
#include "trace/codec/layout.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using namespace timeless::fuzz;
  std::vector<trace::IndexRow> rows;
  if (!reads([&] { trace::decode_index(text(data, size), rows); })) return 0;
  demand(rows.size() <= size, "rows take bytes");
  return 0;
}
