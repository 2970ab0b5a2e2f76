#include "replay/engine/clocks/lane_model.h"

#include "replay/engine/clocks/eager_limits.h"

#include <algorithm>
#include <limits>

namespace timeless::replay {

namespace {

std::size_t lanes_for(const Network& network, const ReplayOptions& options) {
  return padded_lanes(network.lanes.size() + (options.ideal ? 1 : 0));
}

} // namespace

LaneModel::LaneModel(const Network& network, const ReplayOptions& options)
    : kernels(options.critical_path ? traced_lane_kernels()
                                    : lane_kernels(resolved(options.instruction_set), options.sensitivities)),
      pool(lanes_for(network, options) * kernels.planes),
      rows(network, lanes_for(network, options),
           {eager_limits(network, options), departs_at_once_below(network, options), options.handshake}, options.ideal,
           options.critical_path),
      rates{rows.compute_scale(), rows.memory_copy(), rows.overhead()}, alone(rows.lanes() == 1 && kernels.planes == 1),
      latency_first(options.overlap == Overlap::latency_first), ends(network.overheads_by_lane || network.ports) {}

void LaneModel::materialise(const Clock& clock, double* out) {
  kernels.fold(lanes(), rates,
               {clock.base.values(), clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead}, out);
  if (!clock.pending) return;
  const double* const pending = clock.pending.values();
  for (std::size_t lane = 0; lane < lanes(); ++lane)
    out[lane] += pending[lane];
}

LaneTime LaneModel::time_by_lane(const Clock& clock) {
  if (!own_) own_ = pool.take();
  materialise(clock, own_.values());
  return {own_.values()};
}

Snapshot LaneModel::materialised(const Clock& clock) {
  Snapshot time = pool.take();
  materialise(clock, time.values());
  return time;
}

void LaneModel::set_long_ago(double* numbers) const {
  double* const rest = std::fill_n(numbers, lanes(), -std::numeric_limits<double>::infinity());
  std::fill_n(rest, values() - lanes(), 0.0);
}

double* LaneModel::term() {
  if (terms_used_ == terms_.size()) terms_.push_back(pool.take());
  return terms_[terms_used_++].values();
}

const double* LaneModel::byte_seconds(const CostRow& row, const Incoming& incoming) {
  double* const seconds = term();
  for (std::size_t lane = 0; lane < lanes(); ++lane)
    seconds[lane] = incoming.constants * row.constant[lane] + incoming.bytes * row.byte_time[lane];
  return seconds;
}

} // namespace timeless::replay
