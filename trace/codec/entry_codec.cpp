#include "trace/codec/entry_codec.h"

#include <span>
#include <type_traits>

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
  field_relative = 1U << 18,
  field_all = (1U << 19) - 1,
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
    if constexpr (std::is_signed_v<Value>)
      value = reader.narrow<Value>(static_cast<std::int64_t>(previous));
    else
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

} // namespace

void encode_entry(const Action& action, std::string& bytes, std::uint8_t relative) {
  const std::uint32_t fields = fields_of(action) | (relative != 0 ? std::uint32_t{field_relative} : 0U);
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
  if (fields & field_relative) put_varint(bytes, relative);
}

Entry EntryDecoder::decode(ByteReader& reader) {
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
  if (fields & field_requests) action.requests = take_list(reader, requests_);
  if (fields & field_counts) action.counts = take_list(reader, counts_);
  if (fields & field_receive_counts) action.receive_counts = take_list(reader, receive_counts_);
  if (fields & field_region) action.region = reader.narrow<RegionId>(reader.varint());
  if (fields & field_ranks) action.ranks = take_list(reader, ranks_);
  std::uint64_t relative = 0;
  if (fields & field_relative) relative = reader.varint();
  if (relative > (relative_peer | relative_receive_peer | relative_ranks))
    reader.fail("an entry of which unknown fields are relative");
  return {.action = action, .relative = static_cast<std::uint8_t>(relative)};
}

} // namespace timeless::trace
