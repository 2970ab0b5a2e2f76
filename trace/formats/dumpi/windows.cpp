#include "trace/formats/dumpi/call_kinds.h"
#include "trace/formats/dumpi/translation.h"

#include <algorithm>

namespace timeless::trace::formats::dumpi {

namespace {

constexpr std::uint8_t replace_operation = 13;

} // namespace

/// Sets whom an epoch is with, by their ranks in the window's group. Returns false where the trace does not tell.
bool Translation::set_epoch_members(const Record& record, Action& action) {
  const auto& mine = shared_.communicators.of_rank[static_cast<std::size_t>(rank_)];
  const auto members = evaluate(*objects_.group(record.half(Field::group)), [&](Ordinal ordinal) {
    return ordinal < mine.size() && mine[ordinal] != no_communicator ? &shared_.communicators.all[mine[ordinal]]
                                                                     : nullptr;
  });
  if (!members) {
    not_told();
    return false;
  }
  ranks_.clear();
  const auto& of_window = shared_.communicators.all[action.communicator].members;
  for (const Rank member : *members)
    ranks_.push_back(static_cast<Rank>(std::ranges::find(of_window, member) - of_window.begin()));
  action.ranks = ranks_;
  return true;
}

bool Translation::window_call(const Record& record) {
  const auto kind = window_kind(record.call);
  if (!kind) return false;
  Action action{.kind = *kind};
  if (!set_window(action)) return true;
  const auto assertion = static_cast<unsigned>(record.word(Field::assertion));
  const auto flags = [&action](bool set, ActionFlag flag) {
    if (set) action.flags = static_cast<std::uint16_t>(action.flags | flag);
  };
  switch (*kind) {
  case ActionKind::win_fence:
    flags((assertion & 8U) != 0, flag_no_precede);
    flags((assertion & 16U) != 0, flag_no_succeed);
    break;
  case ActionKind::win_lock:
    action.peer = record.word(Field::targetrank);
    flags((assertion & 1U) != 0, flag_no_check);
    flags(record.word(Field::locktype) == 2, flag_exclusive);
    break;
  case ActionKind::win_unlock:
    action.peer = record.word(Field::targetrank);
    break;
  case ActionKind::win_test:
    if (record.word(Field::flag) == 0) return true;
    break;
  case ActionKind::win_post:
  case ActionKind::win_start:
    flags((assertion & 1U) != 0, flag_no_check);
    if (!set_epoch_members(record, action)) return true;
    break;
  case ActionKind::put:
  case ActionKind::get:
  case ActionKind::accumulate: {
    if (record.word(Field::targetrank) < 0) return true; // MPI_PROC_NULL
    action.peer = record.word(Field::targetrank);
    const Bytes moved = bytes(Field::origincount, Field::origintype);
    (traits(*kind).sent == Sizes::none ? action.receive_bytes : action.bytes) = moved;
    if (traits(*kind).reduces) {
      action.element_bytes = static_cast<std::uint32_t>(type_size(record.half(Field::origintype)));
      flags(record.word(Field::op) == replace_operation, flag_replace);
    }
    break;
  }
  default:
    break;
  }
  append(action);
  return true;
}

} // namespace timeless::trace::formats::dumpi
