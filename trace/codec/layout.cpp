#include "trace/codec/layout.h"

#include "base/bytes.h"
#include "base/error.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace timeless::trace {

namespace {

constexpr std::uint8_t extent_row = 0; ///< in the place of a block's type
constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 62U;
constexpr std::string_view footer_magic = "TIMELEND";
constexpr std::uint16_t file_flags = 0;
constexpr std::uint32_t file_reserved = 0;
constexpr std::size_t checksummed_header_bytes = block_header_bytes - sizeof(std::uint64_t);
constexpr std::size_t checksummed_footer_bytes = 2 * sizeof(std::uint64_t);

bool plausible(const BlockHeader& header) {
  return header.plain_bytes <= max_block_bytes && header.actions <= max_block_actions && header.rank >= no_rank &&
         header.rank < max_ranks;
}

} // namespace

std::uint64_t checksum(std::string_view bytes) {
  return XXH64(bytes.data(), bytes.size(), 0);
}

std::string encode_file_header() {
  std::string bytes(archive_magic);
  put_fixed(bytes, archive_version);
  put_fixed(bytes, file_flags);
  put_fixed(bytes, file_reserved);
  return bytes;
}

void check_file_header(std::string_view bytes) {
  if (bytes.size() < file_header_bytes || bytes.substr(0, archive_magic.size()) != archive_magic)
    throw Error(Failure::invalid_input, "not a Timeless archive", {}, "expected a .tia file written by timeless");
  ByteReader reader(bytes.substr(archive_magic.size()));
  const auto version = reader.fixed<std::uint16_t>();
  if (version != archive_version)
    throw Error(Failure::invalid_input, "archive version " + std::to_string(version) + " is not known", {},
                "this program reads version " + std::to_string(archive_version) +
                    (version > archive_version ? "; use a newer timeless" : "; record again"));
}

void put_block_header(std::string& bytes, BlockHeader header, std::string_view payload) {
  const std::size_t begin = bytes.size();
  bytes.append(block_magic);
  put_fixed(bytes, static_cast<std::uint8_t>(header.type));
  put_fixed(bytes, std::uint8_t{0});
  put_fixed(bytes, std::uint16_t{0});
  put_fixed(bytes, static_cast<std::uint32_t>(header.rank));
  put_fixed(bytes, header.actions);
  put_fixed(bytes, static_cast<std::uint32_t>(payload.size()));
  put_fixed(bytes, header.plain_bytes);
  put_fixed(bytes, header.first_action);
  put_fixed(bytes, checksum(payload));
  put_fixed(bytes, checksum(std::string_view(bytes).substr(begin)));
}

std::optional<StoredHeader> decode_block_header(std::string_view bytes) {
  if (bytes.size() < block_header_bytes || bytes.substr(0, block_magic.size()) != block_magic) return std::nullopt;
  ByteReader reader(bytes.substr(block_magic.size(), block_header_bytes - block_magic.size()));
  StoredHeader stored;
  stored.header.type = static_cast<BlockType>(reader.byte());
  reader.take(3);
  stored.header.rank = static_cast<Rank>(reader.fixed<std::uint32_t>());
  stored.header.actions = reader.fixed<std::uint32_t>();
  stored.header.stored_bytes = reader.fixed<std::uint32_t>();
  stored.header.plain_bytes = reader.fixed<std::uint32_t>();
  stored.header.first_action = reader.fixed<std::uint64_t>();
  stored.payload_checksum = reader.fixed<std::uint64_t>();
  const bool intact = reader.fixed<std::uint64_t>() == checksum(bytes.substr(0, checksummed_header_bytes));
  if (!intact || !plausible(stored.header)) return std::nullopt;
  return stored;
}

std::string encode_footer(const Footer& footer) {
  std::string bytes;
  put_fixed(bytes, footer.index_offset);
  put_fixed(bytes, footer.rows);
  put_fixed(bytes, checksum(bytes));
  return bytes.append(footer_magic);
}

std::optional<Footer> decode_footer(std::string_view bytes) {
  if (bytes.size() != footer_bytes || bytes.substr(footer_bytes - footer_magic.size()) != footer_magic)
    return std::nullopt;
  ByteReader reader(bytes);
  Footer footer;
  footer.index_offset = reader.fixed<std::uint64_t>();
  footer.rows = reader.fixed<std::uint64_t>();
  if (reader.fixed<std::uint64_t>() != checksum(bytes.substr(0, checksummed_footer_bytes))) return std::nullopt;
  return footer;
}

void put_index_row(std::string& bytes, const BlockHeader& header) {
  put_fixed(bytes, static_cast<std::uint8_t>(header.type));
  put_varint(bytes, zigzag(header.rank));
  put_varint(bytes, header.actions);
  put_varint(bytes, header.stored_bytes);
  put_varint(bytes, header.plain_bytes);
  put_varint(bytes, header.first_action);
}

void put_extent_row(std::string& bytes, Rank rank, std::uint64_t extent_bytes) {
  put_fixed(bytes, extent_row);
  put_varint(bytes, zigzag(rank));
  put_varint(bytes, extent_bytes);
}

void decode_index(std::string_view bytes, std::vector<IndexRow>& rows) {
  ByteReader reader(bytes);
  constexpr std::size_t least_row_bytes = 3;
  const std::size_t count = reader.count(least_row_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t type = reader.byte();
    IndexRow row{.header = {.type = static_cast<BlockType>(type)}};
    BlockHeader& header = row.header;
    header.rank = reader.narrow<Rank>(reader.signed_varint());
    if (type == extent_row) {
      row.bytes = reader.varint();
    } else {
      header.actions = reader.narrow<std::uint32_t>(reader.varint());
      header.stored_bytes = reader.narrow<std::uint32_t>(reader.varint());
      header.plain_bytes = reader.narrow<std::uint32_t>(reader.varint());
      header.first_action = reader.varint();
      row.bytes = block_header_bytes + header.stored_bytes;
    }
    if (!plausible(header) || row.bytes > max_file_bytes) reader.fail("a block that cannot be");
    rows.push_back(row);
  }
  if (reader.remaining() != 0) reader.fail("bytes after the end of the index");
}

} // namespace timeless::trace
