#pragma once

#include "trace/codec/format.h"

#include <string>
#include <string_view>
#include <vector>

namespace timeless::fuzz {

/// A block as its writer had it: the payload decompressed where it is compressed.
struct Block {
  trace::BlockHeader header;
  std::string payload;
  bool compressed = true;
};

/// Returns the blocks that stand one after the other at the start of an archive, up to the first that is not whole.
std::vector<Block> blocks_of(std::string_view archive);

/// Returns an archive of these blocks, with checksums, lengths and the footer that suit them, whatever the payloads
/// hold.
std::string archive_of(const std::vector<Block>& blocks, std::string_view file_header);

/// Returns the same bytes with the checksums of its blocks and its footer made right, as far as the blocks follow one
/// another.
std::string repaired(std::string archive);

} // namespace timeless::fuzz
