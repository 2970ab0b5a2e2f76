#include "trace/formats/dumpi/call_kinds.h"

#include "trace/formats/dumpi/layout.h"

#include <algorithm>
#include <iterator>

namespace timeless::trace::formats::dumpi {

namespace {

struct Kind {
  Call call;
  ActionKind kind;
};

constexpr Kind file_kinds[] = {
    {Call::File_close, ActionKind::file_close},
    {Call::File_sync, ActionKind::file_sync},
    {Call::File_set_size, ActionKind::file_set_size},
    {Call::File_preallocate, ActionKind::file_preallocate},
    {Call::File_set_view, ActionKind::file_set_view},
    {Call::File_set_info, ActionKind::file_set_info},
    {Call::File_set_atomicity, ActionKind::file_set_atomicity},
    {Call::File_seek_shared, ActionKind::file_seek_shared},
    {Call::File_read_at, ActionKind::file_read_at},
    {Call::File_read_at_all, ActionKind::file_read_at_all},
    {Call::File_write_at, ActionKind::file_write_at},
    {Call::File_write_at_all, ActionKind::file_write_at_all},
    {Call::File_iread_at, ActionKind::file_read_at},
    {Call::File_iwrite_at, ActionKind::file_write_at},
    {Call::File_read, ActionKind::file_read},
    {Call::File_read_all, ActionKind::file_read_all},
    {Call::File_write, ActionKind::file_write},
    {Call::File_write_all, ActionKind::file_write_all},
    {Call::File_iread, ActionKind::file_read},
    {Call::File_iwrite, ActionKind::file_write},
    {Call::File_read_shared, ActionKind::file_read_shared},
    {Call::File_write_shared, ActionKind::file_write_shared},
    {Call::File_iread_shared, ActionKind::file_read_shared},
    {Call::File_iwrite_shared, ActionKind::file_write_shared},
    {Call::File_read_ordered, ActionKind::file_read_ordered},
    {Call::File_write_ordered, ActionKind::file_write_ordered},
    {Call::File_read_at_all_begin, ActionKind::file_read_at_all_begin},
    {Call::File_read_at_all_end, ActionKind::file_read_at_all_end},
    {Call::File_write_at_all_begin, ActionKind::file_write_at_all_begin},
    {Call::File_write_at_all_end, ActionKind::file_write_at_all_end},
    {Call::File_read_all_begin, ActionKind::file_read_all_begin},
    {Call::File_read_all_end, ActionKind::file_read_all_end},
    {Call::File_write_all_begin, ActionKind::file_write_all_begin},
    {Call::File_write_all_end, ActionKind::file_write_all_end},
    {Call::File_read_ordered_begin, ActionKind::file_read_ordered_begin},
    {Call::File_read_ordered_end, ActionKind::file_read_ordered_end},
    {Call::File_write_ordered_begin, ActionKind::file_write_ordered_begin},
    {Call::File_write_ordered_end, ActionKind::file_write_ordered_end},
};

constexpr Kind window_kinds[] = {
    {Call::Win_free, ActionKind::win_free},
    {Call::Win_fence, ActionKind::win_fence},
    {Call::Win_complete, ActionKind::win_complete},
    {Call::Win_lock, ActionKind::win_lock},
    {Call::Win_post, ActionKind::win_post},
    {Call::Win_start, ActionKind::win_start},
    {Call::Win_test, ActionKind::win_test},
    {Call::Win_unlock, ActionKind::win_unlock},
    {Call::Win_wait, ActionKind::win_wait},
    {Call::Put, ActionKind::put},
    {Call::Get, ActionKind::get},
    {Call::Accumulate, ActionKind::accumulate},
};

constexpr Kind collective_kinds[] = {
    {Call::Barrier, ActionKind::barrier},     {Call::Bcast, ActionKind::broadcast},
    {Call::Gather, ActionKind::gather},       {Call::Gatherv, ActionKind::gatherv},
    {Call::Scatter, ActionKind::scatter},     {Call::Scatterv, ActionKind::scatterv},
    {Call::Allgather, ActionKind::allgather}, {Call::Allgatherv, ActionKind::allgatherv},
    {Call::Alltoall, ActionKind::alltoall},   {Call::Alltoallv, ActionKind::alltoallv},
    {Call::Alltoallw, ActionKind::alltoallw}, {Call::Reduce, ActionKind::reduce},
    {Call::Allreduce, ActionKind::allreduce}, {Call::Reduce_scatter, ActionKind::reduce_scatter},
    {Call::Scan, ActionKind::scan},           {Call::Exscan, ActionKind::exscan},
    {Call::Comm_free, ActionKind::comm_free}, {Call::Comm_disconnect, ActionKind::comm_disconnect},
};

template <std::size_t Rows>
std::optional<ActionKind> find(const Kind (&kinds)[Rows], std::uint16_t call) {
  const auto* const found = std::ranges::find(kinds, static_cast<Call>(call), &Kind::call);
  return found == std::end(kinds) ? std::nullopt : std::optional(found->kind);
}

} // namespace

std::optional<ActionKind> collective_kind(std::uint16_t call) {
  return find(collective_kinds, call);
}

std::optional<ActionKind> window_kind(std::uint16_t call) {
  return find(window_kinds, call);
}

std::optional<ActionKind> file_kind(std::uint16_t call) {
  return find(file_kinds, call);
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
  if (file_kind(call) || window_kind(call) || collective_kind(call)) return true;
  switch (static_cast<Call>(call)) {
  case Call::Send:
  case Call::Recv:
  case Call::Bsend:
  case Call::Ssend:
  case Call::Rsend:
  case Call::Isend:
  case Call::Ibsend:
  case Call::Issend:
  case Call::Irsend:
  case Call::Irecv:
  case Call::Wait:
  case Call::Test:
  case Call::Request_free:
  case Call::Waitany:
  case Call::Testany:
  case Call::Waitall:
  case Call::Testall:
  case Call::Waitsome:
  case Call::Testsome:
  case Call::Iprobe:
  case Call::Probe:
  case Call::Cancel:
  case Call::Send_init:
  case Call::Bsend_init:
  case Call::Ssend_init:
  case Call::Rsend_init:
  case Call::Recv_init:
  case Call::Start:
  case Call::Startall:
  case Call::Sendrecv:
  case Call::Sendrecv_replace:
  case Call::Comm_dup:
  case Call::Comm_create:
  case Call::Comm_split:
  case Call::Intercomm_create:
  case Call::Intercomm_merge:
  case Call::Cart_create:
  case Call::Graph_create:
  case Call::Cart_sub:
  case Call::Comm_accept:
  case Call::Comm_connect:
  case Call::Comm_join:
  case Call::Comm_spawn:
  case Call::Comm_spawn_multiple:
  case Call::Win_create:
  case Call::Grequest_start:
  case Call::Grequest_complete:
  case Call::File_open:
  case Call::File_delete:
  case Call::Finalize:
    return true;
  default:
    return false;
  }
}

bool nonblocking(std::uint16_t call) {
  switch (static_cast<Call>(call)) {
  case Call::Isend:
  case Call::Ibsend:
  case Call::Issend:
  case Call::Irsend:
  case Call::Irecv:
  case Call::Test:
  case Call::Testany:
  case Call::Testall:
  case Call::Testsome:
  case Call::Iprobe:
  case Call::Cancel:
  case Call::Request_free:
  case Call::Send_init:
  case Call::Bsend_init:
  case Call::Ssend_init:
  case Call::Rsend_init:
  case Call::Recv_init:
  case Call::Start:
  case Call::Startall:
  case Call::Grequest_start:
  case Call::Grequest_complete:
  case Call::Put:
  case Call::Get:
  case Call::Accumulate:
  case Call::Win_test:
    return true;
  default:
    return false;
  }
}

} // namespace timeless::trace::formats::dumpi
