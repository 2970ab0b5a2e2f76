// What an engine does with what other engines tell it.
#include "replay/engine/engine.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

using trace::Rank;

namespace {

/// The ticket that a message has here. Where a message could not be taken back, its sender counts one less since.
std::uint64_t ticket_here(const Remote::Arriving& arriving, std::uint64_t ticket) {
  for (auto kept = arriving.kept.rbegin(); kept != arriving.kept.rend(); ++kept)
    if (ticket >= *kept) ++ticket;
  return ticket;
}

} // namespace

void Engine::deliver(int from, const Batch& batch) {
  WordReader words(batch);
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
      receive_unsend(remote_->arriving(from).at(subject), words.number());
      break;
    case RecordKind::partial: {
      const InstanceId id{subject, words.number()};
      combine(id, remote_->read_instance(from, subject, words, clocks_.pool().take()));
      break;
    }
    case RecordKind::result: {
      const InstanceId id{subject, words.number()};
      conclude(id, remote_->read_instance(from, subject, words, clocks_.pool().take()));
      break;
    }
    case RecordKind::left: {
      Snapshot start = clocks_.pool().take();
      remote_->read_values(from, words, start);
      left(subject, std::move(start));
      break;
    }
    case RecordKind::step:
      receive_step(from, {subject, words.number()}, words);
      break;
    case RecordKind::dropped:
      tracer_.value().release(subject);
      break;
    case RecordKind::batch:
      break;
    default:
      throw Error(Failure::runtime, "a message between the processes of a replay makes no sense");
    }
  }
  run_agents();
}

void Engine::learn_channel(int from, std::uint32_t number, WordReader& words) {
  auto& arriving = remote_->arriving(from);
  if (number >= arriving.size()) arriving.resize(std::size_t{number} + 1);
  const std::uint64_t ends = words.number();
  const std::uint64_t name = words.number();
  arriving[number].channel = channels_.number({.source = static_cast<Rank>(high_half(ends)),
                                               .destination = static_cast<Rank>(low_half(ends)),
                                               .communicator = high_half(name),
                                               .tag = static_cast<trace::Tag>(low_half(name))});
}

void Engine::receive_message(int from, std::uint32_t number, WordReader& words) {
  Remote::Arriving& arriving = remote_->arriving(from).at(number);
  Remote::Arrived arrived = remote_->read_message(from, words, clocks_.pool().take());
  Message& message = arrived.message;
  if (message.bytes != arriving.bytes || arrived.rendezvous != arriving.rendezvous || arrived.mode != arriving.mode) {
    const ChannelKey& key = channels_.key(arriving.channel);
    CostRows& rows = clocks_.rows();
    arriving.row = arrived.rendezvous ? rows.rendezvous(key.source, key.destination, message.bytes, arrived.mode)
                                      : rows.message(key.source, key.destination, message.bytes);
    arriving.bytes = message.bytes;
    arriving.rendezvous = arrived.rendezvous;
    arriving.mode = arrived.mode;
  }
  message.row = arriving.row;
  if (care_) {
    const Moment posted = postings_.take(arriving.channel, channels_[arriving.channel].sent);
    if (arrived.handshake != no_handshake) {
      Handshake elsewhere{.start = {}, .channel = arriving.channel};
      elsewhere.origin = from;
      elsewhere.number_there = arrived.handshake;
      message.handshake = handshakes_.begin(std::move(elsewhere));
      if (posted.base) leave(message, posted);
    }
  }
  const std::uint64_t ticket = channels_.send(arriving.channel, std::move(message));
  const Channel& channel = channels_[arriving.channel];
  if (channel.awaited == ticket) wake_receiver(arriving.channel);
}

void Engine::receive_step(int from, const InstanceId& id, WordReader& words) {
  const std::uint64_t ends = words.number();
  Remote::Arrived arrived = remote_->read_message(from, words, clocks_.pool().take());
  Message& message = arrived.message;
  const auto members = communicators_.members(id.first);
  const Rank sender = members[high_half(ends)];
  const Rank receiver = members[low_half(ends)];
  CostRows& rows = clocks_.rows();
  message.row = arrived.rendezvous ? rows.rendezvous(sender, receiver, message.bytes, trace::SendMode::standard)
                                   : rows.message(sender, receiver, message.bytes);
  if (arrived.handshake != no_handshake) {
    Handshake elsewhere;
    elsewhere.origin = from;
    elsewhere.number_there = arrived.handshake;
    message.handshake = handshakes_.begin(std::move(elsewhere));
  }
  const std::uint32_t instance = matching_.expect(id.first, id.second);
  ++matching_[instance].in_flight;
  put_step({instance, high_half(ends), low_half(ends)}, std::move(message));
}

void Engine::receive_unsend(Remote::Arriving& arriving, std::uint64_t ticket) {
  if (channels_.unsend(arriving.channel, ticket_here(arriving, ticket))) return;
  arriving.kept.push_back(ticket);
  note_kept_message(channels_[arriving.channel].destination);
}

std::uint64_t Engine::messages_held() {
  std::uint64_t all = 0;
  for (int process = 0; process < remote_->processes(); ++process)
    for (const Remote::Arriving& arriving : remote_->arriving(process)) {
      const Channel& channel = channels_[arriving.channel];
      all += channel.sent - channel.oldest;
    }
  return all;
}

// ---- collectives

/// All members of this process have come: they are one part of the collective.
void Engine::hand_in(std::uint32_t number) {
  const CollectiveInstance& instance = matching_[number];
  const InstanceId id{instance.first.call.communicator, instance.ordinal};
  const auto& participants = remote_->participants(id.first, communicators_);
  const bool scheduled = instance.first.call.scheduled;
  if (participants.size() == 1) return scheduled ? void() : close(number);
  if (!scheduled) {
    remote_->handed_in.emplace(id, number);
    // Who has no part in it leaves before all have come.
    ++matching_[number].to_leave;
  }
  const Partial partial{instance.first, instance.latest};
  const int coordinator = Remote::coordinator(id, participants);
  if (coordinator == remote_->self())
    combine(id, partial);
  else
    remote_->instance(RecordKind::partial, coordinator, id, partial);
}

/// Adds a part to a collective that this process brings together, and tells all when it was the last.
void Engine::combine(const InstanceId& id, const Partial& partial) {
  Remote::Gathering& gathering = remote_->gatherings[id];
  const Caller& caller = partial.caller;
  if (gathering.parts++ == 0) {
    gathering.all = partial;
  } else {
    unite(gathering.all.caller, caller.call, caller.rank, caller.action, id.second);
    if (partial.latest) clocks_.join(partial.latest, gathering.all.latest);
  }
  const auto& participants = remote_->participants(id.first, communicators_);
  if (gathering.parts < participants.size()) return;
  const Partial all = std::move(gathering.all);
  remote_->gatherings.erase(id);
  if (all.caller.call.scheduled) return;
  for (const int process : participants)
    if (process != remote_->self()) remote_->instance(RecordKind::result, process, id, all);
  conclude(id, all);
}

void Engine::conclude(const InstanceId& id, const Partial& all) {
  const auto handed_in = remote_->handed_in.find(id);
  if (handed_in == remote_->handed_in.end())
    throw Error(Failure::runtime, "the processes of a replay disagree on who meets whom");
  const std::uint32_t number = handed_in->second;
  remote_->handed_in.erase(handed_in);
  CollectiveInstance& instance = matching_[number];
  instance.first.call.shape = all.caller.call.shape;
  instance.first.call.moved = all.caller.call.moved;
  instance.latest = all.latest;
  close(number);
  matching_.leave(number);
}

} // namespace timeless::replay
