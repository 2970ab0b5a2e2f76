#pragma once

#include "replay/collectives/collectives.h"
#include "replay/engine/clocks/clock.h"
#include "replay/engine/clocks/cost_rows.h"
#include "replay/engine/clocks/incast.h"
#include "replay/engine/clocks/lane_kernels.h"
#include "replay/engine/clocks/lane_steps.h"
#include "replay/engine/clocks/rank_ports.h"
#include "replay/engine/clocks/rank_range.h"
#include "replay/engine/clocks/snapshot.h"
#include "replay/options/options.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace timeless::replay {

/// What a lane that is alone takes at once: LaneKernels::receive_together for it.
class Gathered {
public:
  void begin(double now) {
    now_ = now;
    size_ = 0;
  }
  /// `work`: seconds that the rank works once it has come.
  void add(const Way<Plain>& way, double work) {
    // What is over by now and brings no work changes nothing.
    if (way.end.time <= now_ && work == 0) return;
    std::size_t place = size_++;
    for (; place > 0 && ways_[place - 1].way.end.time > way.end.time; --place)
      ways_[place] = ways_[place - 1];
    ways_[place] = {way, work};
  }
  /// When all are over.
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
    Way<Plain> way;
    double work;
  };
  double now_ = 0;
  std::size_t size_ = 0;
  Arriving ways_[most_together]; ///< in the order of their ends
};

/// The clocks and counters of a share of ranks, in all lanes.
///
/// Computation, copies and overheads only add to three numbers per rank until something arrives, so they and sends cost
/// the same however many lanes there are.
class Clocks {
public:
  Clocks(const Network& network, RankRange share, const ReplayOptions& options);

  CostRows& rows() { return rows_; }
  SnapshotPool& pool() { return pool_; }
  std::size_t lanes() const { return rows_.lanes(); }
  const LaneKernels& kernels() const { return kernels_; }
  const LaneRates& rates() const { return rates_; }
  /// Overlap::latency_first
  bool latency_first() const { return latency_first_; }

  Clock& operator[](std::size_t rank) { return clocks_[rank]; }
  const Clock& operator[](std::size_t rank) const { return clocks_[rank]; }

  /// A rank whose clock is in the caches is about to take something: fetches what it counts in, as far as that is
  /// short.
  void prefetch(std::size_t rank) const {
    constexpr std::size_t line = 8;
    constexpr std::size_t most_lines = 12;
    const std::size_t lines = std::min((3 * lanes() + line - 1) / line, most_lines);
    for (std::size_t one = 0; one < lines; ++one)
      __builtin_prefetch(clocks_[rank].counters + one * line);
  }

  /// The rank's time now; it goes on without disturbing what this returns.
  Moment now(const Clock& clock) {
    if (clock.pending) [[unlikely]]
      return {materialised(clock)};
    return plain_now(clock);
  }
  /// The same where no overheads differ by lane.
  static Moment plain_now(const Clock& clock) {
    return {clock.base, clock.volume * clock.seconds_per_unit, clock.copied, clock.overhead};
  }

  /// The overhead and the copy of a message that the rank sends now; `overhead` is the part that is the same in all
  /// lanes.
  void pay_for_send(Clock& clock, std::uint32_t row, Overhead which, double bytes, double overhead) {
    clock.overhead += overhead;
    clock.copied += bytes;
    if (special_sends_) [[unlikely]]
      pay_specially(clock, row, which, bytes);
  }
  /// The overhead of a one-sided transfer: that of a nonblocking send, without a copy.
  void pay_for_transfer(Clock& clock, std::uint32_t row, double bytes, double overhead) {
    clock.overhead += overhead;
    if (ends_) [[unlikely]]
      spend(clock, rows_[row].ends->nonblocking_send, bytes);
  }
  /// When that message sets off: at once, or when the rank's port is free.
  Moment set_off(Clock& clock, std::uint32_t row, double bytes) {
    if (ends_) [[unlikely]]
      return rows_[row].ends->port.fixed != nullptr ? pass_port(clock, rows_[row], bytes) : now(clock);
    return plain_now(clock);
  }
  /// A message that had to wait for its receive, of this departure's row, has left at `start`, and its sender is done
  /// with it: that kept the port.
  void hold_port(Clock& clock, const Snapshot& start, std::uint32_t row, double bytes) {
    if (ends_ && rows_[row].ends->port.fixed != nullptr) [[unlikely]]
      keep_port(clock, start, rows_[row], bytes);
  }

