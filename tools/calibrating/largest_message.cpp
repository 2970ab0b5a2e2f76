#include "tools/calibrating/largest_message.h"

#include "analysis/summary.h"
#include "trace/model/action_block.h"

#include <algorithm>

namespace timeless::tools {

trace::Bytes largest_message(const trace::Source& source) {
  trace::Bytes largest = 0;
  for (const trace::RankRecord& record : source.run().ranks) {
    const auto stream = source.open(record.rank);
    trace::ActionBlock block;
    while (stream->next(block))
      trace::for_each_action(block, [&](const trace::Action& action, std::uint64_t) {
        const trace::ActionFamily family = trace::family(action.kind);
        if (family == trace::ActionFamily::point_to_point || family == trace::ActionFamily::collective)
          largest = std::max(largest, analysis::bytes_sent(action, source.run(), record.rank));
      });
  }
  return largest;
}

} // namespace timeless::tools
