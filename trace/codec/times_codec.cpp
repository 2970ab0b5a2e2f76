#include "trace/codec/times_codec.h"

#include "base/bytes.h"

#include <limits>

namespace timeless::trace {

void encode_times(std::span<const ActionTimes> times, std::string& bytes) {
  std::uint64_t last_exit = 0;
  for (const ActionTimes& each : times) {
    put_varint(bytes, zigzag(static_cast<std::int64_t>(each.entry - last_exit)));
    put_varint(bytes, each.exit - each.entry);
    last_exit = each.exit;
  }
}

void decode_times(std::string_view bytes, std::size_t actions, std::vector<ActionTimes>& times) {
  constexpr std::size_t least_bytes = 2;
  ByteReader reader(bytes);
  times.clear();
  if (actions > reader.remaining() / least_bytes) reader.fail("times for fewer actions than the block is of");
  times.reserve(actions);
  std::uint64_t last_exit = 0;
  for (std::size_t action = 0; action < actions; ++action) {
    const std::uint64_t entry = last_exit + static_cast<std::uint64_t>(reader.signed_varint());
    const std::uint64_t duration = reader.varint();
    if (duration > std::numeric_limits<std::uint64_t>::max() - entry) reader.fail("a time out of range");
    last_exit = entry + duration;
    times.push_back({entry, last_exit});
  }
  if (reader.remaining() != 0) reader.fail("bytes after the end of the times");
}

} // namespace timeless::trace
