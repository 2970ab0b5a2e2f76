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

std::vector<std::uint64_t> find_cancelled(const trace::Source& source, Rank rank) {
  std::vector<std::uint64_t> found;
  std::unordered_map<trace::RequestId, std::uint64_t> started;
  std::uint64_t before = 0;
  const auto stream = source.open(rank);
  for (ActionBlock block; stream->next(block); before += block.size()) {
    const auto dictionary = block.dictionary();
    const auto sequence = block.sequence();
    for (std::size_t position = 0; position < sequence.size(); ++position) {
      // What a sequence that is wrong says is found when it is replayed.
      if (sequence[position] >= dictionary.size()) continue;
      const Action& action = dictionary[sequence[position]];
      if (trace::nonblocking(action))
        started[action.request] = before + position;
      else if (action.kind != ActionKind::cancelled)
        continue;
      else if (const auto start = started.find(action.request); start != started.end())
        found.push_back(start->second);
    }
  }
  std::ranges::sort(found);
  return found;
}

} // namespace

Foresight::Foresight(const trace::Source& source, Share share) : cancelled_(share.size()) {
  for (Rank rank = share.begin; rank < share.end; ++rank)
    if (cancels(source, rank)) cancelled_[static_cast<std::size_t>(rank - share.begin)] = find_cancelled(source, rank);
}

bool Foresight::cancelled(std::uint32_t number, std::uint64_t action) const {
  return number < cancelled_.size() && std::ranges::binary_search(cancelled_[number], action);
}

} // namespace timeless::replay
