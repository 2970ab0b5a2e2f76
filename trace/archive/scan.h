#pragma once

#include "base/files/input_file.h"
#include "trace/archive/reader.h"
#include "trace/codec/format.h"

#include <optional>
#include <vector>

namespace timeless::trace {

/// What a file holds, in file order, without the index.
struct Contents {
  std::vector<LocatedBlock> blocks; ///< that belong to no rank
  std::vector<Extent> extents;      ///< of the ranks' blocks
  std::vector<Damage> damage;
  bool finished = false; ///< ends with an index and a footer
};

/// Lists what is there by the index; where there is none, or none that is intact, by reading the file from its start.
/// Throws Error(invalid_input) when the file does not begin like an archive.
Contents read_contents(const InputFile& file);

/// Returns the header of the block at this offset; nothing when there is none that is intact and fits the file.
std::optional<BlockHeader> block_header(const InputFile& file, std::uint64_t offset);

} // namespace timeless::trace
