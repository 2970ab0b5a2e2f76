#include "replay/engine/deliveries.h"

#include "replay/engine/core/messages.h"

#include <utility>

namespace timeless::replay {

using trace::Rank;

namespace {

/// Returns the ticket that a message has here. Where a message could not be taken back, its sender counts one less
/// since.
std::uint64_t ticket_here(const Remote::Arriving& arriving, std::uint64_t ticket) {
  for (auto kept = arriving.kept.rbegin(); kept != arriving.kept.rend(); ++kept)
    if (ticket >= *kept) ++ticket;
  return ticket;
}

} // namespace

void Deliveries::deliver(int from, const Batch& batch) {
  ByteReader words(batch, ByteReader::From::process);
  while (!words.empty()) {
    const std::uint64_t head = words.number();
    const std::uint32_t subject = low_half(head);
    switch (static_cast<RecordKind>(high_half(head))) {
    case RecordKind::channel:
      learn_channel(from, subject, words);
      break;
    case RecordKind::message:
      receive_message(from, subject, words);
      break;
    case RecordKind::unsend:
      receive_unsend(core_.remote->arriving(from).at(subject), words.number());
      break;
    case RecordKind::partial: {
      const InstanceId id{subject, words.number()};
      collectives_.combine(id, core_.remote->read_instance(from, subject, words, core_.clocks.model.pool.take()));
      break;
    }
    case RecordKind::result: {
      const InstanceId id{subject, words.number()};
      collectives_.conclude(id, core_.remote->read_instance(from, subject, words, core_.clocks.model.pool.take()));
      break;
    }
    case RecordKind::left: {
      Snapshot start = core_.clocks.model.pool.take();
      core_.remote->read_values(from, words, start);
      rendezvous_.left(subject, std::move(start));
      break;
    }
    case RecordKind::step:
      receive_step(from, {subject, words.number()}, words);
      break;
    case RecordKind::dropped:
      core_.explanation.paths.value().release(subject);
      break;
    case RecordKind::batch:
      break;
    default:
      throw Error(Failure::runtime, "a message between the processes of a replay makes no sense");
    }
  }
  scheduled_.run_async();
}

void Deliveries::learn_channel(int from, std::uint32_t number, ByteReader& words) {
  auto& arriving = core_.remote->arriving(from);
  if (number >= arriving.size()) arriving.resize(std::size_t{number} + 1);
  const std::uint64_t ends = words.number();
  const std::uint64_t name = words.number();
  arriving[number].channel = core_.channels.number({.source = static_cast<Rank>(high_half(ends)),
                                                    .destination = static_cast<Rank>(low_half(ends)),
                                                    .communicator = high_half(name),
                                                    .tag = static_cast<trace::Tag>(low_half(name))});
}

void Deliveries::receive_message(int from, std::uint32_t number, ByteReader& words) {
  Remote::Arriving& arriving = core_.remote->arriving(from).at(number);
  Remote::Arrived arrived = core_.remote->read_message(from, words, core_.clocks.model.pool.take());
  Message& message = arrived.message;
  if (message.bytes != arriving.bytes || arrived.rendezvous != arriving.rendezvous || arrived.mode != arriving.mode) {
    const ChannelKey& key = core_.channels.key(arriving.channel);
    CostRows& rows = core_.clocks.model.rows;
    arriving.row = arrived.rendezvous ? rows.rendezvous(key.source, key.destination, message.bytes, arrived.mode)
                                      : rows.message(key.source, key.destination, message.bytes);
    arriving.bytes = message.bytes;
    arriving.rendezvous = arrived.rendezvous;
    arriving.mode = arrived.mode;
  }
  message.row = arriving.row;
  if (core_.rendezvous_path) {
    const Moment posted = rendezvous_.posted(arriving.channel);
    rendezvous_.agree_elsewhere(message, arriving.channel, from, arrived.handshake);
    if (message.handshake != no_handshake && posted.base) rendezvous_.leave(message, posted);
  }
  put_message(core_, arriving.channel, [&] { return std::move(message); });
}

void Deliveries::receive_step(int from, const InstanceId& id, ByteReader& words) {
  const std::uint64_t ends = words.number();
  Remote::Arrived arrived = core_.remote->read_message(from, words, core_.clocks.model.pool.take());
  Message& message = arrived.message;
  const auto members = core_.communicators.members(id.first);
  const Rank sender = members[high_half(ends)];
  const Rank receiver = members[low_half(ends)];
  CostRows& rows = core_.clocks.model.rows;
  message.row = arrived.rendezvous ? rows.rendezvous(sender, receiver, message.bytes, trace::SendMode::standard)
                                   : rows.message(sender, receiver, message.bytes);
  rendezvous_.agree_elsewhere(message, 0, from, arrived.handshake);
  CollectiveMatching& matching = collectives_.matching;
  const std::uint32_t instance = matching.expect(id.first, id.second);
  ++matching[instance].in_flight;
  scheduled_.put({instance, high_half(ends), low_half(ends)}, std::move(message));
}

void Deliveries::receive_unsend(Remote::Arriving& arriving, std::uint64_t ticket) {
  if (core_.channels.unsend(arriving.channel, ticket_here(arriving, ticket))) return;
  arriving.kept.push_back(ticket);
  core_.not_modelled.add(Unmodelled::cancelled_after_receipt, core_.channels[arriving.channel].destination);
}

std::uint64_t Deliveries::messages_held() {
  std::uint64_t all = 0;
  for (int process = 0; process < core_.remote->processes(); ++process)
    for (const Remote::Arriving& arriving : core_.remote->arriving(process)) {
      const Channel& channel = core_.channels[arriving.channel];
      all += channel.sent - channel.oldest;
    }
  return all;
}

} // namespace timeless::replay
