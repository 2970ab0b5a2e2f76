#include "trace/check/rank_check.h"

#include <algorithm>

namespace timeless::trace::checking {

void RankCheck::begin(const Action& action) {
  ++shared_.report.requests;
  const auto [entry, fresh] = requests_.try_emplace(action.request);
  if (!fresh)
    complain(mpi_name(action) + " takes request " + std::to_string(action.request) + ", which " +
             mpi_name(Action{.kind = entry->second.kind, .request = 0}) + " (its action " +
             std::to_string(entry->second.action) + ") still has");
  entry->second = {.kind = action.kind,
                   .action = number_,
                   .channel = {.communicator = action.communicator},
                   .resolved = !lacks_source(action)};
}

/// A cancelled request is completed later; a freed one need not be under way, if it was persistent.
void RankCheck::end_early(const Action& action) {
  const bool cancels = action.kind == ActionKind::cancelled;
  const auto entry = requests_.find(action.request);
  if (entry == requests_.end() && !cancels) return;
  if (entry != requests_.end()) {
    const ActionFamily of = family(entry->second.kind);
    const bool collective = of == ActionFamily::collective || of == ActionFamily::communicator;
    const bool cancellable = of == ActionFamily::point_to_point || of == ActionFamily::generalized;
    if (collective || (cancels && !cancellable))
      complain((cancels ? "cancels request " : "frees request ") + std::to_string(action.request) +
               ", which is under way for " + mpi_name(Action{.kind = entry->second.kind, .request = 0}));
  }
  complete(action.request, cancels ? HalfState::cancelled : HalfState::done, !cancels);
}

void RankCheck::complete(RequestId request, HalfState state, bool frees) {
  const auto entry = requests_.find(request);
  if (entry == requests_.end()) {
    complain((state == HalfState::cancelled ? "cancels" : "completes") + std::string(" request ") +
             std::to_string(request) + ", which is not under way");
    return;
  }
  Pending& pending = entry->second;
  const auto held = pending.held == 0 ? held_.end() : std::ranges::find(held_, pending.held, &HeldReceive::serial);
  if (pending.message && held != held_.end()) {
    const bool unknown = !held->resolved();
    if (unknown && state == HalfState::done)
      complain("completes a receive (its action " + std::to_string(pending.action) + ") whose source is not told");
    if (unknown || state == HalfState::cancelled) {
      held_.erase(held);
      pending.message = false;
      release_held();
    } else {
      held->half.state = state;
    }
  } else if (pending.message) {
    shared_.messages.settle(pending.channel, pending.side, pending.number, state);
  }
  if (state == HalfState::cancelled) {
    pending.message = false;
    pending.resolved = true;
  }
  if (frees) requests_.erase(request);
}

} // namespace timeless::trace::checking
