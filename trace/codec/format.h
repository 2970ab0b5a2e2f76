#pragma once

#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// The archive's layout on disk; docs/archive-format.md specifies it to the byte.
namespace timeless::trace {

inline constexpr std::string_view archive_magic = "TIMELESS";
/// What is written and read. Version 1 was never released.
inline constexpr std::uint16_t archive_version = 2;
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

/// What a block holds. A reader passes over blocks of other types: a later version may have more. 2 is not used.
enum class BlockType : std::uint8_t {
  definitions = 1,
  index = 3,
  times = 4,     ///< when the actions of a segment were entered and left
  structure = 5, ///< the actions of a segment, without their volumes
  volumes = 6,   ///< those of a segment
  shared = 7,    ///< structures that ranks share
  layout = 8,    ///< which ranks have which of these
};

/// Returns true for the types whose blocks belong to a rank.
constexpr bool of_rank(BlockType type) {
  return type == BlockType::times || type == BlockType::structure || type == BlockType::volumes;
}

/// What stands before a block's payload.
struct BlockHeader {
  BlockType type = BlockType::definitions;
  Rank rank = no_rank;            ///< whose actions; no_rank for types that belong to no rank
  std::uint32_t actions = 0;      ///< of the segment; of a shared block, its structures
  std::uint32_t stored_bytes = 0; ///< of the payload, as it stands in the file
  std::uint32_t plain_bytes = 0;  ///< of the payload, decompressed; of volumes, which are no zstd frame, as stored
  std::uint64_t first_action =
      0; ///< ordinal, within its rank, of the first action; of a shared block, its first number
  bool operator==(const BlockHeader&) const = default;
};

/// A block's header and where it stands: offset is that of the header in the file.
struct LocatedBlock {
  BlockHeader header;
  std::uint64_t offset = 0;
  bool operator==(const LocatedBlock&) const = default;
};

inline std::uint64_t end_of(const LocatedBlock& place) {
  return place.offset + block_header_bytes + place.header.stored_bytes;
}

/// Blocks of one rank that follow on one another.
struct Extent {
  Rank rank = no_rank;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Extent&) const = default;
};

/// A segment of one rank's actions, and where its blocks stand.
struct ActionSegment {
  Rank rank = no_rank;
  std::uint64_t first_action = 0;
  std::uint32_t actions = 0;
  std::optional<LocatedBlock> structure = {}; ///< nothing where a shared structure goes on
  LocatedBlock volumes = {};
  std::optional<LocatedBlock> times = {}; ///< nothing where none were recorded
  bool operator==(const ActionSegment&) const = default;
};

} // namespace timeless::trace