  /// A further clock for a rank, for a thread of it: begins when the rank's did.
  void add_beside(std::size_t rank);

  /// Lets the clock, which has counted nothing yet, begin at this time, in seconds.
  void begin_at(Clock& clock, double start);
  /// Brings the clock up to what is pending, and lets `latest` (empty at first) become the later of both, lane by lane.
  void meet(Clock& clock, Snapshot& latest);
  /// Lets `latest` (empty at first) become the later of both, lane by lane.
  void join(const Snapshot& arrival, Snapshot& latest);
  /// Waits for one arrival, and does what it asks for.
  void take(Clock& clock, const Incoming& incoming);

  // The same for messages, inlined (plain_clocks.h), where plain(): their ends are the same in all lanes, and no port
  // or order of completion is asked for.
  bool plain() const { return !special_sends_ && !ports_ && !listed_; }
  void take_fast(Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead);
  /// take_all() of at most most_together messages: begin, add each, take.
  void begin_fast(const Clock& clock);
  void add_fast(Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead);
  void take_all_fast(Clock& clock);

  /// When a message of this row left that waits for its receive in some lanes: its ends' processors have agreed.
  Snapshot leave(const Moment& sent, const Moment& posted, std::uint32_t row);
  /// Waits until messages the rank has sent have arrived, as take_all() would. But nothing pending is folded: a lane in
  /// which none of them was held must not notice, not even by rounding.
  void depart(Clock& clock, std::span<const Incoming> departing);
  /// Waits for several arrivals at once: each lane takes them in the order of their arrival there, equals as listed,
  /// and does what each asks for before it takes the next.
  void take_all(Clock& clock, std::span<const Incoming> incoming);
  /// Does the arithmetic of a reduction, at once.
  void reduce(Clock& clock, double bytes);

  /// Lets `beside` go on from where `clock` is, with counters of its own, which begin at 0: `counters` holds
  /// counters_per_rank * lanes() values.
  void begin_beside(Clock& beside, const Clock& clock, double* counters) const;
  /// Returns the start of a transfer that ends with `beside`: its end less the latency and bandwidth that it has
  /// counted. Settles it.
  Snapshot begin_of(Clock& beside);

  /// The clock's time with what is pending, valid until anything is asked of the clocks again.
  LaneTime time(const Clock& clock);
  /// What something on its way costs, valid likewise.
  LaneTransfer cost(const Incoming& incoming);
  /// Where a clock counts waiting, latency and bandwidth.
  LaneCounters counters(const Clock& clock) const;
  /// Sets the clock to what fill(now, out) writes to `out`, whose `now` has what is pending.
  template <typename Fill>
  void advance(Clock& clock, Fill fill) {
    Snapshot out = writable(clock);
    fill(time(clock), out.values());
    clock.base = std::move(out);
    clear_pending(clock);
  }
  /// Brings the clock up to what is pending.
  void settle(Clock& clock);
  /// The time in one lane, with what is pending, as settling would have it.
  double shown(const Clock& clock, std::size_t lane);
  double shown(const Moment& moment, std::size_t lane) const;
  /// What has been counted in one lane, with what is pending.
  RankTimes counted(const Clock& clock, std::size_t lane);
  /// What lane `lane` holds of a settled clock.
  RankTimes times(const Clock& clock, std::size_t lane) const;
  /// True when a rank has completed several messages at once that each take it time, in a replay of sensitivities: then
  /// the order of their arrival decides what else the time depends on.
  bool order_matters() const { return order_matters_; }
  /// Seconds that the rank's port would fall behind in the first lane; only in replays with ReplayOptions::incast.
  double incast(std::size_t rank) const { return incasts_.empty() ? 0 : incasts_[rank].seconds(); }
  /// The path to it; only in replays with ReplayOptions::sensitivities.
  Sensitivity sensitivity(const Clock& clock, std::size_t lane) const;
  /// The rank's time now, with what is pending; only in replays with ReplayOptions::critical_path, as the next.
  Traced traced(const Clock& clock);
  /// Changes the last node of the rank's path, without disturbing those who share its time.
  void set_node(Clock& clock, double node);

