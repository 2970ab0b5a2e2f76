#include "replay/engine/program/program.h"

namespace timeless::replay {

using trace::Action;
using trace::ActionKind;
using trace::Rank;

namespace {

FileCall::Act act(ActionKind kind) {
  using Act = FileCall::Act;
  if (trace::family(kind) == trace::ActionFamily::file) return Act::alone;
  switch (trace::traits(kind).split) {
  case trace::SplitCall::begins:
    return Act::begin;
  case trace::SplitCall::ends:
    return Act::end;
  case trace::SplitCall::none:
    break;
  }
  return Act::together;
}

trace::Bytes moved(const Action& action) {
  if (trace::traits(action.kind).sent == trace::Sizes::said) return 0;
  return std::max(action.bytes, action.receive_bytes);
}

} // namespace

Operation Compiler::file(const Action& action, Rank rank, Program& program) {
  if (trace::traits(action.kind).settles) return synchronisation(action, rank, program);
  uses_files_ = true;
  FileCall call{.act = act(action.kind), .bytes = moved(action)};
  if (names_communicator(action.kind)) call.file = communicators_.view(action.communicator, rank).id;
  if (action.kind == ActionKind::file_read_shared || action.kind == ActionKind::file_write_shared)
    not_modelled(Unmodelled::shared_file_pointer);
  if (call.act == FileCall::Act::together || call.act == FileCall::Act::begin) {
    call.instance = instance(action, action.kind, action.communicator, trace::no_rank, rank, program).call;
    program.calls[call.instance].moved = call.bytes;
  }
  const auto place = static_cast<std::uint32_t>(program.files.size());
  program.files.push_back(call);
  return {.step = Step::file, .call = place, .request = action.request};
}

} // namespace timeless::replay
