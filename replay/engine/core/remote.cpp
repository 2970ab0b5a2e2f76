#include "replay/engine/core/remote.h"

#include <algorithm>
#include <span>

namespace timeless::replay {

using trace::CommunicatorId;

namespace {

// Of a message's record.
constexpr std::uint32_t flag_rendezvous = 1;
constexpr std::uint32_t mode_places = 1; // the mode stands above the flag
// Of a collective's record.
constexpr std::uint32_t flag_nonblocking = 1;
constexpr std::uint32_t flag_user_operation = 2;
constexpr std::uint32_t flag_commutative = 4;
constexpr std::uint32_t flag_idle = 8;
constexpr std::uint32_t flag_scheduled = 16;
constexpr std::uint32_t flag_latest = 32; ///< somebody's time is there

} // namespace

Remote::Remote(Bus& bus, std::vector<RankRange> ranges, std::size_t batch_bytes, std::uint32_t attempt)
    : bus_(bus), ranges_(std::move(ranges)), batch_bytes_(batch_bytes), attempt_(attempt), outgoing_(ranges_.size()),
      arriving_(ranges_.size()) {}

int Remote::process_of(trace::Rank rank) const {
  const auto after = std::ranges::upper_bound(ranges_, rank, {}, &RankRange::begin);
  return static_cast<int>(after - ranges_.begin()) - 1;
}

void Remote::open(std::uint32_t channel, const ChannelKey& key) {
  if (channel >= process_of_channel_.size()) process_of_channel_.resize(std::size_t{channel} + 1, self());
  const int process = process_of_channel_[channel] = process_of(key.destination);
  ByteWriter& words = begin(process, RecordKind::channel, channel);
  words.put(static_cast<std::uint32_t>(key.source), static_cast<std::uint32_t>(key.destination));
  words.put(key.communicator, static_cast<std::uint32_t>(key.tag));
  complete(process);
}

void Remote::message(std::uint32_t channel, const Message& message) {
  const int process = process_of_channel_[channel];
  ByteWriter& words = begin(process, RecordKind::message, channel);
  put(words, process, message);
  complete(process);
}

void Remote::trace_paths(PathTracer& tracer) {
  tracer_ = &tracer;
  tracer.distribute(self(), [this](int process, std::uint32_t place) {
    begin(process, RecordKind::dropped, place);
    complete(process);
  });
}

void Remote::put(ByteWriter& words, int to, const Snapshot& moment) const {
  words.put(std::span<const double>(moment.values(), values_));
  if (tracer_) tracer_->send(words, to, moment.values());
}

void Remote::read_values(int from, ByteReader& words, Snapshot& values) const {
  words.reals({values.values(), values_});
  if (tracer_) tracer_->receive(words, from, values.values());
}

void Remote::put(ByteWriter& words, int to, const Message& message) const {
  const CostRow& row = (*rows_)[message.row];
  words.put((row.held ? flag_rendezvous : 0U) | static_cast<std::uint32_t>(row.mode) << mode_places, message.handshake);
  words.put(message.sent.work);
  words.put(message.sent.copied);
  words.put(message.sent.overhead);
  words.put(message.bytes);
  words.put(message.receive_overhead);
  put(words, to, message.sent.base);
}

Remote::Arrived Remote::read_message(int from, ByteReader& words, Snapshot values) const {
  Arrived arrived;
  const std::uint64_t protocol = words.number();
  arrived.handshake = low_half(protocol);
  arrived.rendezvous = (high_half(protocol) & flag_rendezvous) != 0;
  arrived.mode = static_cast<trace::SendMode>(high_half(protocol) >> mode_places);
  Message& message = arrived.message;
  message.sent.work = words.real();
  message.sent.copied = words.real();
  message.sent.overhead = words.real();
  message.bytes = words.real();
  message.receive_overhead = words.real();
  read_values(from, words, values);
  message.sent.base = std::move(values);
  return arrived;
}

void Remote::left(int to, std::uint32_t handshake, const Snapshot& start) {
  ByteWriter& words = begin(to, RecordKind::left, handshake);
  put(words, to, start);
  complete(to);
}

void Remote::step(int to, const InstanceId& id, std::uint32_t from_member, std::uint32_t to_member,
                  const Message& message) {
  ByteWriter& words = begin(to, RecordKind::step, id.first);
  words.put(id.second);
  words.put(from_member, to_member);
  put(words, to, message);
  complete(to);
}

void Remote::unsend(std::uint32_t channel, std::uint64_t ticket) {
  const int process = process_of_channel_[channel];
  begin(process, RecordKind::unsend, channel).put(ticket);
  complete(process);
}

const std::vector<int>& Remote::participants(CommunicatorId communicator, const Communicators& communicators) {
  auto& found = participants_[communicator];
  if (!found.empty()) return found;
  for (const trace::Rank member : communicators.members(communicator)) {
    const int process = process_of(member);
    if (found.empty() || found.back() != process) found.push_back(process);
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

void Remote::instance(RecordKind kind, int to, const InstanceId& id, const Partial& partial) {
  const CollectiveCall& call = partial.caller.call;
  const CollectiveShape& shape = call.shape;
  ByteWriter& words = begin(to, kind, id.first);
  words.put(id.second);
  words.put(static_cast<std::uint32_t>(shape.kind),
            (call.nonblocking ? flag_nonblocking : 0U) | (shape.user_operation ? flag_user_operation : 0U) |
                (shape.commutative ? flag_commutative : 0U) | (call.idle ? flag_idle : 0U) |
                (call.scheduled ? flag_scheduled : 0U) | (partial.latest ? flag_latest : 0U));
  words.put(static_cast<std::uint32_t>(call.root), static_cast<std::uint32_t>(partial.caller.rank));
  words.put(partial.caller.action);
  words.put(shape.bytes);
  words.put(shape.members, shape.element_bytes);
  words.put(shape.group, call.algorithm);
  words.put(std::uint64_t{call.moved});
  if (partial.latest) put(words, to, partial.latest);
  complete(to);
}

Partial Remote::read_instance(int from, CommunicatorId communicator, ByteReader& words, Snapshot latest) const {
  Partial partial;
  CollectiveCall& call = partial.caller.call;
  call.communicator = communicator;
  const std::uint64_t kind_and_flags = words.number();
  call.shape.kind = static_cast<trace::ActionKind>(high_half(kind_and_flags));
  call.nonblocking = (kind_and_flags & flag_nonblocking) != 0;
  call.idle = (kind_and_flags & flag_idle) != 0;
  call.scheduled = (kind_and_flags & flag_scheduled) != 0;
  call.shape.user_operation = (kind_and_flags & flag_user_operation) != 0;
  call.shape.commutative = (kind_and_flags & flag_commutative) != 0;
  const std::uint64_t ranks = words.number();
  call.root = static_cast<trace::Rank>(high_half(ranks));
  partial.caller.rank = static_cast<trace::Rank>(low_half(ranks));
  partial.caller.action = words.number();
  call.shape.bytes = words.real();
  const std::uint64_t sizes = words.number();
  call.shape.members = high_half(sizes);
  call.shape.element_bytes = low_half(sizes);
  const std::uint64_t choice = words.number();
  call.shape.group = high_half(choice);
  call.algorithm = low_half(choice);
  call.moved = words.number();
  if ((kind_and_flags & flag_latest) == 0) return partial;
  read_values(from, words, latest);
  partial.latest = std::move(latest);
  return partial;
}

void Remote::flush(int process) {
  ByteWriter& words = outgoing_[static_cast<std::size_t>(process)];
  if (words.empty()) return;
  ++batches_sent_;
  bus_.send(process, words.take());
}

void Remote::flush() {
  for (int process = 0; process < static_cast<int>(outgoing_.size()); ++process)
    flush(process);
}

} // namespace timeless::replay