  /// Lists of lanes that a clock counts in: wait, latency, bandwidth, files, and overheads where these differ by lane.
  std::size_t counters_per_rank() const { return ends_ ? 5 : 4; }

private:
  LaneTransfer transfer(const Incoming& incoming);
  LaneTransfer usual_transfer(const CostRow& row, double messages, double bytes) const;
  void add_arrival(const Incoming& incoming);
  void clear_arrivals();
  LaneWork work(const Incoming& incoming);
  LaneWork work_by_lane(const Incoming& incoming);
  LaneWork work_of_collective(const Incoming& incoming);
  double message_seconds(const Incoming& incoming, std::size_t lane) const;
  void do_work(Clock& clock, const Incoming& incoming);
  void count_work(Clock& clock, const Incoming& incoming) const;
  void take_alone(Clock& clock, const LaneTime& sent, const CostRow& row, double bytes, double overhead);
  void take_message(Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead);
  void add_message(const Clock& clock, const Moment& sent, std::uint32_t row, double bytes, double overhead);
  void take_arrivals(Clock& clock);
  double* term();
  const double* byte_seconds(const CostRow& row, const Incoming& incoming);
  LaneCounters counters(const Clock& clock, std::size_t lanes) const;
  void watch(const Clock& clock, const Incoming& incoming);
  void take_through_port(Clock& clock, std::span<const Incoming> incoming);
  void receive_all(const Clock& clock, LaneTime from, std::span<const Incoming> incoming, double* out);
  void receive_arrivals(const Clock& clock, const LaneTime& from, double* out);
  void clear_pending(Clock& clock);
  LaneTime time_by_lane(const Clock& clock);
  Snapshot materialised(const Clock& clock);
  void materialise(const Clock& clock, double* out);
  void pay_specially(Clock& clock, std::uint32_t row, Overhead which, double bytes);
  void spend(Clock& clock, const SecondsRow& seconds, double bytes);
  Moment pass_port(Clock& clock, const CostRow& row, double bytes);
  void keep_port(Clock& clock, const Snapshot& start, const CostRow& row, double bytes);
  double* own_port(Snapshot& port);
  void occupy(double* port, std::size_t lane, const double* start, const CostRow& row, double bytes) const;
  Snapshot writable(const Clock& clock);

  const LaneKernels& kernels_;
  SnapshotPool pool_;
  CostRows rows_;
  LaneRates rates_;
  bool alone_; ///< a single lane of plain numbers: not worth a kernel's call
  bool latency_first_;
  bool listed_;             ///< CompletionOrder::as_listed
  bool copies_nonblocking_; ///< ReplayOptions::nonblocking_copy
  bool ends_;               ///< messages' ends differ by lane: CostRow::ends
  bool special_sends_;      ///< that, or not all sends copy
  std::unique_ptr<double[]> counters_;
  std::vector<std::unique_ptr<double[]>> further_counters_; ///< of threads
  std::vector<Clock> clocks_;
  std::optional<RankPorts> ports_;
  bool order_matters_ = false;
  bool watches_ = false;             ///< there are incasts_
  std::vector<IncastWatch> incasts_; ///< by rank, of the first lane; empty when nobody asks
  std::vector<LaneArrival> arrivals_;
  std::size_t working_arrivals_ = 0; ///< of these, those with work
  Gathered gathered_;                ///< scratch, as arrivals_ is: of a lane that is alone
  Snapshot own_;                     ///< scratch of time()
  std::vector<Snapshot> terms_;      ///< scratch of transfer() and work()
  std::size_t terms_used_ = 0;
};

} // namespace timeless::replay
