#include "trace/formats/dumpi/translation.h"

#include <algorithm>
#include <numeric>

namespace timeless::trace::formats::dumpi {

namespace {

constexpr std::int32_t any_source = -1;
constexpr std::int32_t any_tag_number = -1;
constexpr std::int32_t null_request = 1;
constexpr std::uint16_t first_user_type = 28;
constexpr std::uint8_t replace_operation = 13;

/// Of the predefined datatypes, where the file does not say: on 64-bit machines.
constexpr std::array<std::uint8_t, first_user_type> usual_sizes{0, 0,  1, 1, 1, 1, 4, 2, 2, 4,  4,  8, 8, 4,
                                                                8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20};

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
const Kind* find(const Kind (&kinds)[Rows], std::uint16_t call) {
  const auto* const found = std::ranges::find(kinds, static_cast<Call>(call), &Kind::call);
  return found == std::end(kinds) ? nullptr : found;
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

bool reads(ActionKind kind) {
  return name(kind).find("read") != std::string_view::npos;
}

} // namespace

bool matters(std::uint16_t call) {
  if (find(file_kinds, call) != nullptr || find(window_kinds, call) != nullptr ||
      find(collective_kinds, call) != nullptr)
    return true;
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

Translation::Translation(const RankFile& file, const Shared& shared, Rank rank, Shared* growing)
    : file_(file), shared_(shared), rank_(rank), growing_(growing) {}

std::size_t Translation::append(const Action& action) {
  const std::size_t position = block_->append(action);
  if (record_->timed) {
    // Of several actions that a call has become, the last one has its time.
    const std::uint64_t entry = std::max(record_->entry, origin_) - origin_;
    const std::uint64_t exit = std::max(record_->exit, origin_) - origin_;
    times_.push_back({std::max(entry, last_exit_), std::max({exit, entry, last_exit_})});
    if (times_.size() > 1 && appended_) {
      ActionTimes& before = times_[times_.size() - 2];
      before.exit = before.entry;
    }
  }
  appended_ = true;
  return position;
}

/// What the rank did since the call before, of those that matter.
void Translation::compute(const Record& record) {
  if (!record.timed) return;
  const std::uint64_t entry = std::max(record.entry, origin_) - origin_;
  if (entry <= last_exit_) return;
  const std::pair between(last_call_, record.call);
  KernelId kernel = no_kernel;
  if (growing_ != nullptr)
    kernel = growing_->kernels.emplace(between, static_cast<KernelId>(growing_->kernels.size())).first->second;
  else if (const auto found = shared_.kernels.find(between); found != shared_.kernels.end())
    kernel = found->second;
  block_->append_compute(kernel, entry - last_exit_);
  times_.push_back({last_exit_, entry});
}

void Translation::translate(const Record& record, ActionBlock& block) {
  block_ = &block;
  record_ = &record;
  learn_type(record);
  const auto made = objects_.follow(record);
  if (record.is(Call::Init) || record.is(Call::Init_thread)) {
    started_ = true;
    origin_ = record.timed ? record.exit : 0;
    last_call_ = record.call;
    return;
  }
  if (remarks_.finalized || !matters(record.call)) return;
  if (!started_) { // recorded from somewhere in the program on
    started_ = true;
    origin_ = record.timed ? record.entry : 0;
  }
  compute(record);
  appended_ = false;
  if (made) {
    creation(record, *made);
  } else if (!collective(record) && !file_call(record) && !window_call(record)) {
    point_to_point(record);
  }
  if (record.timed) last_exit_ = std::max(last_exit_, std::max(record.exit, origin_) - origin_);
  last_call_ = record.call;
  remarks_.duration = last_exit_;
}

void Translation::not_told() {
  ++remarks_.unrecorded[std::string(layout(record_->call).name)];
}

void Translation::point_to_point(const Record& record) {
  switch (static_cast<Call>(record.call)) {
  case Call::Send:
    return send(record, SendMode::standard, false);
  case Call::Bsend:
    return send(record, SendMode::buffered, false);
  case Call::Ssend:
    return send(record, SendMode::synchronous, false);
  case Call::Rsend:
    return send(record, SendMode::ready, false);
  case Call::Isend:
    return send(record, SendMode::standard, true);
  case Call::Ibsend:
    return send(record, SendMode::buffered, true);
  case Call::Issend:
    return send(record, SendMode::synchronous, true);
  case Call::Irsend:
    return send(record, SendMode::ready, true);
  case Call::Recv:
    return receive();
  case Call::Irecv:
    return begin_receive(record);
  case Call::Sendrecv:
    return exchange(record, false);
  case Call::Sendrecv_replace:
    return exchange(record, true);
  case Call::Probe:
  case Call::Iprobe:
    return probe(record);
  case Call::Send_init:
    return persistent(record, SendMode::standard, true);
  case Call::Bsend_init:
    return persistent(record, SendMode::buffered, true);
  case Call::Ssend_init:
    return persistent(record, SendMode::synchronous, true);
  case Call::Rsend_init:
    return persistent(record, SendMode::ready, true);
  case Call::Recv_init:
    return persistent(record, SendMode::standard, false);
  case Call::Start:
    return start(record.word(Field::request));
  case Call::Startall:
    for (const std::int32_t number : record.list(Field::requests))
      start(number);
    return;
  case Call::Request_free:
    persistent_.erase(record.word(Field::request));
    return free_request(record.word(Field::request));
  case Call::Cancel: // the completion says whether it came in time
    return;
  case Call::Grequest_start:
    return begin(record.word(Field::request), {.kind = ActionKind::grequest_start});
  case Call::Grequest_complete: {
    const auto found = pending_.find(record.word(Field::request));
    if (found == pending_.end()) return not_told();
    const std::array ids{found->second.id};
    append({.kind = ActionKind::grequest_complete, .requests = ids});
    return;
  }
  case Call::File_delete:
    append({.kind = ActionKind::file_delete});
    return;
  case Call::Finalize:
    free_all_requests();
    append({.kind = ActionKind::finalize});
    remarks_.finalized = true;
    return;
  case Call::Wait:
  case Call::Test:
  case Call::Waitany:
  case Call::Testany:
  case Call::Waitall:
  case Call::Testall:
  case Call::Waitsome:
  case Call::Testsome:
    return completion(record);
  default:
    return not_told();
  }
}

std::uint64_t Translation::type_size(std::uint16_t type) {
  const auto& sizes = file_.type_sizes();
  if (type < sizes.size() && sizes[type] > 0) return static_cast<std::uint64_t>(sizes[type]);
  if (const auto learnt = learnt_sizes_.find(type); learnt != learnt_sizes_.end()) return learnt->second;
  if (type < first_user_type) return usual_sizes[type];
  ++remarks_.unknown_sizes;
  return 0;
}

Bytes Translation::bytes(std::int32_t count, std::uint16_t type) {
  return count <= 0 ? 0 : static_cast<Bytes>(count) * type_size(type);
}

/// Versions before 0.6.6 do not list the sizes of datatypes: what makes them tells.
void Translation::learn_type(const Record& record) {
  if (!file_.type_sizes().empty()) return;
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  const auto positive = [](std::int32_t number) { return static_cast<std::uint64_t>(std::max(0, number)); };
  std::uint64_t size = 0;
  const auto old = [&] { return type_size(record.half(Field::oldtype)); };
  const auto sum = [&] {
    std::uint64_t all = 0;
    for (const std::int32_t length : record.list(Field::lengths))
      all += positive(length);
    return all;
  };
  switch (static_cast<Call>(record.call)) {
  case Call::Type_contiguous:
    size = positive(record.word(Field::count)) * old();
    break;
  case Call::Type_vector:
  case Call::Type_hvector:
  case Call::Type_create_hvector:
    size = positive(record.word(Field::count)) * positive(record.word(Field::blocklength));
    size = std::min(size, most) * old();
    break;
  case Call::Type_create_indexed_block: {
    size = positive(record.word(Field::count)) * positive(record.word(Field::blocklength));
    size = std::min(size, most) * old();
    break;
  }
  case Call::Type_indexed:
  case Call::Type_hindexed:
  case Call::Type_create_hindexed:
    size = std::min(sum(), most) * old();
    break;
  case Call::Type_create_subarray: {
    size = old();
    for (const std::int32_t length : record.list(Field::lengths))
      size = std::min(size, most) * positive(length);
    break;
  }
  case Call::Type_struct:
  case Call::Type_create_struct: {
    const auto& lengths = record.list(Field::lengths);
    const auto& types = record.list(Field::oldtypes);
    for (std::size_t i = 0; i < std::min(lengths.size(), types.size()); ++i)
      size += positive(lengths[i]) * type_size(static_cast<std::uint16_t>(types[i]));
    break;
  }
  case Call::Type_dup:
  case Call::Type_create_resized:
    size = old();
    break;
  default:
    return;
  }
  learnt_sizes_[record.half(Field::newtype)] = std::min(size, most);
}

std::optional<CommunicatorId> Translation::known(Ordinal ordinal) {
  const auto& mine = shared_.communicators.of_rank[static_cast<std::size_t>(rank_)];
  if (ordinal < mine.size() && mine[ordinal] != no_communicator) return mine[ordinal];
  ++remarks_.unknown_communicators;
  not_told();
  return std::nullopt;
}

bool Translation::set_communicator(Action& action, Field field) {
  const auto id = known(objects_.communicator(record_->half(field)));
  if (id) action.communicator = *id;
  return id.has_value();
}

bool Translation::set_window(Action& action) {
  const auto id = known(objects_.window(record_->half(Field::win)));
  if (id) action.communicator = *id;
  return id.has_value();
}

bool Translation::between_groups(CommunicatorId communicator) const {
  return !shared_.communicators.all[communicator].remote_members.empty();
}

void Translation::send(const Record& record, SendMode mode, bool nonblocking) {
  Action action{.kind = ActionKind::send, .mode = mode};
  if (!set_communicator(action, Field::comm)) return;
  const std::int32_t to = record.word(Field::dest);
  if (to >= 0) {
    action.peer = to;
    action.tag = record.word(Field::tag);
    action.bytes = bytes(Field::count, Field::datatype);
  }
  if (nonblocking) return begin(record.word(Field::request), action);
  if (to >= 0) append(action);
}

/// A receive as it is posted: from any_rank or with any_tag where that is open, from no_rank where nobody sends.
bool Translation::posted(Action& action, Field source, Field tag, Bytes bytes) const {
  const std::int32_t from = record_->word(source);
  if (from < any_source) return false;
  action.peer = from == any_source ? any_rank : from;
  action.tag = record_->word(tag) == any_tag_number ? any_tag : record_->word(tag);
  action.bytes = bytes;
  if (action.peer == any_rank || action.tag == any_tag)
    action.flags = static_cast<std::uint16_t>(action.flags | flag_wildcard);
  return true;
}

/// True where a receive that looks like one from any rank was one from MPI_PROC_NULL.
bool Translation::nobody_sent(const Status* status) const {
  return status == nullptr ? shared_.no_process == any_source : status->source < 0;
}

void Translation::receive() {
  Action action{.kind = ActionKind::receive};
  if (!set_communicator(action, Field::comm)) return;
  if (!posted(action, Field::source, Field::tag, bytes(Field::count, Field::datatype))) return;
  const Status* const status = only_status();
  if (action.peer == any_rank && nobody_sent(status)) return;
  if (status != nullptr) {
    if (action.peer == any_rank) action.peer = status->source;
    if (action.tag == any_tag && status->tag >= 0) action.tag = status->tag;
    action.bytes = static_cast<Bytes>(std::max(0, status->bytes));
  }
  if (action.peer == any_rank || action.tag == any_tag) ++remarks_.unknown_sources;
  if (status != nullptr && action.tag != any_tag) {
    append(action);
    return;
  }
  // Without a status only the buffer's size is known: a receive that is begun, and at once waited for, may say that.
  action.request = take_id();
  append(action);
  const std::array ids{action.request};
  append({.kind = ActionKind::wait, .requests = ids});
  free_.push_back(action.request);
}

void Translation::begin_receive(const Record& record) {
  Action action{.kind = ActionKind::receive};
  if (!set_communicator(action, Field::comm)) return;
  posted(action, Field::source, Field::tag, bytes(Field::count, Field::datatype));
  begin(record.word(Field::request), action);
}

/// Begins what the request of this number stands for.
void Translation::begin(std::int32_t number, Action action) {
  // One number for several requests at once, or one that nobody completed: what it stood for is done, or will be.
  if (pending_.contains(number)) {
    ++remarks_.shared_requests;
    free_request(number);
  }
  Pending pending;
  pending.id = take_id();
  action.request = pending.id;
  pending.action = action;
  pending.block = block_number_;
  pending.position = append(action);
  pending_[number] = pending;
}

RequestId Translation::take_id() {
  if (free_.empty()) return next_request_++;
  const RequestId id = free_.back();
  free_.pop_back();
  return id;
}

void Translation::free_request(std::int32_t number) {
  const auto found = pending_.find(number);
  if (found == pending_.end()) return;
  settle(found->second, nullptr);
  append({.kind = ActionKind::request_free, .request = found->second.id});
  free_.push_back(found->second.id);
  pending_.erase(found);
}

/// Says what a receive has received, now that it is known.
void Translation::settle(const Pending& pending, const Status* status) {
  if (status != nullptr && status->cancelled) {
    append({.kind = ActionKind::cancelled, .request = pending.id});
    return;
  }
  if (pending.action.kind != ActionKind::receive || pending.action.peer == no_rank) return;
  Action got = pending.action;
  const bool nobody = got.peer == any_rank && nobody_sent(status);
  if (nobody) {
    got = {.kind = ActionKind::receive, .communicator = got.communicator, .request = got.request};
  } else {
    if (status != nullptr && status->source >= 0) {
      if (got.peer == any_rank) got.peer = status->source;
      if (got.tag == any_tag && status->tag >= 0) got.tag = status->tag;
      got.bytes = static_cast<Bytes>(std::max(0, status->bytes));
    }
    if (got.peer == any_rank || got.tag == any_tag) {
      ++remarks_.unknown_sources;
      return;
    }
  }
  if (pending.block == block_number_) {
    block_->replace(pending.position, got);
    return;
  }
  const bool open = pending.action.peer == any_rank || pending.action.tag == any_tag;
  if (nobody)
    append({.kind = ActionKind::cancelled, .request = pending.id});
  else if (open)
    append({.kind = ActionKind::resolved,
            .communicator = got.communicator,
            .peer = got.peer,
            .tag = got.tag,
            .bytes = got.bytes,
            .request = pending.id});
}

void Translation::exchange(const Record& record, bool replace) {
  Action action{.kind = replace ? ActionKind::exchange_replace : ActionKind::exchange};
  if (!set_communicator(action, Field::comm)) return;
  const Bytes out = replace ? bytes(Field::count, Field::datatype) : bytes(Field::sendcount, Field::sendtype);
  const Bytes in = replace ? out : bytes(Field::recvcount, Field::recvtype);
  if (record.word(Field::dest) >= 0) {
    action.peer = record.word(Field::dest);
    action.tag = record.word(Field::sendtag);
    action.bytes = out;
  }
  const Status* const status = only_status();
  Action received;
  if (posted(received, Field::source, Field::recvtag, in) && !(received.peer == any_rank && nobody_sent(status))) {
    action.flags = received.flags;
    action.receive_peer = received.peer == any_rank && status != nullptr ? status->source : received.peer;
    action.receive_tag = received.tag == any_tag && status != nullptr && status->tag >= 0 ? status->tag : received.tag;
    action.receive_bytes = status != nullptr ? static_cast<Bytes>(std::max(0, status->bytes)) : in;
    if (action.receive_peer == any_rank || action.receive_tag == any_tag) ++remarks_.unknown_sources;
  }
  if (action.receive_peer != no_rank && status == nullptr) return exchange_into_buffer(action);
  if (action.peer != no_rank || action.receive_peer != no_rank) append(action);
}

/// Without a status the message may be smaller than its buffer, which only receives that are begun may say.
void Translation::exchange_into_buffer(const Action& both) {
  const RequestId in = take_id();
  const RequestId out = both.peer == no_rank ? no_request : take_id();
  append({.kind = ActionKind::receive,
          .flags = both.flags,
          .communicator = both.communicator,
          .peer = both.receive_peer,
          .tag = both.receive_tag,
          .bytes = both.receive_bytes,
          .request = in});
  if (out != no_request)
    append({.kind = ActionKind::send,
            .communicator = both.communicator,
            .peer = both.peer,
            .tag = both.tag,
            .bytes = both.bytes,
            .request = out});
  const std::array ids{in, out};
  const std::span<const RequestId> begun(ids.data(), out == no_request ? 1 : 2);
  append({.kind = ActionKind::wait_all, .requests = begun});
  free_.insert(free_.end(), begun.begin(), begun.end());
}

void Translation::probe(const Record& record) {
  if (record.is(Call::Iprobe) && record.word(Field::flag) == 0) return; // what it waited is in the time around it
  Action action{.kind = record.is(Call::Probe) ? ActionKind::probe : ActionKind::poll,
                .peer = record.word(Field::source),
                .tag = record.word(Field::tag)};
  if (!set_communicator(action, Field::comm)) return;
  if (action.peer < 0 || action.tag < 0) action.flags = flag_wildcard;
  if (const Status* const status = only_status()) {
    action.peer = status->source;
    if (status->tag >= 0) action.tag = status->tag;
    action.bytes = static_cast<Bytes>(std::max(0, status->bytes));
  }
  if (action.peer < 0 || action.tag < 0) return not_told();
  append(action);
}

void Translation::persistent(const Record& record, SendMode mode, bool sends) {
  Action action{.kind = sends ? ActionKind::send : ActionKind::receive, .mode = mode, .flags = flag_persistent};
  if (!set_communicator(action, Field::comm)) return;
  const Bytes size = bytes(Field::count, Field::datatype);
  if (!sends) {
    posted(action, Field::source, Field::tag, size);
  } else if (record.word(Field::dest) >= 0) {
    action.peer = record.word(Field::dest);
    action.tag = record.word(Field::tag);
    action.bytes = size;
  }
  persistent_[record.word(Field::request)] = action;
}

void Translation::start(std::int32_t number) {
  const auto found = persistent_.find(number);
  if (found == persistent_.end()) return not_told();
  begin(number, found->second);
}

void Translation::completion(const Record& record) {
  const auto& listed = record.list(Field::requests);
  const auto one = [&](ActionKind kind, std::int32_t number) {
    complete(kind, std::array{number},
             std::span(record.statuses).first(std::min<std::size_t>(1, record.statuses.size())));
  };
  const auto picked = [&](ActionKind kind) {
    const std::int32_t index = record.word(Field::index);
    if (index >= 0 && static_cast<std::size_t>(index) < listed.size())
      one(kind, listed[static_cast<std::size_t>(index)]);
  };
  switch (static_cast<Call>(record.call)) {
  case Call::Wait:
    return one(ActionKind::wait, record.word(Field::request));
  case Call::Test:
    if (record.word(Field::flag) != 0) one(ActionKind::test, record.word(Field::request));
    return;
  case Call::Waitany:
    return picked(ActionKind::wait_any);
  case Call::Testany:
    if (record.word(Field::flag) != 0) picked(ActionKind::test_any);
    return;
  case Call::Waitall:
    return complete(ActionKind::wait_all, listed, record.statuses);
  case Call::Testall:
    if (record.word(Field::flag) != 0) complete(ActionKind::test_all, listed, record.statuses);
    return;
  default:
    break;
  }
  numbers_.clear();
  chosen_statuses_.clear();
  const auto& indices = record.list(Field::indices);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= listed.size()) continue;
    numbers_.push_back(listed[static_cast<std::size_t>(indices[i])]);
    if (i < record.statuses.size()) chosen_statuses_.push_back(record.statuses[i]);
  }
  if (chosen_statuses_.size() != numbers_.size()) chosen_statuses_.clear();
  complete(record.is(Call::Waitsome) ? ActionKind::wait_some : ActionKind::test_some, numbers_, chosen_statuses_);
}

void Translation::complete(ActionKind kind, std::span<const std::int32_t> numbers, std::span<const Status> statuses) {
  ids_.clear();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto found = numbers[i] == null_request ? pending_.end() : pending_.find(numbers[i]);
    if (found == pending_.end()) continue; // already done, as Open MPI's shared request
    settle(found->second, i < statuses.size() ? &statuses[i] : nullptr);
    ids_.push_back(found->second.id);
    pending_.erase(found);
  }
  if (ids_.empty()) return;
  append({.kind = kind, .requests = ids_});
  free_.insert(free_.end(), ids_.begin(), ids_.end());
}

