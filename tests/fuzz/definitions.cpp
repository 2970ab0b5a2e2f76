// A definitions payload: what can be read can be written and read again, and added to a run or refused.
#include "trace/codec/definitions/definitions.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using namespace timeless::fuzz;
  trace::Definitions definitions;
  if (!reads([&] { definitions = trace::decode_definitions(text(data, size)); })) return 0;
  trace::Run run;
  if (!reads([&] { apply(definitions, run); })) return 0;
  // Whatever was accepted is a run, which can be told whole.
  const trace::Definitions told = definitions_of(run);
  trace::Run again;
  demand(reads([&] { apply(trace::decode_definitions(encode(told)), again); }) && definitions_of(again) == told,
         "a run written and read is the same");
  return 0;
}
