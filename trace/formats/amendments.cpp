#include "trace/formats/amendments.h"

#include "trace/action.h"
#include "trace/action_block.h"

namespace timeless::trace {

Amendments amendments_of(const Source& source, Rank rank) {
  Amendments found;
  std::unordered_map<RequestId, std::uint64_t> begun;
  std::uint64_t number = 0;
  ActionBlock block;
  for (const auto stream = source.open(rank); stream->next(block);)
    for (const std::uint32_t entry : block.sequence()) {
      const Action& action = block.dictionary()[entry];
      if (nonblocking(action))
        begun[action.request] = number;
      else if (action.kind == ActionKind::cancelled)
        found[begun[action.request]].cancelled = true;
      else if (action.kind == ActionKind::resolved)
        found[begun[action.request]] = {false, action.peer, action.tag, action.bytes};
      ++number;
    }
  return found;
}

} // namespace timeless::trace
