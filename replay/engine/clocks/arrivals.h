#pragma once

#include "replay/engine/clocks/clock.h"
#include "replay/engine/clocks/lane_kernels.h"
#include "replay/engine/clocks/lane_model.h"
#include "replay/engine/clocks/rank_ports.h"
#include "replay/options/options.h"

#include <cstddef>
#include <span>
#include <vector>

namespace timeless::replay {

/// What a rank takes at once, in all lanes, and the work that it does for each thing that has come.
class Arrivals {
public:
  Arrivals(LaneModel& model, const ReplayOptions& options)
      : model_(model), listed_(options.completions == CompletionOrder::as_listed) {}

  /// Returns the work that something asks for once it has come.
  LaneWork work(const Incoming& incoming);
  /// Counts that work.
  void count_work(Clock& clock, const Incoming& incoming) const;

  void clear();
  void add(const Incoming& incoming);
  void add(const LaneArrival& arrival);
  /// Takes, from `from` on, what has been added, as it comes.
  void receive(const Clock& clock, const LaneTime& from, double* out);
  /// Takes them as receive() does, those that have a port through it.
  void receive_through_port(const Clock& clock, const LaneTime& from, const LaneEntrance& port, double* out);
  /// Takes several things in the order that the options ask for.
  void receive_all(const Clock& clock, LaneTime from, std::span<const Incoming> incoming, double* out);

  bool listed() const { return listed_; }
  /// Returns true when a rank has taken several messages at once that each take it time: then the order of their
  /// arrival decides what else the time depends on.
  bool order_matters() const { return order_matters_; }

private:
  LaneWork work_by_lane(const Incoming& incoming);
  LaneWork work_of_collective(const Incoming& incoming);
  double seconds(const Incoming& incoming, std::size_t lane) const;

  LaneModel& model_;
  const bool listed_; ///< CompletionOrder::as_listed
  bool order_matters_ = false;
  std::vector<LaneArrival> arrivals_;
  std::size_t working_ = 0; ///< of these, those with work
};

inline LaneWork Arrivals::work(const Incoming& incoming) {
  if (incoming.collective != nullptr) [[unlikely]]
    return work_of_collective(incoming);
  if (model_.ends && incoming.received) [[unlikely]]
    return work_by_lane(incoming);
  return {incoming.overhead, model_.rows.overhead()};
}

inline void Arrivals::clear() {
  arrivals_.clear();
  working_ = 0;
  model_.end_terms(0);
}

inline void Arrivals::add(const Incoming& incoming) {
  const LaneWork work = this->work(incoming);
  add({incoming.sent, model_.transfer(incoming), work, incoming.port});
}

inline void Arrivals::add(const LaneArrival& arrival) {
  if (arrival.work.amount != 0) ++working_;
  arrivals_.push_back(arrival);
}

} // namespace timeless::replay
