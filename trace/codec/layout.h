#pragma once

#include "trace/codec/format.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The fixed parts of an archive as bytes: file header, block headers, index, footer (docs/archive-format.md).
namespace timeless::trace {

std::string encode_file_header();
/// Throws Error(invalid_input) when these bytes do not begin an archive of a version this program reads.
void check_file_header(std::string_view bytes);

/// Appends the header of a block with this payload as it will be stored; stored_bytes is taken from the payload.
void put_block_header(std::string& bytes, BlockHeader header, std::string_view payload);

/// A block header as read, with the checksum its payload must have.
struct StoredHeader {
  BlockHeader header;
  std::uint64_t payload_checksum = 0;
};
/// Decodes a block header; nothing when the bytes are no intact one.
std::optional<StoredHeader> decode_block_header(std::string_view bytes);
/// What a block header starts with; a reader looks for it after damage.
inline constexpr std::string_view block_magic = "TBLK";

std::uint64_t checksum(std::string_view bytes);

/// The end of an archive: where its index is.
struct Footer {
  std::uint64_t index_offset = 0;
  std::uint64_t rows = 0; ///< of the index
};
std::string encode_footer(const Footer& footer);
/// Decodes a footer; nothing when the bytes are no intact one.
std::optional<Footer> decode_footer(std::string_view bytes);

/// A row of the index: a block that belongs to no rank, or blocks of one rank that follow on one another.
struct IndexRow {
  BlockHeader header = {}; ///< of the block, or its rank alone
  std::uint64_t bytes = 0; ///< headers included
  bool operator==(const IndexRow&) const = default;
};

/// Appends the row of a block that belongs to no rank.
void put_index_row(std::string& bytes, const BlockHeader& header);
/// Appends the row of a rank's blocks.
void put_extent_row(std::string& bytes, Rank rank, std::uint64_t extent_bytes);
/// Appends the rows of an index block's plain payload, which is their number (a varint) and the rows, in file order.
/// Throws Error(invalid_input).
void decode_index(std::string_view bytes, std::vector<IndexRow>& rows);

} // namespace timeless::trace
