#include "replay/engine/clocks/clocks.h"
#include "replay/engine/clocks/plain_clocks.h"

/// What clocks show, in one lane.
namespace timeless::replay {

double Clocks::shown(const Clock& clock, std::size_t lane) {
  return time_in<Plain>(lanes(), rates_, time(clock), lane).time;
}

double Clocks::shown(const Moment& moment, std::size_t lane) const {
  return time_in<Plain>(lanes(), rates_, moment.time(), lane).time;
}

RankTimes Clocks::counted(const Clock& clock, std::size_t lane) {
  Clock all{.base = clock.base,
            .seconds_per_unit = clock.seconds_per_unit,
            .volume_folded = clock.volume_folded + clock.volume,
            .copied_folded = clock.copied_folded + clock.copied,
            .overhead_folded = clock.overhead_folded + clock.overhead,
            .reduced = clock.reduced,
            .counters = clock.counters,
            .start = clock.start};
  RankTimes times = this->times(all, lane);
  times.end = shown(clock, lane);
  return times;
}

RankTimes Clocks::times(const Clock& clock, std::size_t lane) const {
  return {.end = clock.base.values()[lane],
          .compute = clock.volume_folded * clock.seconds_per_unit * rows_.compute_scale()[lane],
          .memory_copy = clock.copied_folded * rows_.memory_copy()[lane],
          .overhead = clock.overhead_folded + clock.reduced * rows_.reduction()[lane] +
                      (ends_ ? clock.counters[4 * lanes() + lane] : 0),
          .wait = clock.counters[lane],
          .latency = clock.counters[lanes() + lane],
          .bandwidth = clock.counters[2 * lanes() + lane],
          .files = clock.counters[3 * lanes() + lane],
          .start = clock.start};
}

Traced Clocks::traced(const Clock& clock) {
  return time_in<Traced>(1, rates_, time(clock), 0);
}

void Clocks::set_node(Clock& clock, double node) {
  Snapshot out = writable(clock);
  Traced now = Traced::load(clock.base.values(), 1, 0);
  now.node = node;
  now.store(out.values(), 1, 0);
  clock.base = std::move(out);
}

Sensitivity Clocks::sensitivity(const Clock& clock, std::size_t lane) const {
  const Graded now = Graded::load(clock.base.values(), lanes(), lane);
  return {.latency = latency_first_ ? now.first : now.second,
          .bandwidth = latency_first_ ? now.second : now.first,
          .compute = now.computation};
}

} // namespace timeless::replay
