#include "trace/formats/amendments.h"

#include "trace/action.h"
#include "trace/action_block.h"

namespace timeless::trace {

namespace {

void amend(Amendment& amendment, const Action& said) {
  if (said.kind == ActionKind::cancelled)
    amendment.cancelled = true;
  else
    amendment = {false, said.peer, said.tag, said.bytes};
}

} // namespace

Amendments amendments_of(const Source& source, Rank rank) {
  Amendments found;
  std::unordered_map<RequestId, std::uint64_t> begun;
  std::uint64_t number = 0;
  ActionBlock block;
  for (const auto stream = source.open(rank); stream->next(block);)
    for (const std::uint32_t entry : block.sequence()) {
      const Action& action = block.dictionary()[entry];
      if (nonblocking(action)) {
        begun[action.request] = number;
      } else if (action.kind == ActionKind::cancelled || action.kind == ActionKind::resolved) {
        // Of a request that nobody has begun it says nothing.
        if (const auto start = begun.find(action.request); start != begun.end()) amend(found[start->second], action);
      }
      ++number;
    }
  return found;
}

} // namespace timeless::trace
