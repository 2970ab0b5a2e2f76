#pragma once

#include "trace/ids.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

/// The archive's layout on disk; docs/archive-format.md specifies it to the byte.
namespace timeless::trace {

inline constexpr std::string_view archive_magic = "TIMELESS";
inline constexpr std::uint16_t archive_version = 1;
inline constexpr std::string_view archive_extension = ".tia";

inline constexpr std::size_t file_header_bytes = 16;
inline constexpr std::size_t block_header_bytes = 48;
inline constexpr std::size_t footer_bytes = 32;

/// A block's size after decompression is at most this, so that a hostile file cannot exhaust memory.
inline constexpr std::uint32_t max_block_bytes = 16U << 20U;
/// A block holds at most this many actions.
inline constexpr std::uint32_t max_block_actions = 1U << 20U;

/// A run has fewer ranks than this, and all its communicators together fewer members.
inline constexpr Rank max_ranks = 1 << 24;
inline constexpr std::size_t max_members = std::size_t{1} << 26;

/// What a block holds. A reader passes over blocks of other types: a later version may have more.
enum class BlockType : std::uint8_t {
  definitions = 1,
  actions = 2,
  index = 3,
  times = 4, ///< when the actions of one actions block were entered and left
};

/// What stands before a block's payload.
struct BlockHeader {
  BlockType type = BlockType::definitions;
  Rank rank = no_rank;            ///< whose actions; no_rank for definitions of the run and for the index
  std::uint32_t actions = 0;      ///< actions in the block
  std::uint32_t stored_bytes = 0; ///< of the payload, as it stands in the file (a zstd frame)
  std::uint32_t plain_bytes = 0;  ///< of the payload, decompressed
  std::uint64_t first_action = 0; ///< ordinal, within its rank, of the block's first action
  bool operator==(const BlockHeader&) const = default;
};

/// A block's header and where it stands: offset is that of the header in the file.
struct BlockPlace {
  BlockHeader header;
  std::uint64_t offset = 0;
  bool operator==(const BlockPlace&) const = default;
};

} // namespace timeless::trace
