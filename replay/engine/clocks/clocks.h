#pragma once

#include "replay/collectives/collectives.h"
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
#include <vector>

namespace timeless::replay {

/// A rank's time at one moment, in all lanes: a snapshot of its clock and what was pending then.
struct Moment {
  Snapshot base;
  double work = 0;     ///< seconds of computation, unscaled
  double copied = 0;   ///< bytes
  double overhead = 0; ///< seconds

  LaneTime time() const { return {base.values(), work, copied, overhead}; }
};

/// Something on its way to a rank: when it began, and what it costs from there.
struct Incoming {
  LaneTime sent;
  std::uint32_t row = 0;
  double messages = 1;  ///< times latency
  double bytes = 0;     ///< times byte time
  double constants = 1; ///< times what a message takes beside its bytes: none, where only its latency counts
  bool port = false;    ///< a message, which comes in through the rank's port
  // What the rank does once it has come, before it takes anything else:
  bool received = false;                      ///< receiving a message, which takes `overhead` and what differs by lane
  double overhead = 0;                        ///< seconds
  double reduced_bytes = 0;                   ///< of reduction arithmetic
  const CollectiveCost* collective = nullptr; ///< a collective's result, with the overheads of its messages
};

/// A transfer that comes to its end by itself, or the one of several that ends last, in all lanes.
struct Transit {
  Snapshot start;
  Snapshot middle; ///< of its latency and its bytes, the part that computation hides first is over
  Snapshot end;
  explicit operator bool() const { return static_cast<bool>(end); }
};

/// What carries the bytes of one rank's transfers one after the other.
struct Port {
  Snapshot began; ///< busy since then; empty before the first transfer
  Snapshot free;
};

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
  Clocks(Network& network, RankRange share, const ReplayOptions& options);

  CostRows& rows() { return rows_; }
  SnapshotPool& pool() { return pool_; }
  std::size_t lanes() const { return rows_.lanes(); }

  /// One rank's clock: what an action adds to it before anything arrives.
  struct Clock {
    Snapshot base;
    double volume = 0;   ///< pending, in the run's unit
    double copied = 0;   ///< pending, bytes
    double overhead = 0; ///< pending, seconds
    double seconds_per_unit = 0;
    double volume_folded = 0;
    double copied_folded = 0;
    double overhead_folded = 0;
    double reduced = 0; ///< bytes of reduction arithmetic done
    double* counters = nullptr;
    double start = 0;      ///< when it began, seconds
    Snapshot pending = {}; ///< overheads that differ by lane; none when nothing is
    Snapshot port = {};    ///< when the port is free for the next message; none before the first that needs it
    /// When it would be free for the next message that waits for its receive, had those before it left when ready.
    Snapshot held_port = {};
  };
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
  /// Where something began that ends when `beside` does, whose latency and bandwidth are the beside clock's counters
  /// and come last: all else that it spent lies before. Settles it.
  Snapshot begin_of(Clock& beside);

  /// A transfer over a row begins now, or when its bytes' turn has come at the port. Its latency is that of `messages`.
  Transit transfer(const Clock& clock, Port& port, std::uint32_t row, double messages, double bytes);
  /// `all` becomes the one that ends last; itself, where both end together.
  void join(Transit& all, Transit one);
  /// Waits for the end of a transfer.
  void finish(Clock& clock, const Transit& way);

  /// As transfer(), to or from a file: `latency` and `moving` are seconds, the same in all lanes.
  Transit file_transfer(const Clock& clock, Port& port, double latency, double moving);
  /// As finish(), of a file.
  void finish_file(Clock& clock, const Transit& way);
  /// Waits until something has begun, and then this many seconds for a file.
  void take_file(Clock& clock, const LaneTime& begun, double seconds);

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
  LaneTime own(const Clock& clock);
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
  LaneCounters counters(const Clock& clock) const;
  LaneCounters counters(const Clock& clock, std::size_t lanes) const;
  void watch(const Clock& clock, const Incoming& incoming);
  void take_through_port(Clock& clock, std::span<const Incoming> incoming);
  void receive_all(const Clock& clock, std::span<const Incoming> incoming, double* out);
  void receive_arrivals(const Clock& clock, double* out);
  LaneCounters file_counters(const Clock& clock) const;
  Transit begin(const Clock& clock, Port& port, const LaneTransfer& transfer, bool bytes_last);
  void clear_pending(Clock& clock);
  LaneTime own_by_lane(const Clock& clock);
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
  Snapshot own_;                     ///< scratch of own()
  std::vector<Snapshot> terms_;      ///< scratch of transfer() and work()
  std::size_t terms_used_ = 0;
};

} // namespace timeless::replay
