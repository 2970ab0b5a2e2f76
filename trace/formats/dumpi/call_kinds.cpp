#include "trace/formats/dumpi/call_kinds.h"

#include "trace/formats/dumpi/layout.h"

#include <algorithm>
#include <iterator>

namespace timeless::trace::formats::dumpi {

namespace {

/// What a call is about.
enum class Subject : std::uint8_t { other, collective, window, file };

/// Whether a call waits for others.
enum class Waits : bool { no, yes };

struct CallRow {
  Call call;
  Waits waits = Waits::yes;
  Subject subject = Subject::other;
  ActionKind kind = {}; ///< of a known subject: what the call becomes
};

/// The calls that become an action, or should.
constexpr CallRow call_rows[] = {
    {Call::Send},
    {Call::Recv},
    {Call::Bsend},
    {Call::Ssend},
    {Call::Rsend},
    {Call::Isend, Waits::no},
    {Call::Ibsend, Waits::no},
    {Call::Issend, Waits::no},
    {Call::Irsend, Waits::no},
    {Call::Irecv, Waits::no},
    {Call::Wait},
    {Call::Test, Waits::no},
    {Call::Request_free, Waits::no},
    {Call::Waitany},
    {Call::Testany, Waits::no},
    {Call::Waitall},
    {Call::Testall, Waits::no},
    {Call::Waitsome},
    {Call::Testsome, Waits::no},
    {Call::Iprobe, Waits::no},
    {Call::Probe},
    {Call::Cancel, Waits::no},
    {Call::Send_init, Waits::no},
    {Call::Bsend_init, Waits::no},
    {Call::Ssend_init, Waits::no},
    {Call::Rsend_init, Waits::no},
    {Call::Recv_init, Waits::no},
    {Call::Start, Waits::no},
    {Call::Startall, Waits::no},
    {Call::Sendrecv},
    {Call::Sendrecv_replace},
    {Call::Comm_dup},
    {Call::Comm_create},
    {Call::Comm_split},
    {Call::Intercomm_create},
    {Call::Intercomm_merge},
    {Call::Cart_create},
    {Call::Graph_create},
    {Call::Cart_sub},
    {Call::Comm_accept},
    {Call::Comm_connect},
    {Call::Comm_join},
    {Call::Comm_spawn},
    {Call::Comm_spawn_multiple},
    {Call::Win_create},
    {Call::Grequest_start, Waits::no},
    {Call::Grequest_complete, Waits::no},
    {Call::File_open},
    {Call::File_delete},
    {Call::Finalize},
    {Call::Barrier, Waits::yes, Subject::collective, ActionKind::barrier},
    {Call::Bcast, Waits::yes, Subject::collective, ActionKind::broadcast},
    {Call::Gather, Waits::yes, Subject::collective, ActionKind::gather},
    {Call::Gatherv, Waits::yes, Subject::collective, ActionKind::gatherv},
    {Call::Scatter, Waits::yes, Subject::collective, ActionKind::scatter},
    {Call::Scatterv, Waits::yes, Subject::collective, ActionKind::scatterv},
    {Call::Allgather, Waits::yes, Subject::collective, ActionKind::allgather},
    {Call::Allgatherv, Waits::yes, Subject::collective, ActionKind::allgatherv},
    {Call::Alltoall, Waits::yes, Subject::collective, ActionKind::alltoall},
    {Call::Alltoallv, Waits::yes, Subject::collective, ActionKind::alltoallv},
    {Call::Alltoallw, Waits::yes, Subject::collective, ActionKind::alltoallw},
    {Call::Reduce, Waits::yes, Subject::collective, ActionKind::reduce},
    {Call::Allreduce, Waits::yes, Subject::collective, ActionKind::allreduce},
    {Call::Reduce_scatter, Waits::yes, Subject::collective, ActionKind::reduce_scatter},
    {Call::Scan, Waits::yes, Subject::collective, ActionKind::scan},
    {Call::Exscan, Waits::yes, Subject::collective, ActionKind::exscan},
    {Call::Comm_free, Waits::yes, Subject::collective, ActionKind::comm_free},
    {Call::Comm_disconnect, Waits::yes, Subject::collective, ActionKind::comm_disconnect},
    {Call::Win_free, Waits::yes, Subject::window, ActionKind::win_free},
    {Call::Win_fence, Waits::yes, Subject::window, ActionKind::win_fence},
    {Call::Win_complete, Waits::yes, Subject::window, ActionKind::win_complete},
    {Call::Win_lock, Waits::yes, Subject::window, ActionKind::win_lock},
    {Call::Win_post, Waits::yes, Subject::window, ActionKind::win_post},
    {Call::Win_start, Waits::yes, Subject::window, ActionKind::win_start},
    {Call::Win_test, Waits::no, Subject::window, ActionKind::win_test},
    {Call::Win_unlock, Waits::yes, Subject::window, ActionKind::win_unlock},
    {Call::Win_wait, Waits::yes, Subject::window, ActionKind::win_wait},
    {Call::Put, Waits::no, Subject::window, ActionKind::put},
    {Call::Get, Waits::no, Subject::window, ActionKind::get},
    {Call::Accumulate, Waits::no, Subject::window, ActionKind::accumulate},
    {Call::File_close, Waits::yes, Subject::file, ActionKind::file_close},
    {Call::File_sync, Waits::yes, Subject::file, ActionKind::file_sync},
    {Call::File_set_size, Waits::yes, Subject::file, ActionKind::file_set_size},
    {Call::File_preallocate, Waits::yes, Subject::file, ActionKind::file_preallocate},
    {Call::File_set_view, Waits::yes, Subject::file, ActionKind::file_set_view},
    {Call::File_set_info, Waits::yes, Subject::file, ActionKind::file_set_info},
    {Call::File_set_atomicity, Waits::yes, Subject::file, ActionKind::file_set_atomicity},
    {Call::File_seek_shared, Waits::yes, Subject::file, ActionKind::file_seek_shared},
    {Call::File_read_at, Waits::yes, Subject::file, ActionKind::file_read_at},
    {Call::File_read_at_all, Waits::yes, Subject::file, ActionKind::file_read_at_all},
    {Call::File_write_at, Waits::yes, Subject::file, ActionKind::file_write_at},
    {Call::File_write_at_all, Waits::yes, Subject::file, ActionKind::file_write_at_all},
    {Call::File_iread_at, Waits::yes, Subject::file, ActionKind::file_read_at},
    {Call::File_iwrite_at, Waits::yes, Subject::file, ActionKind::file_write_at},
    {Call::File_read, Waits::yes, Subject::file, ActionKind::file_read},
    {Call::File_read_all, Waits::yes, Subject::file, ActionKind::file_read_all},
    {Call::File_write, Waits::yes, Subject::file, ActionKind::file_write},
    {Call::File_write_all, Waits::yes, Subject::file, ActionKind::file_write_all},
    {Call::File_iread, Waits::yes, Subject::file, ActionKind::file_read},
    {Call::File_iwrite, Waits::yes, Subject::file, ActionKind::file_write},
    {Call::File_read_shared, Waits::yes, Subject::file, ActionKind::file_read_shared},
    {Call::File_write_shared, Waits::yes, Subject::file, ActionKind::file_write_shared},
    {Call::File_iread_shared, Waits::yes, Subject::file, ActionKind::file_read_shared},
    {Call::File_iwrite_shared, Waits::yes, Subject::file, ActionKind::file_write_shared},
    {Call::File_read_ordered, Waits::yes, Subject::file, ActionKind::file_read_ordered},
    {Call::File_write_ordered, Waits::yes, Subject::file, ActionKind::file_write_ordered},
    {Call::File_read_at_all_begin, Waits::yes, Subject::file, ActionKind::file_read_at_all_begin},
    {Call::File_read_at_all_end, Waits::yes, Subject::file, ActionKind::file_read_at_all_end},
    {Call::File_write_at_all_begin, Waits::yes, Subject::file, ActionKind::file_write_at_all_begin},
    {Call::File_write_at_all_end, Waits::yes, Subject::file, ActionKind::file_write_at_all_end},
    {Call::File_read_all_begin, Waits::yes, Subject::file, ActionKind::file_read_all_begin},
    {Call::File_read_all_end, Waits::yes, Subject::file, ActionKind::file_read_all_end},
    {Call::File_write_all_begin, Waits::yes, Subject::file, ActionKind::file_write_all_begin},
    {Call::File_write_all_end, Waits::yes, Subject::file, ActionKind::file_write_all_end},
    {Call::File_read_ordered_begin, Waits::yes, Subject::file, ActionKind::file_read_ordered_begin},
    {Call::File_read_ordered_end, Waits::yes, Subject::file, ActionKind::file_read_ordered_end},
    {Call::File_write_ordered_begin, Waits::yes, Subject::file, ActionKind::file_write_ordered_begin},
    {Call::File_write_ordered_end, Waits::yes, Subject::file, ActionKind::file_write_ordered_end},
};

const CallRow* row_of(std::uint16_t call) {
  const auto* const found = std::ranges::find(call_rows, static_cast<Call>(call), &CallRow::call);
  return found == std::end(call_rows) ? nullptr : found;
}

std::optional<ActionKind> kind_of(std::uint16_t call, Subject subject) {
  const CallRow* const row = row_of(call);
  return row != nullptr && row->subject == subject ? std::optional(row->kind) : std::nullopt;
}

} // namespace

std::optional<ActionKind> collective_kind(std::uint16_t call) {
  return kind_of(call, Subject::collective);
}

std::optional<ActionKind> window_kind(std::uint16_t call) {
  return kind_of(call, Subject::window);
}

std::optional<ActionKind> file_kind(std::uint16_t call) {
  return kind_of(call, Subject::file);
}

std::optional<SendCall> send_call(std::uint16_t call) {
  switch (static_cast<Call>(call)) {
  case Call::Send:
    return SendCall{};
  case Call::Bsend:
    return SendCall{.mode = SendMode::buffered};
  case Call::Ssend:
    return SendCall{.mode = SendMode::synchronous};
  case Call::Rsend:
    return SendCall{.mode = SendMode::ready};
  case Call::Isend:
    return SendCall{.nonblocking = true};
  case Call::Ibsend:
    return SendCall{.mode = SendMode::buffered, .nonblocking = true};
  case Call::Issend:
    return SendCall{.mode = SendMode::synchronous, .nonblocking = true};
  case Call::Irsend:
    return SendCall{.mode = SendMode::ready, .nonblocking = true};
  case Call::Send_init:
    return SendCall{.persistent = true};
  case Call::Bsend_init:
    return SendCall{.mode = SendMode::buffered, .persistent = true};
  case Call::Ssend_init:
    return SendCall{.mode = SendMode::synchronous, .persistent = true};
  case Call::Rsend_init:
    return SendCall{.mode = SendMode::ready, .persistent = true};
  default:
    return std::nullopt;
  }
}

ActionKind made_by(Making how) {
  switch (how) {
  case Making::duplicate:
    return ActionKind::comm_dup;
  case Making::split:
    return ActionKind::comm_split;
  case Making::create:
    return ActionKind::comm_create;
  case Making::cart_create:
    return ActionKind::cart_create;
  case Making::cart_sub:
    return ActionKind::cart_sub;
  case Making::graph_create:
    return ActionKind::graph_create;
  case Making::intercomm_create:
    return ActionKind::intercomm_create;
  case Making::intercomm_merge:
    return ActionKind::intercomm_merge;
  case Making::window:
    return ActionKind::win_create;
  case Making::file:
    return ActionKind::file_open;
  }
  return ActionKind::comm_dup;
}

bool matters(std::uint16_t call) {
  return row_of(call) != nullptr;
}

bool nonblocking(std::uint16_t call) {
  const CallRow* const row = row_of(call);
  return row != nullptr && row->waits == Waits::no;
}

} // namespace timeless::trace::formats::dumpi
