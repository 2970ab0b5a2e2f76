// The plain payload of an actions block, as version 1 of the archive had them.
#include "trace/encoding/version_1.h"
#include "tests/fuzz/fuzz.h"
#include "trace/archive/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using namespace timeless::fuzz;
  static trace::ActionBlock block;
  if (!reads([&] { trace::decode_version_1(text(data, size), block); })) return 0;
  demand(block.size() <= trace::max_block_actions, "a block has a bounded number of actions");
  std::size_t actions = 0;
  for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
    ++actions;
    demand(has_volume(action.kind) || volume == 0, "only actions with a volume have one");
  });
  demand(actions == block.size(), "every action can be looked at");
  return 0;
}
