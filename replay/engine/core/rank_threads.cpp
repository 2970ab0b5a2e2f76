#include "replay/engine/core/rank_threads.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

using trace::ActionKind;
using trace::RequestId;

namespace {

/// Returns true for what other threads could not notice.
bool alone(const Operation& operation) {
  switch (operation.step) {
  case Step::compute:
  case Step::compute_in_kernel:
  case Step::compute_beside_workers:
  case Step::skip_volume:
  case Step::workers:
  case Step::nothing:
  case Step::finalize:
  case Step::invalid:
  case Step::resolve:
    return true;
  default:
    return false;
  }
}

} // namespace

std::uint32_t ThreadDivision::place(trace::Rank number) {
  const auto found = std::ranges::find(threads_, number, &OfThread::number);
  if (found == threads_.end()) {
    threads_.push_back({.number = number, .parts = {}});
    return static_cast<std::uint32_t>(threads_.size() - 1);
  }
  return static_cast<std::uint32_t>(found - threads_.begin());
}

ThreadPart& ThreadDivision::part(const std::shared_ptr<const SharedBlock>& block) {
  auto& parts = threads_[present_].parts;
  if (parts.empty() || parts.back().of != block) parts.emplace_back().of = block;
  return parts.back();
}

void ThreadDivision::divide(const std::shared_ptr<const SharedBlock>& block, std::uint64_t first,
                            const ChannelOf& channel_of) {
  const auto dictionary = block->block.dictionary();
  const Program& program = block->program;
  auto volume = block->block.volumes().begin();
  for (const std::uint32_t entry : block->block.sequence()) {
    const trace::Action& action = dictionary[entry];
    if (action.kind == ActionKind::thread) present_ = place(action.peer);
    marked_ = marked_ || trace::names_threads(action.kind);
    ThreadPart& here = part(block);
    ThreadNote noted{.position = static_cast<std::uint32_t>(here.sequence.size()), .needs = {}};
    here.sequence.push_back(entry);
    here.ordinals.push_back(first);
    if (trace::has_volume(action.kind) && volume != block->block.volumes().end()) here.volumes.push_back(*volume++);
    ++threads_[present_].actions;
    if (trace::synchronises_threads(action.kind))
      meet(action, noted);
    else if (!alone(program.operations[entry]))
      note(program, program.operations[entry], first, channel_of, noted);
    if (!noted.needs.empty() || noted.passed) here.notes.push_back(std::move(noted));
    ++first;
  }
}

void ThreadDivision::meet(const trace::Action& mark, ThreadNote& note) {
  auto& signals = signals_[mark.peer];
  if (mark.kind == ActionKind::thread_signal) {
    note.passed = std::make_shared<Passed>();
    signals[present_] = {present_, threads_[present_].actions, true, note.passed};
    return;
  }
  for (const auto& [thread, signal] : signals)
    if (thread != present_) note.needs.push_back({thread, signal.actions, true, signal.since});
}

void ThreadDivision::use(Shared what, std::uint32_t number, bool ended, ThreadNote& note) {
  Use& before = last(what, number);
  if (before.actions > 0 && before.thread != present_)
    note.needs.push_back({.thread = before.thread, .actions = before.actions, .ended = before.ended});
  before = {present_, threads_[present_].actions, ended};
}

void ThreadDivision::start(RequestId request, ThreadNote& note) {
  if (request == trace::no_request) return;
  Use& before = last(Shared::request, request);
  if (before.actions > 0 && before.thread != present_)
    note.needs.push_back(
        {.thread = before.thread, .actions = before.actions, .ended = before.ended, .request = request});
  if (marked_ && !note.passed) note.passed = std::make_shared<Passed>();
  before = {present_, threads_[present_].actions, false, note.passed};
}

/// Notes in `note` what is done with a request that has been started.
void ThreadDivision::end(RequestId request, ThreadNote& note) {
  // What began before the rank was several is thread 0's.
  Use& before = last(Shared::request, request);
  if (before.thread != present_)
    note.needs.push_back({before.thread, before.actions, before.ended, std::move(before.since), request});
  before = {present_, threads_[present_].actions, true};
}

void ThreadDivision::note(const Program& program, const Operation& operation, std::uint64_t ordinal,
                          const ChannelOf& channel_of, ThreadNote& note) {
  switch (operation.step) {
  case Step::complete:
    for (std::uint32_t i = 0; i < operation.requests; ++i)
      end(program.requests[operation.first_request + i], note);
    return;
  case Step::complete_one:
  case Step::cancel:
  case Step::release:
    return end(operation.request, note);
  case Step::post_wildcard:
    if (const std::uint32_t channel = channel_of(ordinal); channel != no_channel)
      use(Shared::receives, channel, false, note);
    return start(operation.request, note);
  case Step::probe:
    return use(Shared::receives, operation.receive_channel, true, note);
  case Step::collective:
  case Step::start_instance:
  case Step::schedule:
  case Step::start_schedule:
    use(Shared::collectives, program.calls[operation.call].communicator, false, note);
    return start(operation.request, note);
  case Step::one_sided:
    use(Shared::window, program.one_sided[operation.call].window, true, note);
    return start(operation.request, note);
  case Step::file:
    if (program.files[operation.call].act == FileCall::Act::alone) return start(operation.request, note);
    use(Shared::file, program.files[operation.call].file, true, note);
    return start(operation.request, note);
  default:
    break;
  }
  if (operation.channel != no_channel) use(Shared::sends, operation.channel, false, note);
  if (operation.receive_channel != no_channel) use(Shared::receives, operation.receive_channel, false, note);
  start(operation.request, note);
}

} // namespace timeless::replay
