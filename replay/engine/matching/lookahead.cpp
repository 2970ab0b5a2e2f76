#include "replay/engine/matching/lookahead.h"

#include <algorithm>

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

} // namespace

Lookahead::Lookahead(const trace::Source& source, RankRange local_ranks, bool rendezvous_path)
    : source_(&source), local_ranks_(local_ranks), ranks_(local_ranks.size()) {
  if (!rendezvous_path) return;
  for (std::uint32_t number = 0; number < ranks_.size(); ++number)
    if (cancels(source, local_ranks.begin + static_cast<Rank>(number))) look_ahead(number);
}

const trace::RequestOutcomes& Lookahead::look_ahead(std::uint32_t number) {
  std::optional<trace::RequestOutcomes>& rank = ranks_[number];
  if (!rank) rank = trace::outcomes_of(*source_, local_ranks_.begin + static_cast<Rank>(number));
  return *rank;
}

bool Lookahead::cancelled(std::uint32_t number, std::uint64_t action) const {
  const trace::RequestOutcome* const found = ranks_[number] ? ranks_[number]->of(action) : nullptr;
  return found != nullptr && found->cancelled;
}

const trace::RequestOutcome* Lookahead::resolution(std::uint32_t number, std::uint64_t action) {
  const trace::RequestOutcome* const found = look_ahead(number).of(action);
  return found != nullptr && found->resolved ? found : nullptr;
}

} // namespace timeless::replay
