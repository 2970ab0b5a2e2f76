#include "trace/codec/structure/structure.h"

#include "trace/codec/entry_codec.h"
#include "trace/codec/format.h"

#include <algorithm>

namespace timeless::trace {

void encode(const Structure& structure, std::string& bytes) {
  put_varint(bytes, structure.dictionary.size());
  for (std::size_t entry = 0; entry < structure.dictionary.size(); ++entry)
    encode_entry(structure.dictionary[entry], bytes, structure.relative.empty() ? 0 : structure.relative[entry]);
  structure.sequence.encode(bytes);
}

Structure decode_structure(std::string_view bytes, std::uint64_t most_actions) {
  ByteReader reader(bytes);
  Structure structure;
  constexpr std::size_t least_entry_bytes = 2;
  const std::size_t entries = reader.count(least_entry_bytes);
  if (entries > max_block_actions) reader.fail("a dictionary larger than any can be");
  EntryDecoder decoder;
  structure.relative.reserve(entries);
  for (std::size_t entry = 0; entry < entries; ++entry) {
    const Entry decoded = decoder.decode(reader);
    structure.dictionary.add(decoded.action);
    structure.relative.push_back(decoded.relative);
  }
  if (std::ranges::all_of(structure.relative, [](std::uint8_t relative) { return relative == 0; }))
    structure.relative = {};
  structure.sequence = FoldedSequence::decode(reader, static_cast<std::uint32_t>(entries), most_actions);
  if (reader.remaining() != 0) reader.fail("bytes after the end of the structure");
  return structure;
}

} // namespace timeless::trace