/// Requests that nobody completes are done, as far as anybody can tell.
void Translation::free_all_requests() {
  std::vector<std::int32_t> rest;
  for (const auto& [number, pending] : pending_)
    rest.push_back(number);
  std::ranges::sort(rest);
  remarks_.left_open += rest.size();
  for (const std::int32_t number : rest)
    free_request(number);
}

Rank Translation::root(const Action& action) const {
  const std::int32_t named = record_->word(Field::root);
  if (named >= 0) return named;
  if (!between_groups(action.communicator)) return no_rank;
  return named == shared_.no_process ? no_rank : root_of_remote_group;
}

bool Translation::collective(const Record& record) {
  const Kind* const kind = find(collective_kinds, record.call);
  if (kind == nullptr) return false;
  Action action{.kind = kind->kind};
  if (!set_communicator(action, Field::comm)) return true;
  const auto counts = [&](Field list, Field type, std::vector<Bytes>& sizes) {
    sizes.clear();
    const std::uint64_t each = type_size(record.half(type));
    for (const std::int32_t count : record.list(list))
      sizes.push_back(static_cast<Bytes>(std::max(0, count)) * each);
  };
  const auto each_own = [&](Field list, Field types, std::vector<Bytes>& sizes) {
    sizes.clear();
    for (std::size_t i = 0; i < record.list(list).size() && i < record.list(types).size(); ++i)
      sizes.push_back(bytes(record.list(list)[i], static_cast<std::uint16_t>(record.list(types)[i])));
  };
  const bool at_root = record.word(Field::commrank) == record.word(Field::root);
  const auto reduction = [&] {
    action.bytes = bytes(Field::count, Field::datatype);
    action.element_bytes = static_cast<std::uint32_t>(type_size(record.half(Field::datatype)));
  };
  switch (kind->kind) {
  case ActionKind::broadcast:
    action.peer = root(action);
    action.bytes = bytes(Field::count, Field::datatype);
    break;
  case ActionKind::reduce:
    action.peer = root(action);
    reduction();
    break;
  case ActionKind::allreduce:
  case ActionKind::scan:
  case ActionKind::exscan:
    reduction();
    break;
  case ActionKind::reduce_scatter:
    counts(Field::recvcounts, Field::datatype, out_);
    action.counts = out_;
    action.element_bytes = static_cast<std::uint32_t>(type_size(record.half(Field::datatype)));
    break;
  case ActionKind::gather:
    action.peer = root(action);
    action.bytes = bytes(Field::sendcount, Field::sendtype);
    if (at_root) action.receive_bytes = bytes(Field::recvcount, Field::recvtype);
    break;
  case ActionKind::scatter:
    action.peer = root(action);
    action.receive_bytes = bytes(Field::recvcount, Field::recvtype);
    if (at_root) action.bytes = bytes(Field::sendcount, Field::sendtype);
    break;
  case ActionKind::gatherv:
    action.peer = root(action);
    action.bytes = bytes(Field::sendcount, Field::sendtype);
    if (at_root) {
      counts(Field::recvcounts, Field::recvtype, in_);
      action.receive_counts = in_;
    }
    break;
  case ActionKind::scatterv:
    action.peer = root(action);
    action.receive_bytes = bytes(Field::recvcount, Field::recvtype);
    if (at_root) {
      counts(Field::sendcounts, Field::sendtype, out_);
      action.counts = out_;
    }
    break;
  case ActionKind::allgather:
  case ActionKind::alltoall:
    action.receive_bytes = bytes(Field::recvcount, Field::recvtype);
    action.bytes = bytes(Field::sendcount, Field::sendtype);
    break;
  case ActionKind::allgatherv:
    action.bytes = bytes(Field::sendcount, Field::sendtype);
    counts(Field::recvcounts, Field::recvtype, in_);
    action.receive_counts = in_;
    break;
  case ActionKind::alltoallv:
    counts(Field::sendcounts, Field::sendtype, out_);
    counts(Field::recvcounts, Field::recvtype, in_);
    action.counts = out_;
    action.receive_counts = in_;
    break;
  case ActionKind::alltoallw:
    each_own(Field::sendcounts, Field::sendtypes, out_);
    each_own(Field::recvcounts, Field::recvtypes, in_);
    action.counts = out_;
    action.receive_counts = in_;
    break;
  default:
    break;
  }
  append(action);
  return true;
}

