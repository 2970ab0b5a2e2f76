#include "replay/engine/explanation/observation.h"

#include "base/mixing.h"
#include "replay/engine/clocks/readings.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

Observation::Observation(Observer& observer, const trace::Run& run, std::span<const std::string> lanes,
                         std::size_t ranks)
    : observer_(observer), lane_(observer.lane(lanes)), ranks_(ranks) {
  observer_.begin(run);
}

std::uint64_t Observation::message(const ChannelKey& channel, std::uint64_t ticket) {
  std::uint64_t bits = mix_bits((std::uint64_t{static_cast<std::uint32_t>(channel.source)} << 32U) |
                                static_cast<std::uint32_t>(channel.destination));
  bits = splitmix64(bits + ((std::uint64_t{channel.communicator} << 32U) | static_cast<std::uint32_t>(channel.tag)));
  return mix_bits(bits + ticket) | 1U;
}

void Observation::start(std::size_t rank, trace::Rank world_rank, double seconds) {
  ranks_[rank].end = seconds;
  observer_.start(world_rank, seconds);
}

void Observation::note_sent(std::size_t rank, const Operation& operation, Channels& channels) {
  Present& present = ranks_[rank].present;
  present.sent = 0;
  if (operation.channel == no_channel) return;
  const std::uint64_t sent = channels[operation.channel].sent;
  if (sent > present.sent_before) present.sent = message(channels.key(operation.channel), sent - 1);
}

void Observation::end(std::size_t rank, Clocks& clocks, const Clock& clock, ObservedAction& action) {
  OfRank& of = ranks_[rank];
  action.start = of.end;
  // What a cut rounds must not end it before it begins.
  action.end = of.end = std::max(of.end, time_of(clocks, clock));
  const std::array parts = {&action.wait, &action.latency, &action.bandwidth, &action.files};
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const double counted = clock.counters[part * clocks.model.lanes() + lane_];
    *parts[part] = counted - std::exchange(of.counted[part], counted);
  }
  action.received = of.present.received;
  observer_.observe(action);
  of.present.received.clear();
}

double Observation::time_of(Clocks& clocks, const Clock& clock) const {
  return began_.plus(shown(clocks.model, clock, lane_));
}

void Observation::add_counters(std::size_t rank, const Clocks& clocks, const Clock& clock, double times) {
  std::array<double, 4>& counted = ranks_[rank].counted;
  for (std::size_t part = 0; part < counted.size(); ++part)
    counted[part] += times * clock.counters[part * clocks.model.lanes() + lane_];
}

void Observation::leave_out(std::size_t rank, Clocks& clocks, const Clock& clock) {
  ranks_[rank].end = time_of(clocks, clock);
  observer_.leave_out();
}

} // namespace timeless::replay
