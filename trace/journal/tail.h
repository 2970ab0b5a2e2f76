#pragma once

#include "trace/journal/image.h"
#include "trace/model/run.h"

#include <cstdint>
#include <string>

namespace timeless::trace {

/// What a journal adds to its rank's file, as blocks of an archive.
struct JournalTail {
  std::string bytes;         ///< blocks, to stand at the end of the file's whole blocks
  std::uint64_t actions = 0; ///< of the rank, those of the file included
  std::string damage;        ///< why the journal is not used to its end; empty when it is
};

/// Returns the blocks that continue a rank's file that holds `actions` actions. What the journal defines beyond `run`
/// is added to it; what the file has already is skipped. Never throws on what the journal holds.
JournalTail continue_with(const JournalImage& journal, Run& run, std::uint64_t actions);

} // namespace timeless::trace
