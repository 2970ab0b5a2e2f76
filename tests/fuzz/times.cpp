// A times payload. The first two bytes of the input say of how many actions it is to have the times.
#include "tests/fuzz/fuzz.h"
#include "trace/codec/times_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using namespace timeless::fuzz;
  if (size < 2) return 0;
  const std::size_t actions = data[0] + std::size_t{256} * data[1];
  std::vector<trace::ActionTimes> times;
  if (!reads([&] { trace::decode_times(text(data + 2, size - 2), actions, times); })) return 0;
  demand(times.size() == actions, "as many times as asked for");
  std::string bytes;
  trace::encode_times(times, bytes);
  std::vector<trace::ActionTimes> again;
  demand(reads([&] { trace::decode_times(bytes, actions, again); }) && again == times,
         "times written and read are the same");
  return 0;
}
