#include "trace/model/source.h"

namespace timeless::trace {

bool has_times(const Source& source) {
  ActionBlock block;
  for (const RankRecord& record : source.run().ranks) {
    if (record.actions == 0) continue;
    const auto stream = source.open(record.rank);
    if (!stream->next(block)) continue;
    stream->read_times(block);
    if (!block.times().empty()) return true;
    // What is read from the journal of a rank that was killed has none, whatever the others have.
    if (record.ending == Ending::finalized) return false;
  }
  return false;
}

} // namespace timeless::trace
