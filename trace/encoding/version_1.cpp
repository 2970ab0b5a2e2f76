#include "trace/encoding/version_1.h"

#include "trace/archive/format.h"
#include "trace/encoding/entry_codec.h"

#include <span>
#include <utility>
#include <vector>

namespace timeless::trace {

namespace {

std::uint8_t index_width(std::size_t entries) {
  if (entries <= 1U << 8U) return 1;
  if (entries <= 1U << 16U) return 2;
  return 4;
}

std::vector<std::uint32_t> take_sequence(ByteReader& reader, std::size_t actions, std::size_t entries) {
  const std::uint8_t width = reader.byte();
  if (width != index_width(entries)) reader.fail("the index width does not suit the dictionary");
  if (actions > reader.remaining() / width) reader.fail("the payload ends within the sequence");
  std::vector<std::uint32_t> sequence(actions);
  for (std::uint32_t& entry : sequence) {
    entry = 0;
    for (unsigned shift = 0; shift < 8U * width; shift += 8)
      entry |= std::uint32_t{reader.byte()} << shift;
    if (entry >= entries) reader.fail("an index beyond the dictionary");
  }
  return sequence;
}

std::vector<std::uint64_t> take_volumes(ByteReader& reader, const std::vector<std::uint32_t>& sequence,
                                        std::span<const Action> dictionary) {
  std::vector<std::size_t> starts(dictionary.size() + 1);
  for (const std::uint32_t entry : sequence)
    if (has_volume(dictionary[entry].kind)) ++starts[entry + 1];
  for (std::size_t entry = 0; entry < dictionary.size(); ++entry)
    starts[entry + 1] += starts[entry];
  std::vector<std::uint64_t> by_entry(starts.back());
  for (std::size_t entry = 0; entry < dictionary.size(); ++entry) {
    std::uint64_t previous = 0;
    for (std::size_t i = starts[entry]; i < starts[entry + 1]; ++i)
      by_entry[i] = previous += static_cast<std::uint64_t>(reader.signed_varint());
  }
  std::vector<std::uint64_t> volumes;
  volumes.reserve(by_entry.size());
  for (const std::uint32_t entry : sequence)
    if (has_volume(dictionary[entry].kind)) volumes.push_back(by_entry[starts[entry]++]);
  return volumes;
}

} // namespace

void decode_version_1(std::string_view bytes, ActionBlock& block) {
  ByteReader reader(bytes);
  block.clear();
  constexpr std::size_t least_entry_bytes = 2;
  const std::size_t entries = reader.count(least_entry_bytes);
  if (entries > max_block_actions) reader.fail("a dictionary larger than any block");
  EntryDecoder decoder;
  Dictionary dictionary;
  for (std::size_t entry = 0; entry < entries; ++entry)
    dictionary.add(decoder.decode(reader).action);
  const std::size_t actions = reader.count();
  if (actions > max_block_actions || entries > actions) reader.fail("a dictionary that does not suit its sequence");
  std::vector<std::uint32_t> sequence = take_sequence(reader, actions, entries);
  std::vector<std::uint64_t> volumes = take_volumes(reader, sequence, dictionary.entries());
  if (reader.remaining() != 0) reader.fail("bytes after the end of the payload");
  block.use_dictionary(std::move(dictionary));
  block.assign(std::move(sequence), std::move(volumes));
}

} // namespace timeless::trace
