// The plain payloads that ranks share. The first byte of the input is 0 for a layout, or the number of structures that
// follow.
#include "tests/fuzz/fuzz.h"
#include "trace/archive/shared_structures.h"

#include <algorithm>
#include <string>

namespace timeless::fuzz {
namespace {

using namespace trace;

constexpr std::size_t most_ranks = 1000;

void read_layout(std::string_view bytes) {
  Layout layout;
  if (!reads([&] { layout.decode(bytes, most_ranks); })) return;
  demand(layout.ranks() <= most_ranks, "no more ranks than allowed");
  std::string written;
  layout.encode(written);
  Layout again;
  demand(reads([&] { again.decode(written, most_ranks); }) && again.ranks() == layout.ranks(),
         "a layout written can be read");
  for (std::size_t rank = 0; rank < layout.ranks(); ++rank) {
    const auto ours = layout.structures(rank);
    const auto theirs = again.structures(rank);
    demand(std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end()), "a layout written and read is the same");
  }
  demand(layout.structures(layout.ranks()).empty(), "ranks beyond the last have none");
}

void read_structures(std::uint8_t count, std::string_view bytes) {
  SharedStructures shared;
  const auto plain = [bytes](const LocatedBlock&) { return std::string(bytes); };
  const bool added = reads([&] {
    shared.add({.header = {.type = BlockType::shared,
                           .actions = count,
                           .plain_bytes = static_cast<std::uint32_t>(bytes.size())}});
  });
  if (!added) return;
  demand(shared.size() == count, "as many structures as the header says");
  for (std::uint32_t number = 0; number < std::min<std::uint32_t>(count, 16); ++number)
    reads([&] {
      const auto structure = shared.get(number, plain);
      demand(structure == shared.get(number, plain), "a structure that is held is shared");
      (void)shared.bytes(number, plain);
    });
  demand(!reads([&] { (void)shared.bytes(count, plain); }), "there are no more than these");
}

} // namespace
} // namespace timeless::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless::fuzz;
  if (size == 0) return 0;
  if (data[0] == 0)
    read_layout(text(data + 1, size - 1));
  else
    read_structures(data[0], text(data + 1, size - 1));
  return 0;
}
