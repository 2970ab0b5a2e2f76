#include "replay/engine/clocks/readings.h"

#include "replay/engine/clocks/lane_steps.h"

namespace timeless::replay {

double shown(LaneModel& model, const Clock& clock, std::size_t lane) {
  return time_in<TimeOnly>(model.lanes(), model.rates, model.time(clock), lane).time;
}

double shown(const LaneModel& model, const Moment& moment, std::size_t lane) {
  return time_in<TimeOnly>(model.lanes(), model.rates, moment.time(), lane).time;
}

RankTimes counted(LaneModel& model, const Clock& clock, std::size_t lane) {
  Clock all{.base = clock.base,
            .seconds_per_unit = clock.seconds_per_unit,
            .volume_folded = clock.volume_folded + clock.volume,
            .copied_folded = clock.copied_folded + clock.copied,
            .overhead_folded = clock.overhead_folded + clock.overhead,
            .reduced = clock.reduced,
            .counters = clock.counters,
            .start = clock.start};
  RankTimes times = replay::times(model, all, lane);
  times.end = shown(model, clock, lane);
  return times;
}

RankTimes times(const LaneModel& model, const Clock& clock, std::size_t lane) {
  return {.end = clock.base.values()[lane],
          .compute = clock.volume_folded * clock.seconds_per_unit * model.rows.compute_scale()[lane],
          .memory_copy = clock.copied_folded * model.rows.memory_copy()[lane],
          .overhead = clock.overhead_folded + clock.reduced * model.rows.reduction()[lane] +
                      (model.ends ? clock.counters[4 * model.lanes() + lane] : 0),
          .wait = clock.counters[lane],
          .latency = clock.counters[model.lanes() + lane],
          .bandwidth = clock.counters[2 * model.lanes() + lane],
          .files = clock.counters[3 * model.lanes() + lane],
          .start = clock.start};
}

Traced traced(LaneModel& model, const Clock& clock) {
  return time_in<Traced>(1, model.rates, model.time(clock), 0);
}

Sensitivity sensitivity(const LaneModel& model, const Clock& clock, std::size_t lane) {
  const Graded now = Graded::load(clock.base.values(), model.lanes(), lane);
  return {.latency = model.latency_first ? now.first : now.second,
          .bandwidth = model.latency_first ? now.second : now.first,
          .compute = now.computation};
}

} // namespace timeless::replay
