// A segment of actions from its two payloads. The input is the length of the structure's (two bytes), where in it to
// start (one byte), the structure and the volumes.
#include "tests/fuzz/fuzz.h"
#include "trace/archive/rank_dictionary.h"
#include "trace/codec/segment/segment_decoder.h"

#include <algorithm>
#include <memory>

namespace timeless::fuzz {
namespace {

using namespace trace;

constexpr std::uint32_t most_actions = 1U << 16U;
constexpr std::size_t window = 300;

Run small_run() {
  Run run;
  run.size = 4;
  run.communicators = {{.members = {0, 1, 2, 3}}, {.members = {2, 0}, .remote_members = {1, 3}}};
  return run;
}

void read_segment(std::string_view structure_bytes, std::uint8_t start, std::string_view volumes) {
  static const Run run = small_run();
  const auto structure = std::make_shared<const Structure>(decode_structure(structure_bytes, std::uint64_t{1} << 40U));
  const std::uint64_t first = structure->sequence.size() / 256 * start;
  const auto actions =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(most_actions, structure->sequence.size() - first));
  static ActionBlock block;
  block.use_dictionary(rank_dictionary(structure, 2, {}, run));
  SegmentDecoder decoder;
  decoder.open(structure, first, actions, std::string(volumes));
  std::uint64_t read = 0;
  while (decoder.next(block, window)) {
    demand(block.size() > 0 && block.size() <= window, "windows are of the size asked for");
    for_each_action(block, [&](const Action& action, std::uint64_t volume) {
      demand(has_volume(action.kind) || volume == 0, "only actions with a volume have one");
    });
    read += block.size();
  }
  demand(read == actions, "all actions are read");
}

} // namespace
} // namespace timeless::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless::fuzz;
  if (size < 3) return 0;
  const std::string_view rest = text(data + 3, size - 3);
  const std::size_t length = std::min<std::size_t>(data[0] + std::size_t{256} * data[1], rest.size());
  reads([&] { read_segment(rest.substr(0, length), data[2], rest.substr(length)); });
  return 0;
}
