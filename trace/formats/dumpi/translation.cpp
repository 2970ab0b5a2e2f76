#include "trace/formats/dumpi/translation.h"
#include "trace/formats/dumpi/call_kinds.h"

#include <algorithm>
#include <array>
#include <utility>

namespace timeless::trace::formats::dumpi {

Translation::Translation(const RankFile& file, const RunState& shared, Rank rank, RunState* growing)
    : shared_(shared), rank_(rank), growing_(growing), types_(file) {}

namespace {

/// What the program says of its own functions is no call of MPI.
bool is_mark(const Record& record) {
  return record.is(Call::Function_enter) || record.is(Call::Function_exit);
}

} // namespace

std::uint64_t Translation::end_of(const Record& record) const {
  return shared_.counted.nonblocking && nonblocking(record.call) ? record.entry : record.exit;
}

std::size_t Translation::append(const Action& action) {
  const std::size_t position = block_->append(action);
  if (record_->timed)
    times_.add_action(record_->entry, end_of(*record_));
  else
    times_.add_action();
  return position;
}

/// Adds what the rank did since the call before, of those that matter.
void Translation::compute(const Record& record) {
  if (!record.timed) return;
  const std::optional<std::uint64_t> computed = times_.compute_until(record.entry);
  if (!computed) return;
  const std::pair between(last_call_, record.call);
  KernelId kernel = no_kernel;
  if (growing_ != nullptr)
    kernel = growing_->kernels.emplace(between, static_cast<KernelId>(growing_->kernels.size())).first->second;
  else if (const auto found = shared_.kernels.find(between); found != shared_.kernels.end())
    kernel = found->second;
  block_->append_compute(kernel, *computed);
}

void Translation::translate(const Record& record, ActionBlock& block) {
  block_ = &block;
  record_ = &record;
  types_.learn(record);
  const auto made = objects_.follow(record);
  if (record.is(Call::Init) || record.is(Call::Init_thread)) {
    times_.start(record.timed ? record.exit : 0);
    last_call_ = record.call;
    return;
  }
  if (remarks_.finalized) return;
  if (!matters(record.call)) {
    if (times_.started() && record.timed && !shared_.counted.local && !is_mark(record))
      times_.leave_out(record.entry, record.exit);
    return;
  }
  if (!times_.started()) // recorded from somewhere in the program on
    times_.start(record.timed ? record.entry : 0);
  compute(record);
  times_.begin_call();
  if (made) {
    creation(*made);
  } else if (!collective(record) && !file_call(record) && !window_call(record)) {
    point_to_point(record);
  }
  if (record.timed) times_.end_call(end_of(record));
  last_call_ = record.call;
  remarks_.duration = times_.last_exit();
}

void Translation::not_told() {
  ++remarks_.unrecorded[std::string(layout(record_->call).name)];
}

void Translation::complete_generalized(std::int32_t number) {
  const PendingRequest* const found = pending_.find(number);
  if (found == nullptr) return not_told();
  const std::array ids{found->id};
  append({.kind = ActionKind::grequest_complete, .requests = ids});
}

void Translation::finalize() {
  free_all_requests();
  append({.kind = ActionKind::finalize});
  remarks_.finalized = true;
}

void Translation::point_to_point(const Record& record) {
  if (const auto sends = send_call(record.call))
    return sends->persistent ? persistent(record, sends->mode, true) : send(record, sends->mode, sends->nonblocking);
  switch (static_cast<Call>(record.call)) {
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
  case Call::Grequest_complete:
    return complete_generalized(record.word(Field::request));
  case Call::File_delete:
    append({.kind = ActionKind::file_delete});
    return;
  case Call::Finalize:
    return finalize();
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
  const auto size = types_.of(type);
  if (!size) ++remarks_.unknown_sizes;
  return size.value_or(0);
}

Bytes Translation::bytes(std::int32_t count, std::uint16_t type) {
  return count <= 0 ? 0 : static_cast<Bytes>(count) * type_size(type);
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

} // namespace timeless::trace::formats::dumpi
