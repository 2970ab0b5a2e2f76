#include "trace/codec/segment/segment_encoder.h"

#include "base/bytes.h"
#include "trace/codec/entry_codec.h"

namespace timeless::trace {

void SegmentEncoder::encode(const ActionBlock& block, std::string& structure, std::string& volumes) {
  number_entries(block);
  encode_structure(block, structure);
  encode_volumes(block, volumes);
}

void SegmentEncoder::number_entries(const ActionBlock& block) {
  constexpr std::uint32_t unused = 0xffffffffU;
  entries_.clear();
  numbers_.assign(block.dictionary().size(), unused);
  for (const std::uint32_t entry : block.sequence()) {
    if (numbers_[entry] != unused) continue;
    numbers_[entry] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(entry);
  }
}

void SegmentEncoder::encode_structure(const ActionBlock& block, std::string& bytes) {
  put_varint(bytes, entries_.size());
  for (const std::uint32_t entry : entries_)
    encode_entry(block.dictionary()[entry], bytes);
  for (const std::uint32_t entry : block.sequence())
    folder_.append(numbers_[entry]);
  folder_.finish(folded_);
  sequence_encoder_.encode(folded_, bytes);
}

/// Writes one stream for each entry that has volumes, since those of one kernel resemble each other.
void SegmentEncoder::encode_volumes(const ActionBlock& block, std::string& bytes) {
  const auto dictionary = block.dictionary();
  stream_ends_.assign(entries_.size() + 1, 0);
  for (const std::uint32_t entry : block.sequence())
    if (has_volume(dictionary[entry].kind)) ++stream_ends_[numbers_[entry] + 1];
  for (std::size_t number = 0; number < entries_.size(); ++number)
    stream_ends_[number + 1] += stream_ends_[number];
  // So far the next element is each entry's end; placing its volumes moves its own from its begin there.
  volumes_.resize(block.volumes().size());
  auto volume = block.volumes().begin();
  for (const std::uint32_t entry : block.sequence())
    if (has_volume(dictionary[entry].kind)) volumes_[stream_ends_[numbers_[entry]]++] = *volume++;
  streams_.clear();
  for (std::size_t number = 0, begin = 0; number < entries_.size(); begin = stream_ends_[number++])
    if (stream_ends_[number] > begin)
      streams_.push_back(std::span(volumes_).subspan(begin, stream_ends_[number] - begin));
  volume_encoder_.encode(streams_, bytes);
}

} // namespace timeless::trace
