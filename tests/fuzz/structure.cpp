// The plain payload of a structure: what can be read can be written, and read again to the same bytes.
#include "trace/codec/structure/structure.h"
#include "tests/fuzz/fuzz.h"
#include "trace/codec/structure/unfolding.h"

#include <algorithm>
#include <vector>

namespace timeless::fuzz {
namespace {

constexpr std::uint64_t most_actions = std::uint64_t{1} << 40U;

std::string written(const trace::Structure& structure) {
  std::string bytes;
  encode(structure, bytes);
  return bytes;
}

} // namespace
} // namespace timeless::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using namespace timeless::fuzz;
  trace::Structure structure;
  if (!reads([&] { structure = trace::decode_structure(text(data, size), most_actions); })) return 0;
  demand(structure.sequence.size() <= most_actions, "no more actions than allowed");
  demand(structure.relative.empty() || structure.relative.size() == structure.dictionary.size(),
         "what is relative is said of every entry or of none");
  std::vector<std::uint32_t> entries(1024);
  trace::Unfolder unfolder(structure.sequence);
  entries.resize(unfolder.next(entries));
  demand(std::ranges::all_of(entries, [&](std::uint32_t entry) { return entry < structure.dictionary.size(); }),
         "the sequence is of entries");
  const std::string bytes = written(structure);
  trace::Structure again;
  demand(reads([&] { again = trace::decode_structure(bytes, most_actions); }) && written(again) == bytes,
         "a structure written and read is the same");
  return 0;
}
