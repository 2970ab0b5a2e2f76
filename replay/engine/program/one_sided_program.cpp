#include "replay/engine/matching/trace_error.h"
#include "replay/engine/program/program.h"

#include <algorithm>

namespace timeless::replay {

using trace::Action;
using trace::ActionKind;
using trace::Rank;

namespace {

bool has_flag(const Action& action, trace::ActionFlag flag) {
  return (action.flags & flag) != 0;
}

/// Returns true where the target combines what comes with what is there.
bool combines(const Action& action) {
  const bool accumulates = action.kind == ActionKind::accumulate || action.kind == ActionKind::get_accumulate ||
                           action.kind == ActionKind::fetch_and_op;
  return accumulates && !has_flag(action, trace::flag_replace) && !has_flag(action, trace::flag_no_operation);
}

} // namespace

Operation Compiler::one_sided(const Action& action, Rank rank, Program& program) {
  using Act = OneSidedCall::Act;
  const auto view = communicators_.view(action.communicator, rank);
  OneSidedCall call{.window = view.id};
  switch (action.kind) {
  case ActionKind::win_fence:
  case ActionKind::win_free:
    call.act = action.kind == ActionKind::win_fence ? Act::finish_and_meet : Act::free;
    call.waits = !has_flag(action, trace::flag_no_precede);
    call.instance = synchronisation(action, rank, program).call;
    break;
  case ActionKind::win_lock:
    if (has_flag(action, trace::flag_exclusive)) not_modelled(Unmodelled::exclusive_lock);
    set_target(call, action, rank);
    if (has_flag(action, trace::flag_no_check)) return {};
    call.act = Act::ask;
    break;
  case ActionKind::win_lock_all:
    if (has_flag(action, trace::flag_no_check)) return {};
    call.act = Act::ask_all;
    break;
  case ActionKind::win_unlock:
  case ActionKind::win_flush:
  case ActionKind::win_flush_local:
    set_target(call, action, rank);
    call.act = Act::finish;
    break;
  case ActionKind::win_unlock_all:
  case ActionKind::win_flush_all:
  case ActionKind::win_flush_local_all:
    call.act = Act::finish;
    break;
  case ActionKind::win_post:
  case ActionKind::win_start:
    call.act = action.kind == ActionKind::win_post ? Act::post : Act::start;
    call.waits = !has_flag(action, trace::flag_no_check);
    set_group(call, action, rank);
    break;
  case ActionKind::win_complete:
    call.act = Act::complete;
    break;
  case ActionKind::win_wait:
  case ActionKind::win_test:
    call.act = Act::wait;
    break;
  case ActionKind::win_sync:
    return {};
  default:
    if (action.peer == trace::no_rank) return nothing_but_request(action);
    if (combines(action)) not_modelled(Unmodelled::arithmetic_at_target);
    set_target(call, action, rank);
    break;
  }
  const auto place = static_cast<std::uint32_t>(program.one_sided.size());
  program.one_sided.push_back(std::move(call));
  return {.step = Step::one_sided, .call = place, .request = action.request};
}

/// What comes back is on its way after what asks for it has come.
void Compiler::set_target(OneSidedCall& call, const Action& action, Rank rank) {
  const Rank target = world_rank(communicators_.view(action.communicator, rank), action.peer, "target");
  const bool only_there = action.kind == ActionKind::put || action.kind == ActionKind::accumulate;
  const auto there = static_cast<double>(action.bytes);
  const auto back = static_cast<double>(action.receive_bytes);
  call.messages = only_there ? 1 : 2;
  call.sent = there;
  call.bytes = only_there ? there : there + back;
  call.row = rows_.message(rank, target, only_there ? there : std::max(there, back));
  const bool transfers = trace::family(action.kind) == trace::ActionFamily::one_sided;
  if (transfers) call.overhead = network_.overheads.nonblocking_send(action.bytes);
}

void Compiler::set_group(OneSidedCall& call, const Action& action, Rank rank) {
  const auto view = communicators_.view(action.communicator, rank);
  const bool exposes = action.kind == ActionKind::win_post;
  for (const Rank member : action.ranks) {
    const Rank other = world_rank(view, member, "member of a group");
    call.group.push_back({.to_other = channels_.number({rank, other, view.id, exposes ? post_tag : complete_tag}),
                          .from_other = channels_.number({other, rank, view.id, exposes ? complete_tag : post_tag}),
                          .row = rows_.message(rank, other, 0)});
  }
}

} // namespace timeless::replay
