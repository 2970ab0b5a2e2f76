#include "trace/source.h"

namespace timeless::trace {

bool has_times(const Source& source) {
  ActionBlock block;
  for (const RankRecord& record : source.run().ranks) {
    if (record.actions == 0) continue;
    const auto stream = source.open(record.rank);
    if (!stream->next(block)) continue;
    stream->read_times(block);
    return !block.times().empty();
  }
  return false;
}

} // namespace timeless::trace
