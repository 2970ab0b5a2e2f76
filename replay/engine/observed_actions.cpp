#include "replay/engine/observed_actions.h"

namespace timeless::replay {

void expect(Core& core, const Rendezvous& rendezvous, RankState& rank, std::uint32_t number,
            const Operation& operation) {
  Observation::Present& present = core.explanation.observation->present(number);
  if (rank.stage == 0 && operation.channel != no_channel) present.sent_before = core.channels[operation.channel].sent;
  if (operation.step != Step::complete && operation.step != Step::complete_one) return;
  present.received.clear();
  const auto add = [&](trace::RequestId id) {
    const Request& request = rank.requests[id];
    const std::uint32_t channel = rendezvous.receive_channel(request);
    if (channel == no_channel) return;
    present.received.push_back(Observation::message(core.channels.key(channel), request.ticket));
  };
  if (operation.step == Step::complete_one) return add(operation.request);
  for (std::uint32_t i = 0; i < operation.requests; ++i)
    add(rank.program.requests[operation.first_request + i]);
}

void observe(Core& core, RankState& rank, std::uint32_t number, std::uint32_t position, std::uint64_t volume) {
  const std::uint32_t entry = rank.sequence[position];
  const Operation& operation = rank.operations[entry];
  Observation::Present& present = core.explanation.observation->present(number);
  ObservedAction observed{.rank = core.world_rank(number),
                          .thread = rank.several ? rank.thread->all->division.number(rank.thread->place) : 0,
                          .ordinal = rank.ordinal(position),
                          .action = rank.dictionary()[entry],
                          .volume = volume};
  if (operation.channel != no_channel) {
    const ChannelKey& key = core.channels.key(operation.channel);
    const std::uint64_t sent = core.channels[operation.channel].sent;
    observed.destination = key.destination;
    if (rank.several)
      observed.sent = present.sent;
    else if (sent > present.sent_before)
      observed.sent = Observation::message(key, sent - 1);
  }
  if (operation.receive_channel != no_channel) {
    const ChannelKey& key = core.channels.key(operation.receive_channel);
    observed.source = key.source;
    const bool receives = operation.step == Step::receive || operation.step == Step::receive_rendezvous ||
                          operation.step == Step::exchange;
    if (receives && operation.request == trace::no_request)
      present.received.push_back(Observation::message(key, rank.ticket));
  }
  core.explanation.observation->end(number, core.clocks, core.clocks[number], observed);
}

} // namespace timeless::replay
