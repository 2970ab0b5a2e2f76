#include "tests/fuzz/archive_bytes.h"

#include "base/bytes.h"
#include "base/error.h"
#include "trace/codec/compression.h"
#include "trace/codec/layout.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace timeless::fuzz {

namespace {

using namespace trace;

constexpr std::size_t stored_bytes_at = 16;
constexpr std::size_t payload_checksum_at = 32;
constexpr std::size_t header_checksum_at = 40;
constexpr std::size_t footer_checksum_at = 16;

template <typename Number>
Number number_at(std::string_view bytes, std::size_t place) {
  Number number;
  std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

void put_at(std::string& bytes, std::size_t place, std::uint64_t number) {
  std::memcpy(bytes.data() + place, &number, sizeof number);
}

std::uint64_t rows_of(std::string_view index) {
  try {
    return ByteReader(index).varint();
  } catch (const Error&) {
    return 0;
  }
}

} // namespace

std::vector<Block> blocks_of(std::string_view archive) {
  std::vector<Block> blocks;
  for (std::size_t at = file_header_bytes; at < archive.size();) {
    const auto header = decode_block_header(archive.substr(at));
    if (!header || archive.size() - at - block_header_bytes < header->header.stored_bytes) break;
    const std::string_view stored = archive.substr(at + block_header_bytes, header->header.stored_bytes);
    Block block{.header = header->header, .payload = std::string(stored), .compressed = false};
    try {
      block.payload = decompress(stored, header->header.plain_bytes);
      block.compressed = true;
    } catch (const Error&) {
      // Not all payloads are frames.
    }
    blocks.push_back(std::move(block));
    at += block_header_bytes + stored.size();
  }
  return blocks;
}

std::string archive_of(const std::vector<Block>& blocks, std::string_view file_header) {
  std::string bytes(file_header);
  std::optional<Footer> footer;
  for (const Block& block : blocks) {
    BlockHeader header = block.header;
    header.plain_bytes = static_cast<std::uint32_t>(block.payload.size());
    if (header.type == BlockType::index) footer = Footer{.index_offset = bytes.size(), .rows = rows_of(block.payload)};
    std::string stored = block.payload;
    if (block.compressed) compress(block.payload, 1, stored);
    put_block_header(bytes, header, stored);
    bytes += stored;
  }
  return footer ? bytes + encode_footer(*footer) : bytes;
}

std::string repaired(std::string archive) {
  std::size_t at = file_header_bytes;
  while (archive.size() >= at + block_header_bytes && archive.compare(at, block_magic.size(), block_magic) == 0) {
    const std::size_t stored = number_at<std::uint32_t>(archive, at + stored_bytes_at);
    if (archive.size() - at - block_header_bytes < stored) break;
    const std::string_view bytes = archive;
    const std::uint64_t payload = checksum(bytes.substr(at + block_header_bytes, stored));
    put_at(archive, at + payload_checksum_at, payload);
    put_at(archive, at + header_checksum_at, checksum(bytes.substr(at, header_checksum_at)));
    at += block_header_bytes + stored;
  }
  if (archive.size() >= footer_bytes + file_header_bytes) {
    const std::size_t footer = archive.size() - footer_bytes;
    put_at(archive, footer + footer_checksum_at,
           checksum(std::string_view(archive).substr(footer, footer_checksum_at)));
  }
  return archive;
}

} // namespace timeless::fuzz
