#pragma once

#include "replay/engine/clocks/arrivals.h"
#include "replay/engine/clocks/clock.h"
#include "replay/engine/clocks/incast.h"
#include "replay/engine/clocks/lane_model.h"
#include "replay/engine/clocks/lane_steps.h"
#include "replay/engine/clocks/rank_ports.h"
#include "replay/engine/clocks/rank_range.h"
#include "replay/engine/clocks/send_costs.h"
#include "replay/options/options.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace timeless::replay {

/// Arrivals that a lane that is alone takes together: LaneKernels::receive_together for it.
class PendingArrivals {
public:
  void begin(double now) {
    now_ = now;
    size_ = 0;
  }
  /// Adds an arrival. `work`: seconds that the rank works once it has come.
  void add(const MessageTimes<TimeOnly>& way, double work) {
    // What is over by now and brings no work changes nothing.
    if (way.end.time <= now_ && work == 0) return;
    std::size_t place = size_++;
    for (; place > 0 && ways_[place - 1].way.end.time > way.end.time; --place)
      ways_[place] = ways_[place - 1];
    ways_[place] = {way, work};
  }
  /// Returns when all are over.
  double take(const LaneCounters& counters) const {
    double now = now_;
    for (std::size_t index = 0; index < size_; ++index) {
      const auto& [way, work] = ways_[index];
      now = divide(now, way.start.time, way.middle.time, way.end.time, counters, 0) + work;
    }
    return now;
  }

private:
  struct Arriving {
    MessageTimes<TimeOnly> way;
    double work;
  };
  double now_ = 0;
  std::size_t size_ = 0;
  Arriving ways_[most_together]; ///< in the order of their ends
};

/// The clocks and counters of a range of ranks, in all lanes.
///
/// Computation, copies and overheads only add to three numbers per rank until something arrives, so they and sends cost
/// the same however many lanes there are.
class Clocks {
public:
  Clocks(const Network& network, RankRange local_ranks, const ReplayOptions& options);

  Clock& operator[](std::size_t rank) { return clocks_[rank]; }
  const Clock& operator[](std::size_t rank) const { return clocks_[rank]; }

  /// Fetches into the caches what a rank counts in, as far as that is short. Call it when the rank, whose clock is in
  /// the caches, is about to take something.
  void prefetch(std::size_t rank) const {
    constexpr std::size_t line = 8;
    constexpr std::size_t most_lines = 12;
    const std::size_t lines = std::min((3 * model.lanes() + line - 1) / line, most_lines);
    for (std::size_t one = 0; one < lines; ++one)
      __builtin_prefetch(clocks_[rank].counters + one * line);
  }

  /// Adds a further clock for a rank, for a thread of it: begins when the rank's did.
  void add_beside(std::size_t rank);
  /// Sets the begin of a clock that has counted nothing yet, in seconds.
  void begin_at(Clock& clock, double start);
  /// Sets `beside` to go on from where `clock` is, with counters of its own, which begin at 0: `counters` holds
  /// counters_per_rank() * lanes() values of the model.
  void begin_beside(Clock& beside, const Clock& clock, double* counters) const;
  /// Returns the start of a transfer that ends with `beside`: its end less the latency and bandwidth that it has
  /// counted. Settles it.
  Snapshot begin_of(Clock& beside);

  /// Sets `latest` (empty at first) to the larger of itself and the clock's time, lane by lane, after what is pending.
  void raise_to_clock(Clock& clock, Snapshot& latest);
  /// Sets `latest` (empty at first) to the larger of itself and `arrival`, lane by lane.
  void join(const Snapshot& arrival, Snapshot& latest);

  /// Waits for one arrival, and does what it asks for.
  void take(Clock& clock, const Incoming& incoming);
  /// Waits for several arrivals at once: each lane takes them in the order of their arrival there, equals as listed,
  /// and does what each asks for before it takes the next.
  void take_all(Clock& clock, std::span<const Incoming> incoming);
  /// Waits until messages the rank has sent have arrived, as take_all() would. But nothing pending is folded: a lane in
  /// which none of them was held must not notice, not even by rounding.
  void depart(Clock& clock, std::span<const Incoming> departing);
  /// Returns when a message of this row leaves that waits for its receive in some lanes: the processors of both its
  /// ends have agreed by then.
  Snapshot leave(const Moment& sent, const Moment& posted, std::uint32_t row);
  /// Does the arithmetic of a reduction, at once.
  void reduce(Clock& clock, double bytes);

  // The same for messages, inlined (fast_clocks.h), where fast(): their ends are the same in all lanes, and no port
  // or order of completion is asked for.
  bool fast() const { return sends.uniform() && !ports_ && !arrivals_.listed(); }
  void take_fast(Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead);
  /// Begins what take_all() does, for at most most_together messages: begin, add each, take.
  void begin_fast(const Clock& clock);
  void add_fast(Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead);
  void take_all_fast(Clock& clock);

  /// Sets the clock to what fill(now, out) writes to `out`, whose `now` has what is pending.
  template <typename Fill>
  void advance(Clock& clock, Fill fill) {
    Snapshot out = model.writable(clock);
    fill(model.time(clock), out.values());
    clock.base = std::move(out);
    model.clear_pending(clock);
  }
  /// Brings the clock up to what is pending.
  void settle(Clock& clock);
  /// Changes the last node of the rank's path, without disturbing those who share its time; only in replays with
  /// ReplayOptions::critical_path.
  void set_node(Clock& clock, double node);

  /// Returns true, in a replay of sensitivities, when a rank has completed several messages at once that each take it
  /// time: then the order of their arrival decides what else the time depends on.
  bool order_matters() const { return arrivals_.order_matters(); }
  /// Returns the seconds that the rank's port would fall behind in the first lane; only in replays with
  /// ReplayOptions::incast.
  double incast(std::size_t rank) const { return incasts_.empty() ? 0 : incasts_[rank].seconds(); }
  /// Returns the watches of all ranks; none in other replays.
  std::span<IncastWatch> incasts() { return incasts_; }

  LaneModel model;
  SendCosts sends;

private:
  void do_work(Clock& clock, const Incoming& incoming);
  void take_alone(Clock& clock, const LaneTime& sent, const CostRow& row, double bytes, double overhead);
  void take_message(Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead);
  void add_message(const Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead);
  void take_arrivals(Clock& clock);
  void take_through_port(Clock& clock, std::span<const Incoming> incoming);
  void watch(const Clock& clock, const Incoming& incoming);

  Arrivals arrivals_;
  std::unique_ptr<double[]> counters_;
  std::vector<std::unique_ptr<double[]>> further_counters_; ///< of threads
  std::vector<Clock> clocks_;
  std::optional<RankPorts> ports_;
  bool watches_ = false;             ///< there are incasts_
  std::vector<IncastWatch> incasts_; ///< by rank, of the first lane; empty when nobody asks
  PendingArrivals gathered_;         ///< scratch, as arrivals_ is: of a lane that is alone
};

} // namespace timeless::replay
