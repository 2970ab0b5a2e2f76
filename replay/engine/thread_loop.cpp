#include "replay/engine/engine.h"
#include "replay/engine/observed_actions.h"

#include <algorithm>

/// The event loop of a rank with several threads: one action after the other of one of them.
namespace timeless::replay {

namespace {

/// Begins what may be cancelled.
constexpr bool starts_message(Step step) {
  return step == Step::send || step == Step::post || step == Step::post_wildcard || step == Step::exchange;
}

} // namespace

void Engine::run_thread(std::uint32_t number) {
  for (std::uint32_t left = core_.budget(); left > 0; left -= teams_.in_time() ? 0 : 1) {
    const RankState& before = core_.ranks[number];
    if (before.position == before.size && !teams_.next_part(number)) return;
    RankState& rank = core_.ranks[number];
    if (!run_thread_action(rank, number)) return;
    ++rank.position;
  }
  core_.worklist.push(number);
}

bool Engine::run_thread_action(RankState& rank, std::uint32_t number) {
  RankThread& thread = *rank.thread;
  Explanation& explanation = core_.explanation;
  const std::uint32_t entry = rank.sequence[rank.position];
  const Operation& operation = rank.operations[entry];
  ThreadNote* const note = thread.note(rank.position);
  if (explanation.attributor) explanation.attributor->switch_to(number, entry);
  if (!thread.begun && note && !teams_.await_dependences(rank, number, *note)) return false;
  const auto core = teams_.core_for(rank, number, operation);
  if (!core) return false;
  if (explanation.observation && operation.step != Step::compute) expect(core_, rendezvous_, rank, number, operation);
  const std::uint64_t* const volume = rank.volume;
  const bool done = perform_in_thread(rank, number, operation);
  teams_.free_core(rank, number, *core);
  if (explanation.observation && !thread.begun) explanation.observation->note_sent(number, operation, core_.channels);
  teams_.begun(rank, number, note);
  if (!done) return false;
  core_.look(number);
  if (explanation.observation) observe(core_, rank, number, rank.position, rank.volume == volume ? 0 : *volume);
  rank.stage = 0;
  teams_.ended(rank, number, note);
  return true;
}

bool Engine::perform_in_thread(RankState& rank, std::uint32_t number, const Operation& operation) {
  if (operation.step == Step::compute) {
    if (rank.volume == rank.volumes_end) fail("a computation without a volume");
    core_.clocks[number].volume += static_cast<double>(*rank.volume++);
    return true;
  }
  // Other threads may stand waiting for messages of the channel: what is cancelled is never begun.
  if (!core_.rendezvous_path && rank.stage == 0 && operation.request != trace::no_request &&
      starts_message(operation.step)) {
    core_.lookahead.look_ahead(rank.thread->all->rank);
    if (rendezvous_.cancelled_later(rank, number, operation)) return true;
  }
  return perform(rank, number, operation);
}

} // namespace timeless::replay
