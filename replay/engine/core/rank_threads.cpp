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

ThreadPart& ThreadDivision::part(const std::shared_ptr<const SharedBlock>& block) {
  auto& parts = parts_[uses_.present()];
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
    uses_.follow(action);
    parts_.resize(uses_.threads());
    marked_ = marked_ || trace::names_threads(action.kind);
    ThreadPart& here = part(block);
    ThreadNote noted{.position = static_cast<std::uint32_t>(here.sequence.size()), .dependences = {}};
    here.sequence.push_back(entry);
    here.ordinals.push_back(first);
    if (trace::has_volume(action.kind) && volume != block->block.volumes().end()) here.volumes.push_back(*volume++);
    if (trace::synchronises_threads(action.kind))
      synchronise(action, noted);
    else if (!alone(program.operations[entry]))
      note(program, program.operations[entry], first, channel_of, noted);
    if (!noted.dependences.empty() || noted.begun_at) here.notes.push_back(std::move(noted));
    ++first;
  }
}

void ThreadDivision::synchronise(const trace::Action& mark, ThreadNote& note) {
  if (mark.kind == ActionKind::thread_signal) {
    note.begun_at = std::make_shared<ThreadTime>();
    uses_.signal(mark.peer, note.begun_at);
    return;
  }
  uses_.await(mark.peer, [&](const auto& signal) { note.dependences.push_back({.on = signal}); });
}

void ThreadDivision::use(Resource resource, std::uint32_t number, bool ended, ThreadNote& note) {
  if (auto before = uses_.use(resource, number, ended)) note.dependences.push_back({.on = *std::move(before)});
}

void ThreadDivision::start(RequestId request, ThreadNote& note) {
  if (request == trace::no_request) return;
  auto& last = uses_.last(Resource::request, request);
  if (uses_.elsewhere(last))
    note.dependences.push_back({.on = {last.thread, last.actions, last.ended}, .request = request});
  if (marked_ && !note.begun_at) note.begun_at = std::make_shared<ThreadTime>();
  last = uses_.here(false, note.begun_at);
}

/// Notes in `note` what is done with a request that has been started.
void ThreadDivision::end(RequestId request, ThreadNote& note) {
  auto& last = uses_.last(Resource::request, request);
  // What began before the rank was several is thread 0's.
  if (last.thread != uses_.present()) note.dependences.push_back({.on = std::move(last), .request = request});
  last = uses_.here();
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
      use(Resource::receives, channel, false, note);
    return start(operation.request, note);
  case Step::probe:
    return use(Resource::receives, operation.receive_channel, true, note);
  case Step::collective:
  case Step::start_instance:
  case Step::schedule:
  case Step::start_schedule:
    use(Resource::collectives, program.calls[operation.call].communicator, false, note);
    return start(operation.request, note);
  case Step::one_sided:
    use(Resource::window, program.one_sided[operation.call].window, true, note);
    return start(operation.request, note);
  case Step::file:
    if (program.files[operation.call].act == FileCall::Act::alone) return start(operation.request, note);
    use(Resource::file, program.files[operation.call].file, true, note);
    return start(operation.request, note);
  default:
    break;
  }
  if (operation.channel != no_channel) use(Resource::sends, operation.channel, false, note);
  if (operation.receive_channel != no_channel) use(Resource::receives, operation.receive_channel, false, note);
  start(operation.request, note);
}

} // namespace timeless::replay
