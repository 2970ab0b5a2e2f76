#include "replay/engine/core/rank_state.h"

#include "replay/engine/matching/trace_error.h"

#include <fmt/format.h>

namespace timeless::replay {

using trace::ActionKind;

void RankState::note_last_computation() {
  if (size == 0) return;
  const ActionKind last = dictionary()[sequence[size - 1]].kind;
  if (last == ActionKind::compute)
    last_computation = volumes_end[-1];
  else if (last != ActionKind::workers_sum)
    last_computation = 0;
}

void RankState::pass_over(std::uint32_t actions) {
  const std::span<const trace::Action> entries = dictionary();
  for (const std::uint32_t end = position + actions; position < end; ++position)
    if (has_volume(entries[sequence[position]].kind)) ++volume;
}

void fail_reused(trace::RequestId id) {
  fail(fmt::format("request {} is used again before it has completed", id));
}

} // namespace timeless::replay
