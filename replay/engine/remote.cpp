#include "replay/engine/remote.h"

#include <algorithm>

namespace timeless::replay {

using trace::CommunicatorId;

Remote::Remote(Bus& bus, std::vector<Share> shares, std::size_t batch_words)
    : bus_(bus), shares_(std::move(shares)), batch_words_(batch_words), outgoing_(shares_.size()),
      arriving_(shares_.size()) {}

int Remote::process_of(trace::Rank rank) const {
  const auto after = std::ranges::upper_bound(shares_, rank, {}, &Share::begin);
  return static_cast<int>(after - shares_.begin()) - 1;
}

void Remote::open(std::uint32_t channel, const ChannelKey& key) {
  if (channel >= process_of_channel_.size()) process_of_channel_.resize(std::size_t{channel} + 1, self());
  const int process = process_of_channel_[channel] = process_of(key.destination);
  WordWriter words = begin(process, RecordKind::channel, channel);
  words.put(static_cast<std::uint32_t>(key.source), static_cast<std::uint32_t>(key.destination));
  words.put(key.communicator, static_cast<std::uint32_t>(key.tag));
  complete(process);
}

void Remote::message(std::uint32_t channel, const Message& message) {
  const int process = process_of_channel_[channel];
  WordWriter words = begin(process, RecordKind::message, channel);
  words.put(message.sent.work);
  words.put(message.sent.copied);
  words.put(message.sent.overhead);
  words.put(message.bytes);
  words.put(message.receive_overhead);
  words.put(message.sent.base.values(), values_);
  complete(process);
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

void Remote::meeting(RecordKind kind, int to, const MeetingId& id, const Partial& partial) {
  const CollectiveCall& call = partial.caller.call;
  const CollectiveShape& shape = call.shape;
  WordWriter words = begin(to, kind, id.first);
  words.put(id.second);
  words.put(static_cast<std::uint32_t>(shape.kind),
            (call.nonblocking ? 1U : 0U) | (shape.user_operation ? 2U : 0U) | (shape.commutative ? 4U : 0U));
  words.put(static_cast<std::uint32_t>(call.root), static_cast<std::uint32_t>(partial.caller.rank));
  words.put(partial.caller.action);
  words.put(shape.bytes);
  words.put(shape.members, shape.element_bytes);
  words.put(partial.latest.values(), values_);
  complete(to);
}

Partial Remote::read_meeting(CommunicatorId communicator, WordReader& words, Snapshot latest) const {
  Partial partial;
  CollectiveCall& call = partial.caller.call;
  call.communicator = communicator;
  const std::uint64_t kind_and_flags = words.number();
  call.shape.kind = static_cast<trace::ActionKind>(high_half(kind_and_flags));
  call.nonblocking = (kind_and_flags & 1U) != 0;
  call.shape.user_operation = (kind_and_flags & 2U) != 0;
  call.shape.commutative = (kind_and_flags & 4U) != 0;
  const std::uint64_t ranks = words.number();
  call.root = static_cast<trace::Rank>(high_half(ranks));
  partial.caller.rank = static_cast<trace::Rank>(low_half(ranks));
  partial.caller.action = words.number();
  call.shape.bytes = words.real();
  const std::uint64_t sizes = words.number();
  call.shape.members = high_half(sizes);
  call.shape.element_bytes = low_half(sizes);
  words.reals(latest.values(), values_);
  partial.latest = std::move(latest);
  return partial;
}

void Remote::flush(int process) {
  Batch& batch = outgoing_[static_cast<std::size_t>(process)];
  if (batch.empty()) return;
  ++batches_sent_;
  bus_.send(process, std::exchange(batch, {}));
}

void Remote::flush() {
  for (int process = 0; process < static_cast<int>(outgoing_.size()); ++process)
    flush(process);
}

} // namespace timeless::replay
