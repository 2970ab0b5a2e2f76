#include "trace/formats/dumpi/translation.h"

#include <algorithm>
#include <array>

namespace timeless::trace::formats::dumpi {

namespace {

constexpr std::int32_t any_source = -1;
constexpr std::int32_t any_tag_number = -1;

} // namespace

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

/// Fills in a receive as it is posted: from any_rank or with any_tag where that is open, from no_rank where nobody
/// sends.
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

/// Returns true where a receive that looks like one from any rank was one from MPI_PROC_NULL.
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
  action.request = pending_.take_id();
  append(action);
  const std::array ids{action.request};
  append({.kind = ActionKind::wait, .requests = ids});
  pending_.give_back(ids);
}

void Translation::begin_receive(const Record& record) {
  Action action{.kind = ActionKind::receive};
  if (!set_communicator(action, Field::comm)) return;
  posted(action, Field::source, Field::tag, bytes(Field::count, Field::datatype));
  begin(record.word(Field::request), action);
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
  const RequestId in = pending_.take_id();
  const RequestId out = both.peer == no_rank ? no_request : pending_.take_id();
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
  pending_.give_back(begun);
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

} // namespace timeless::trace::formats::dumpi
