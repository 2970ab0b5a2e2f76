#include "trace/encoding/block_codec.h"

#include "trace/archive/format.h"
#include "trace/encoding/bytes.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace timeless::trace {

namespace {

/// Which fields of an entry are present: those that differ from an Action's defaults. Bit numbers are the format's.
enum Field : std::uint32_t {
  field_mode = 1U << 0,
  field_flags = 1U << 1,
  field_communicator = 1U << 2,
  field_peer = 1U << 3,
  field_tag = 1U << 4,
  field_bytes = 1U << 5,
  field_receive_peer = 1U << 6,
  field_receive_tag = 1U << 7,
  field_receive_bytes = 1U << 8,
  field_element_bytes = 1U << 9,
  field_request = 1U << 10,
  field_kernel = 1U << 11,
  field_new_communicator = 1U << 12,
  field_requests = 1U << 13,
  field_counts = 1U << 14,
  field_receive_counts = 1U << 15,
  field_region = 1U << 16,
  field_ranks = 1U << 17,
  field_all = (1U << 18) - 1,
};

template <typename Value>
void put_list(std::string& bytes, std::span<const Value> list) {
  put_varint(bytes, list.size());
  std::uint64_t previous = 0;
  for (const Value value : list) {
    const auto current = static_cast<std::uint64_t>(value);
    put_varint(bytes, zigzag(static_cast<std::int64_t>(current - previous)));
    previous = current;
  }
}

template <typename Value>
std::span<const Value> take_list(ByteReader& reader, std::vector<Value>& storage) {
  storage.resize(reader.count());
  std::uint64_t previous = 0;
  for (Value& value : storage) {
    previous += static_cast<std::uint64_t>(reader.signed_varint());
    value = reader.narrow<Value>(previous);
  }
  return storage;
}

std::uint32_t fields_of(const Action& action) {
  const Action defaults;
  std::uint32_t fields = 0;
  const auto mark = [&fields](bool differs, Field field) { fields |= differs ? std::uint32_t{field} : 0U; };
  mark(action.mode != defaults.mode, field_mode);
  mark(action.flags != defaults.flags, field_flags);
  mark(action.communicator != defaults.communicator, field_communicator);
  mark(action.peer != defaults.peer, field_peer);
  mark(action.tag != defaults.tag, field_tag);
  mark(action.bytes != defaults.bytes, field_bytes);
  mark(action.receive_peer != defaults.receive_peer, field_receive_peer);
  mark(action.receive_tag != defaults.receive_tag, field_receive_tag);
  mark(action.receive_bytes != defaults.receive_bytes, field_receive_bytes);
  mark(action.element_bytes != defaults.element_bytes, field_element_bytes);
  mark(action.request != defaults.request, field_request);
  mark(action.kernel != defaults.kernel, field_kernel);
  mark(action.new_communicator != defaults.new_communicator, field_new_communicator);
  mark(!action.requests.empty(), field_requests);
  mark(!action.counts.empty(), field_counts);
  mark(!action.receive_counts.empty(), field_receive_counts);
  mark(action.region != defaults.region, field_region);
  mark(!action.ranks.empty(), field_ranks);
  return fields;
}

void put_entry(std::string& bytes, const Action& action) {
  const std::uint32_t fields = fields_of(action);
  bytes.push_back(static_cast<char>(action.kind));
  put_varint(bytes, fields);
  if (fields & field_mode) put_varint(bytes, static_cast<std::uint64_t>(action.mode));
  if (fields & field_flags) put_varint(bytes, action.flags);
  if (fields & field_communicator) put_varint(bytes, action.communicator);
  if (fields & field_peer) put_varint(bytes, zigzag(action.peer));
  if (fields & field_tag) put_varint(bytes, zigzag(action.tag));
  if (fields & field_bytes) put_varint(bytes, action.bytes);
  if (fields & field_receive_peer) put_varint(bytes, zigzag(action.receive_peer));
  if (fields & field_receive_tag) put_varint(bytes, zigzag(action.receive_tag));
  if (fields & field_receive_bytes) put_varint(bytes, action.receive_bytes);
  if (fields & field_element_bytes) put_varint(bytes, action.element_bytes);
  if (fields & field_request) put_varint(bytes, action.request);
  if (fields & field_kernel) put_varint(bytes, action.kernel);
  if (fields & field_new_communicator) put_varint(bytes, action.new_communicator);
  if (fields & field_requests) put_list(bytes, action.requests);
  if (fields & field_counts) put_list(bytes, action.counts);
  if (fields & field_receive_counts) put_list(bytes, action.receive_counts);
  if (fields & field_region) put_varint(bytes, action.region);
  if (fields & field_ranks) put_list(bytes, action.ranks);
}

/// Storage for the lists of one entry while it is being read.
struct Lists {
  std::vector<RequestId> requests;
  std::vector<Bytes> counts;
  std::vector<Bytes> receive_counts;
  std::vector<Rank> ranks;
};

Action take_entry(ByteReader& reader, Lists& lists) {
  const auto kind = action_kind(reader.byte());
  if (!kind) reader.fail("an action of a kind this version does not know");
  const std::uint64_t fields = reader.varint();
  if (fields > field_all) reader.fail("an action with fields this version does not know");
  Action action{.kind = *kind};
  if (fields & field_mode) {
    const std::uint64_t mode = reader.varint();
    if (mode > static_cast<std::uint64_t>(SendMode::ready)) reader.fail("an unknown send mode");
    action.mode = static_cast<SendMode>(mode);
  }
  if (fields & field_flags) action.flags = reader.narrow<std::uint16_t>(reader.varint());
  if (fields & field_communicator) action.communicator = reader.narrow<CommunicatorId>(reader.varint());
  if (fields & field_peer) action.peer = reader.narrow<Rank>(reader.signed_varint());
  if (fields & field_tag) action.tag = reader.narrow<Tag>(reader.signed_varint());
  if (fields & field_bytes) action.bytes = reader.varint();
  if (fields & field_receive_peer) action.receive_peer = reader.narrow<Rank>(reader.signed_varint());
  if (fields & field_receive_tag) action.receive_tag = reader.narrow<Tag>(reader.signed_varint());
  if (fields & field_receive_bytes) action.receive_bytes = reader.varint();
  if (fields & field_element_bytes) action.element_bytes = reader.narrow<std::uint32_t>(reader.varint());
  if (fields & field_request) action.request = reader.narrow<RequestId>(reader.varint());
  if (fields & field_kernel) action.kernel = reader.narrow<KernelId>(reader.varint());
  if (fields & field_new_communicator) action.new_communicator = reader.narrow<CommunicatorId>(reader.varint());
  if (fields & field_requests) action.requests = take_list(reader, lists.requests);
  if (fields & field_counts) action.counts = take_list(reader, lists.counts);
  if (fields & field_receive_counts) action.receive_counts = take_list(reader, lists.receive_counts);
  if (fields & field_region) action.region = reader.narrow<RegionId>(reader.varint());
  if (fields & field_ranks) action.ranks = take_list(reader, lists.ranks);
  return action;
}

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

void BlockEncoder::encode(const ActionBlock& block, std::string& bytes) {
  number_entries(block);
  put_varint(bytes, entries_.size());
  for (const std::uint32_t entry : entries_)
    put_entry(bytes, block.dictionary()[entry]);
  put_sequence(block, bytes);
  put_volumes(block, bytes);
}

void BlockEncoder::number_entries(const ActionBlock& block) {
  constexpr std::uint32_t unused = 0xffffffffU;
  entries_.clear();
  numbers_.assign(block.dictionary().size(), unused);
  for (const std::uint32_t entry : block.sequence()) {
    if (numbers_[entry] != unused) continue;
    numbers_[entry] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(entry);
  }
}

void BlockEncoder::put_sequence(const ActionBlock& block, std::string& bytes) const {
  const std::uint8_t width = index_width(entries_.size());
  put_varint(bytes, block.size());
  bytes.push_back(static_cast<char>(width));
  for (const std::uint32_t entry : block.sequence())
    for (unsigned shift = 0; shift < 8U * width; shift += 8)
      bytes.push_back(static_cast<char>(numbers_[entry] >> shift));
}

/// The volumes of each entry that has them together, since one kernel's volumes resemble each other, each as the
/// difference from the one before.
void BlockEncoder::put_volumes(const ActionBlock& block, std::string& bytes) {
  const auto dictionary = block.dictionary();
  volume_ends_.assign(entries_.size() + 1, 0);
  for (const std::uint32_t entry : block.sequence())
    if (has_volume(dictionary[entry].kind)) ++volume_ends_[numbers_[entry] + 1];
  for (std::size_t number = 0; number < entries_.size(); ++number)
    volume_ends_[number + 1] += volume_ends_[number];
  // So far the next element is each entry's end; placing its volumes moves its own from its begin there.
  volumes_.resize(block.volumes().size());
  auto volume = block.volumes().begin();
  for (const std::uint32_t entry : block.sequence())
    if (has_volume(dictionary[entry].kind)) volumes_[volume_ends_[numbers_[entry]]++] = *volume++;
  for (std::size_t number = 0, place = 0; number < entries_.size(); ++number) {
    std::uint64_t previous = 0;
    for (; place < volume_ends_[number]; ++place) {
      put_varint(bytes, zigzag(static_cast<std::int64_t>(volumes_[place] - previous)));
      previous = volumes_[place];
    }
  }
}

void encode_block(const ActionBlock& block, std::string& bytes) {
  BlockEncoder().encode(block, bytes);
}

void encode_entry(const Action& action, std::string& bytes) {
  put_entry(bytes, action);
}

std::uint32_t decode_entry(ByteReader& reader, ActionBlock& block) {
  Lists lists;
  return block.add_entry(take_entry(reader, lists));
}

void decode_block(std::string_view bytes, ActionBlock& block) {
  ByteReader reader(bytes);
  block.clear();
  constexpr std::size_t least_entry_bytes = 2;
  const std::size_t entries = reader.count(least_entry_bytes);
  if (entries > max_block_actions) reader.fail("a dictionary larger than any block");
  Lists lists;
  for (std::size_t entry = 0; entry < entries; ++entry)
    block.add_entry(take_entry(reader, lists));
  const std::size_t actions = reader.count();
  if (actions > max_block_actions || entries > actions) reader.fail("a dictionary that does not suit its sequence");
  std::vector<std::uint32_t> sequence = take_sequence(reader, actions, entries);
  std::vector<std::uint64_t> volumes = take_volumes(reader, sequence, block.dictionary());
  if (reader.remaining() != 0) reader.fail("bytes after the end of the payload");
  block.assign(std::move(sequence), std::move(volumes));
}

} // namespace timeless::trace
