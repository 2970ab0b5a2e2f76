// The fixed parts of an archive: file header, block header, footer.
#include "tests/fuzz/fuzz.h"
#include "trace/codec/layout.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using namespace timeless::fuzz;
  const std::string_view bytes = text(data, size);
  reads([&] { trace::check_file_header(bytes); });
  if (const auto stored = trace::decode_block_header(bytes)) {
    demand(stored->header.actions <= trace::max_block_actions, "a block has a bounded number of actions");
    demand(stored->header.plain_bytes <= trace::max_block_bytes, "a block has a bounded size");
  }
  if (const auto footer = trace::decode_footer(bytes))
    demand(trace::encode_footer(*footer) == bytes, "a footer written and read is the same");
  return 0;
}
