#include "replay/engine/foresight.h"

#include <algorithm>
#include <unordered_map>

namespace timeless::replay {

using trace::Action;
using trace::ActionBlock;
using trace::ActionKind;
using trace::Rank;

namespace {

bool cancels(const trace::Source& source, Rank rank) {
  const auto stream = source.open(rank);
  std::uint64_t known = 0; ///< a dictionary already looked at
  for (ActionBlock block; stream->next(block);) {
    if (block.dictionary_mark() != 0 && block.dictionary_mark() == known) continue;
    known = block.dictionary_mark();
    if (std::ranges::any_of(block.dictionary(), [](const Action& one) { return one.kind == ActionKind::cancelled; }))
      return true;
  }
  return false;
}

/// Calls visit(action, number of the action) for each.
template <typename Visit>
void visit_actions(const trace::Source& source, Rank rank, Visit&& visit) {
  std::uint64_t before = 0;
  const auto stream = source.open(rank);
  for (ActionBlock block; stream->next(block); before += block.size()) {
    const auto dictionary = block.dictionary();
    const auto sequence = block.sequence();
    for (std::size_t position = 0; position < sequence.size(); ++position)
      // What a sequence that is wrong says is found when it is replayed.
      if (sequence[position] < dictionary.size()) visit(dictionary[sequence[position]], before + position);
  }
}

} // namespace

Foresight::Foresight(const trace::Source& source, Share share, bool care)
    : source_(&source), share_(share), futures_(share.size()) {
  if (!care) return;
  for (Rank rank = share.begin; rank < share.end; ++rank)
    if (cancels(source, rank)) futures_[static_cast<std::size_t>(rank - share.begin)] = read(source, rank);
}

Foresight::Future Foresight::read(const trace::Source& source, Rank rank) {
  Future future{.known = true, .cancelled = {}, .resolved = {}};
  std::unordered_map<trace::RequestId, std::uint64_t> started;
  visit_actions(source, rank, [&](const Action& action, std::uint64_t number) {
    if (trace::nonblocking(action)) {
      started[action.request] = number;
    } else if (trace::family(action.kind) == trace::ActionFamily::completion) {
      for (const trace::RequestId request : action.requests)
        started.erase(request);
    } else if (const auto start = started.find(action.request); start == started.end()) {
      return;
    } else if (action.kind == ActionKind::resolved) {
      future.resolved.emplace_back(start->second, Resolution{action.communicator, action.peer, action.tag});
    } else if (action.kind == ActionKind::cancelled) {
      future.cancelled.push_back(start->second);
    } else if (action.kind == ActionKind::request_free) {
      started.erase(start);
    }
  });
  std::ranges::sort(future.cancelled);
  std::ranges::stable_sort(future.resolved, {}, [](const auto& one) { return one.first; });
  return future;
}

bool Foresight::cancelled(std::uint32_t number, std::uint64_t action) const {
  return std::ranges::binary_search(futures_[number].cancelled, action);
}

const Resolution* Foresight::resolution(std::uint32_t number, std::uint64_t action) {
  Future& future = futures_[number];
  if (!future.known) future = read(*source_, share_.begin + static_cast<Rank>(number));
  const auto found = std::ranges::lower_bound(future.resolved, action, {}, [](const auto& one) { return one.first; });
  return found != future.resolved.end() && found->first == action ? &found->second : nullptr;
}

} // namespace timeless::replay
