#include "replay/engine/program.h"

#include "trace/action_questions.h"

namespace timeless::replay {

using trace::Action;
using trace::ActionKind;
using trace::Rank;
using Act = FileCall::Act;

namespace {

Act act(ActionKind kind) {
  if (trace::family(kind) == trace::ActionFamily::file) return Act::alone;
  if (trace::begins_split_call(kind)) return Act::begin;
  return trace::ends_split_call(kind) ? Act::end : Act::together;
}

/// Of file_set_size and file_preallocate, bytes are no transfer.
trace::Bytes moved(const Action& action) {
  if (action.kind == ActionKind::file_set_size || action.kind == ActionKind::file_preallocate) return 0;
  return std::max(action.bytes, action.receive_bytes);
}

} // namespace

Operation Compiler::file(const Action& action, Rank rank, Program& program) {
  if (trace::settles_file(action.kind)) return synchronisation(action, rank, program);
  uses_files_ = true;
  FileCall call{.act = act(action.kind), .bytes = moved(action)};
  if (action.kind != ActionKind::file_delete) call.file = communicators_.view(action.communicator, rank).id;
  if (action.kind == ActionKind::file_read_shared || action.kind == ActionKind::file_write_shared)
    not_modelled(Unmodelled::shared_file_pointer);
  if (call.act == Act::together || call.act == Act::begin) {
    call.meeting = meeting(action, action.kind, action.communicator, trace::no_rank, rank, program).call;
    program.calls[call.meeting].moved = call.bytes;
  }
  const auto place = static_cast<std::uint32_t>(program.files.size());
  program.files.push_back(call);
  return {.step = Step::file, .call = place, .request = action.request};
}

} // namespace timeless::replay
