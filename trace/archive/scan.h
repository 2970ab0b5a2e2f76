#pragma once

#include "trace/archive/format.h"
#include "trace/archive/input_file.h"
#include "trace/archive/reader.h"

#include <vector>

namespace timeless::trace {

/// What a file holds, block by block, in file order, without the index.
struct Contents {
  std::vector<BlockPlace> blocks;
  std::vector<Damage> damage;
  bool finished = false; ///< ends with an index and a footer
};

/// Lists the blocks by the index; where there is none, or none that is intact, by reading the file from its start.
/// Throws Error(invalid_input) when the file does not begin like an archive.
Contents read_contents(const InputFile& file);

} // namespace timeless::trace
