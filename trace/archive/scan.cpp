#include "trace/archive/scan.h"

#include "trace/archive/compression.h"
#include "trace/archive/layout.h"
#include "trace/error.h"

#include <optional>
#include <string>

namespace timeless::trace {

namespace {

struct StoredBlock {
  StoredHeader stored;
  std::string payload;
};

/// The block at an offset with its checksums verified, or nothing.
std::optional<StoredBlock> whole_block(const InputFile& file, std::uint64_t offset) {
  const auto stored = decode_block_header(file.read(offset, block_header_bytes));
  if (!stored || stored->header.stored_bytes > file.size() - offset - block_header_bytes) return std::nullopt;
  std::string payload = file.read(offset + block_header_bytes, stored->header.stored_bytes);
  if (checksum(payload) != stored->payload_checksum) return std::nullopt;
  return StoredBlock{*stored, std::move(payload)};
}

std::uint64_t end_of(const BlockPlace& place) {
  return place.offset + block_header_bytes + place.header.stored_bytes;
}

/// The headers the index lists, or nothing when it is not intact.
std::optional<std::vector<BlockHeader>> read_index(const InputFile& file, const Footer& footer) {
  std::vector<BlockHeader> headers;
  const std::uint64_t end = file.size() - footer_bytes;
  std::uint64_t offset = footer.index_offset;
  while (offset < end) {
    const auto block = whole_block(file, offset);
    if (!block || block->stored.header.type != BlockType::index) return std::nullopt;
    try {
      decode_index(decompress(block->payload, block->stored.header.plain_bytes), headers);
    } catch (const Error&) {
      return std::nullopt;
    }
    offset = end_of({block->stored.header, offset});
  }
  if (offset != end || headers.size() != footer.blocks) return std::nullopt;
  return headers;
}

/// The blocks by the index; nothing when there is no intact index, or it does not describe this file.
std::optional<std::vector<BlockPlace>> by_index(const InputFile& file) {
  if (file.size() < file_header_bytes + footer_bytes) return std::nullopt;
  const auto footer = decode_footer(file.read(file.size() - footer_bytes, footer_bytes));
  if (!footer || footer->index_offset > file.size()) return std::nullopt;
  const auto headers = read_index(file, *footer);
  if (!headers) return std::nullopt;
  std::vector<BlockPlace> blocks;
  std::uint64_t offset = file_header_bytes;
  for (const BlockHeader& header : *headers) {
    blocks.push_back({header, offset});
    offset = end_of(blocks.back());
  }
  if (offset != footer->index_offset) return std::nullopt;
  return blocks;
}

/// Where the next intact block header starts, or the file's end.
std::uint64_t next_header(const InputFile& file, std::uint64_t offset) {
  constexpr std::size_t window_bytes = std::size_t{1} << 20U;
  while (offset < file.size()) {
    const std::string window = file.read(offset, window_bytes + block_header_bytes);
    for (std::size_t at = window.find(block_magic); at != std::string::npos; at = window.find(block_magic, at + 1))
      if (decode_block_header(std::string_view(window).substr(at))) return offset + at;
    offset += window_bytes;
  }
  return file.size();
}

Contents by_reading(const InputFile& file) {
  Contents contents;
  std::uint64_t offset = file_header_bytes;
  while (offset < file.size()) {
    const auto block = whole_block(file, offset);
    if (block) {
      const BlockPlace place{block->stored.header, offset};
      if (place.header.type != BlockType::index) contents.blocks.push_back(place);
      offset = end_of(place);
      continue;
    }
    const std::uint64_t next = next_header(file, offset + 1);
    const bool footer = next == file.size() && next - offset == footer_bytes &&
                        decode_footer(file.read(offset, footer_bytes)).has_value();
    if (!footer)
      contents.damage.push_back({offset, next == file.size() ? "the file ends within a block" : "a damaged block"});
    offset = next;
  }
  return contents;
}

} // namespace

Contents read_contents(const InputFile& file) {
  try {
    check_file_header(file.read(0, file_header_bytes));
  } catch (const Error& problem) {
    throw Error(problem.failure(), problem.description(), file.path().string(), problem.advice());
  }
  if (auto blocks = by_index(file)) return {.blocks = std::move(*blocks), .damage = {}, .finished = true};
  return by_reading(file);
}

} // namespace timeless::trace