void Translation::creation(const Record&, const Creation& made) {
  Action action{.kind = made_by(made.how)};
  const auto parent = known(made.parent);
  if (!parent) return;
  action.communicator = *parent;
  const auto& mine = shared_.communicators.of_rank[static_cast<std::size_t>(rank_)];
  if (made.member && made.made < mine.size()) action.new_communicator = mine[made.made];
  if (made.how == Making::window) action.bytes = static_cast<Bytes>(std::max(0, record_->word(Field::size)));
  if (action.new_communicator == no_communicator && made.member) return not_told();
  append(action);
}

bool Translation::window_call(const Record& record) {
  const Kind* const kind = find(window_kinds, record.call);
  if (kind == nullptr) return false;
  Action action{.kind = kind->kind};
  if (!set_window(action)) return true;
  const auto assertion = static_cast<unsigned>(record.word(Field::assertion));
  const auto flags = [&action](bool set, ActionFlag flag) {
    if (set) action.flags = static_cast<std::uint16_t>(action.flags | flag);
  };
  switch (kind->kind) {
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
  case ActionKind::win_start: {
    flags((assertion & 1U) != 0, flag_no_check);
    const auto& mine = shared_.communicators.of_rank[static_cast<std::size_t>(rank_)];
    const auto members = evaluate(*objects_.group(record.half(Field::group)), [&](Ordinal ordinal) {
      return ordinal < mine.size() && mine[ordinal] != no_communicator ? &shared_.communicators.all[mine[ordinal]]
                                                                       : nullptr;
    });
    if (!members) {
      not_told();
      return true;
    }
    ranks_.clear();
    const auto& of_window = shared_.communicators.all[action.communicator].members;
    for (const Rank member : *members)
      ranks_.push_back(static_cast<Rank>(std::ranges::find(of_window, member) - of_window.begin()));
    action.ranks = ranks_;
    break;
  }
  case ActionKind::put:
  case ActionKind::get:
  case ActionKind::accumulate: {
    if (record.word(Field::targetrank) < 0) return true; // MPI_PROC_NULL
    action.peer = record.word(Field::targetrank);
    const Bytes moved = bytes(Field::origincount, Field::origintype);
    (kind->kind == ActionKind::get ? action.receive_bytes : action.bytes) = moved;
    if (kind->kind == ActionKind::accumulate) {
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

bool Translation::file_call(const Record& record) {
  const Kind* const kind = find(file_kinds, record.call);
  if (kind == nullptr) return false;
  Action action{.kind = kind->kind};
  const auto id = known(objects_.file(record.half(Field::file)));
  if (!id) return true;
  action.communicator = *id;
  const auto has = [&](Field field) {
    return std::ranges::any_of(layout(record.call).fields, [field](const LaidOut& one) { return one.field == field; });
  };
  if (kind->kind == ActionKind::file_set_size || kind->kind == ActionKind::file_preallocate) {
    action.bytes = static_cast<Bytes>(std::max<std::int64_t>(0, record.wide(Field::extent)));
  } else if (has(Field::count)) {
    const Status* const status = only_status();
    const Bytes moved =
        status != nullptr ? static_cast<Bytes>(std::max(0, status->bytes)) : bytes(Field::count, Field::datatype);
    (reads(kind->kind) ? action.receive_bytes : action.bytes) = moved;
  }
  if (has(Field::request)) {
    begin(record.word(Field::request), action);
    return true;
  }
  append(action);
  return true;
}

} // namespace timeless::trace::formats::dumpi
