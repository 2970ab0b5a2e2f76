// The plain payload of an actions block: what can be read can be written and read again.
#include "tests/fuzz/fuzz.h"
#include "trace/encoding/block_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using namespace timeless::fuzz;
  static trace::ActionBlock block;
  if (!reads([&] { trace::decode_block(text(data, size), block); })) return 0;
  std::string bytes;
  trace::encode_block(block, bytes);
  static trace::ActionBlock again;
  demand(reads([&] { trace::decode_block(bytes, again); }) && again.size() == block.size(),
         "actions that were written can be read");
  std::string twice;
  trace::encode_block(again, twice);
  demand(bytes == twice, "actions written and read are the same");
  return 0;
}
