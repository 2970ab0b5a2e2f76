#pragma once

#include "replay/engine/clocks/lane_numbers.h"
#include "replay/options/instruction_set.h"

#include <cstddef>

/// The arithmetic on all lanes at once. Every function works lane by lane, so a lane's bits depend on nothing beside
/// it; the file is compiled without contraction of a * b + c, so they do not depend on the instruction set either.
///
/// `count` is 1 or a multiple of lane_group; lists may be the same where one is read and the other written. Lists of
/// times hold numbers of one sort (lane_numbers.h), in planes of `count` lanes.
namespace timeless::replay {

/// What every lane costs.
struct LaneRates {
  const double* compute_scale = nullptr;
  const double* memory_copy = nullptr; ///< seconds per byte
  const double* overhead = nullptr;    ///< 1, or 0 where overheads are free; always 1 in the only lane
};

/// A rank's time at one moment: base + work * compute_scale + copied * memory_copy + overhead seconds.
struct LaneTime {
  const double* base = nullptr;
  double work = 0;     ///< seconds of computation, unscaled
  double copied = 0;   ///< bytes
  double overhead = 0; ///< seconds
};

/// A transfer's two parts, in the order in which computation hides them: first * first_cost, then second * second_cost.
struct LaneTransfer {
  double first = 0;
  const double* first_cost = nullptr;
  double second = 0;
  const double* second_cost = nullptr;
  double graded = 1; ///< 1 where its parts count in the path of a graded number, else 0
};

/// What a rank does by itself once something has arrived: amount * cost seconds.
struct LaneWork {
  double amount = 0;
  const double* cost = nullptr; ///< may be null where the amount is 0
};

/// Sums of waiting and of the two parts of transfers, as far as not hidden.
struct LaneCounters {
  double* wait = nullptr;
  double* first = nullptr;
  double* second = nullptr;
};

/// Something to be received: when it was sent, and its way from there.
struct LaneArrival {
  LaneTime sent;
  LaneTransfer transfer;
  LaneWork work = {}; ///< before the rank takes the next one
  bool port = false;  ///< it comes through the rank's port, if that is modelled
};

/// Where messages enter a rank: when that began to be busy the last time, and until when it is. Both are lists of
/// numbers.
struct LaneEntrance {
  double* begin = nullptr;
  double* end = nullptr;
  double share = 1; ///< how often as long as it comes in a message keeps the port busy
};

/// A port that carries one transfer's bytes after the other's: since when it is busy without a pause, and until when.
struct LanePort {
  double* began = nullptr;
  double* free = nullptr;
};

/// A transfer that is on its way by itself: begun, between its two parts, and over.
struct LaneTransit {
  double* start = nullptr;
  double* middle = nullptr;
  double* end = nullptr;
};

/// The most arrivals that LaneKernels::receive_together and receive_and_work take.
inline constexpr std::size_t most_together = 16;

/// The kernels for one instruction set and one sort of number.
struct LaneKernels {
  /// Computes out = time.
  void (*fold)(std::size_t count, const LaneRates& rates, const LaneTime& time, double* out);

  /// Computes out = the later of both. The order in which several times are compared does not change the last result.
  void (*latest)(std::size_t count, const double* left, const double* right, double* out);

  /// Computes out = time + amount * cost.
  void (*add)(std::size_t count, const double* time, double amount, const double* cost, double* out);

  /// Takes for a rank what was sent (Tong et al., section III.E; t the rank's time, s the sender's):
  ///     a = s + first, e = a + second; x = max(t, s), y = max(x, a), z = max(y, e)
  ///     wait += x - t, first += y - x, second += z - y; out = z
  /// The path to z is the rank's own unless e > t.
  void (*receive)(std::size_t count, const LaneRates& rates, const LaneTime& own, const LaneTime& sent,
                  const LaneTransfer& transfer, const LaneCounters& counters, double* out);

  /// Takes several arrivals without work at once for a rank: receive() for one after the other, each lane in the order
  /// of their e there, equals as listed. Arrivals are sorted in all lanes at once, by exchanging neighbours where the
  /// left one's e is larger.
  void (*receive_together)(std::size_t count, const LaneRates& rates, const LaneTime& own, std::size_t arrivals,
                           const LaneArrival* list, const LaneCounters& counters, double* out);

  /// Does the same where some have work, which follows each before the next is taken: t += amount * cost.
  void (*receive_and_work)(std::size_t count, const LaneRates& rates, const LaneTime& own, std::size_t arrivals,
                           const LaneArrival* list, const LaneCounters& counters, double* out);

  /// Does the same for any number of arrivals, with work or without: each lane is sorted by itself.
  void (*receive_many)(std::size_t count, const LaneRates& rates, const LaneTime& own, std::size_t arrivals,
                       const LaneArrival* list, const LaneCounters& counters, double* out);

  /// Does as receive_many() where arrivals come through a port, in the same order: with u when a message comes to the
  /// port, after its latency alone, and w the time its bytes take,
  ///     not later than the busy time began (u + w <= begin): as without a port
  ///     after it (u >= end):           begin = u, end = u + share w; the message is in at u + w
  ///     else, with v = end - max(0, begin - u): begin = min(begin, u), end = v + share w; it is in at v + w
  /// The delay counts as the bytes' part, `bytes_first` saying whether that is transfer.first.
  void (*receive_through_port)(std::size_t count, const LaneRates& rates, const LaneTime& own, std::size_t arrivals,
                               const LaneArrival* list, const LaneEntrance& port, bool bytes_first,
                               const LaneCounters& counters, double* out);

  /// Computes out = the later of both where held is not 0, else sent.
  void (*leave)(std::size_t count, const LaneRates& rates, const LaneTime& sent, const LaneTime& posted,
                const double* held, double* out);

  /// Computes out = base + (end - own): the rank's time moves on to `end`, and what is pending since `base` stays so.
  /// Where `end` is own, not a bit changes.
  void (*advance)(std::size_t count, const LaneRates& rates, const LaneTime& own, const double* base, const double* end,
                  double* out);

  /// Begins a transfer at a port (t the rank's time; its bytes are the second part if `bytes_last`, else the first):
  ///     port idle (t >= free): began = free = t
  ///     free += bytes; start = began, end = free + latency
  ///     middle = began + latency, or free where the bytes are the first part
  /// so bytes follow one another at the port, and latencies overlap.
  void (*begin_transfer)(std::size_t count, const LaneRates& rates, const LaneTime& own, const LaneTransfer& transfer,
                         bool bytes_last, const LanePort& port, const LaneTransit& way);

  /// Sets out to the way that ends last, lane by lane; of two that end together, to the left one.
  void (*last_to_end)(std::size_t count, const LaneTransit& left, const LaneTransit& right, const LaneTransit& out);

  /// Waits for the end of a way: receive() with its times known.
  void (*finish)(std::size_t count, const LaneRates& rates, const LaneTime& own, const LaneTransit& way,
                 const LaneCounters& counters, double* out);

  /// How many planes the numbers have.
  std::size_t planes = 1;
};

/// Returns the kernels for an instruction set, which is not `best`: for Graded numbers, or for TimeOnly ones.
const LaneKernels& lane_kernels(InstructionSet set, bool graded);
/// Returns kernels for Traced numbers, written without regard to speed.
const LaneKernels& traced_lane_kernels();

} // namespace timeless::replay
