// A folded sequence. The first byte of the input says where to start unfolding it, the second how many symbols there
// are.
#include "base/bytes.h"
#include "tests/fuzz/fuzz.h"
#include "trace/codec/structure/folding.h"
#include "trace/codec/structure/unfolding.h"

#include <algorithm>
#include <vector>

namespace timeless::fuzz {
namespace {

constexpr std::uint64_t most_size = std::uint64_t{1} << 40U;
constexpr std::size_t window = 4096;

/// Up to a window of symbols from a position on.
std::vector<std::uint32_t> unfolded(const trace::FoldedSequence& sequence, std::uint64_t start) {
  std::vector<std::uint32_t> symbols(window);
  trace::Unfolder unfolder(sequence, start);
  symbols.resize(unfolder.next(symbols));
  return symbols;
}

} // namespace
} // namespace timeless::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace timeless;
  using namespace timeless::fuzz;
  if (size < 2) return 0;
  trace::FoldedSequence sequence;
  const std::uint32_t symbols = 1U + data[1];
  const bool read = reads([&] {
    ByteReader reader(text(data + 2, size - 2));
    sequence = trace::FoldedSequence::decode(reader, symbols, most_size);
  });
  if (!read) return 0;
  demand(sequence.size() <= most_size, "no more symbols than allowed");

  const std::uint64_t start = sequence.size() / 256 * data[0];
  const std::vector<std::uint32_t> from_start = unfolded(sequence, start);
  demand(from_start.size() == std::min<std::uint64_t>(window, sequence.size() - start), "as many symbols as there are");
  demand(std::ranges::all_of(from_start, [&](std::uint32_t symbol) { return symbol < symbols; }),
         "symbols are below their number");
  demand(unfolded(sequence, sequence.size()).empty(), "nothing follows the end");

  std::string bytes;
  sequence.encode(bytes);
  trace::FoldedSequence again;
  demand(reads([&] {
           ByteReader reader(bytes);
           again = trace::FoldedSequence::decode(reader, symbols, most_size);
         }),
         "a sequence that was written can be read");
  demand(again.size() == sequence.size() && unfolded(again, start) == from_start,
         "a sequence written and read is the same");
  if (sequence.size() > window) return 0;
  trace::SequenceFolder folder;
  for (const std::uint32_t symbol : unfolded(sequence, 0))
    folder.append(symbol);
  demand(unfolded(folder.finish(), 0) == unfolded(sequence, 0), "folding and unfolding give the same");
  return 0;
}
