// What processes that gather say of their ranks: what can be read can be written and read again.
#include "gather/parts/run_part.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using namespace timeless::fuzz;
  gather::RunPart part;
  try {
    part = gather::decode_run_part(text(data, size));
  } catch (const Error&) {
    return 0;
  }
  const std::string told = encode(part);
  demand(encode(gather::decode_run_part(told)) == told, "what was read and written is the same");
  return 0;
}
