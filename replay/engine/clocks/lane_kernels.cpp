#include "replay/engine/clocks/lane_kernels.h"

#include "replay/engine/clocks/lane_steps.h"

#include <algorithm>
#include <cstdint>
#include <vector>

// A kernel is a function template, always inlined; what is called is one wrapper for each instruction set, so whatever
// the kernel is made of is compiled for that set inside the wrapper and nowhere else. What is not inlined (the standard
// library's functions) stays as every processor takes it.
#if defined(__x86_64__) && defined(__GNUC__)
#define TIMELESS_X86_64 1
#endif

namespace timeless::replay {

namespace {

template <typename Number>
TIMELESS_INLINE inline void fold(std::size_t count, const LaneRates& rates, const LaneTime& time, double* out) {
  for_each_lane(
      count, [ count, rates, time, out ](std::size_t lane)
                 __attribute__((always_inline)) { time_in<Number>(count, rates, time, lane).store(out, count, lane); });
}

template <typename Number>
TIMELESS_INLINE inline void latest(std::size_t count, const double* left, const double* right, double* out) {
  for_each_lane(
      count, [=](std::size_t lane) __attribute__((always_inline)) {
        latest_of(Number::load(left, count, lane), Number::load(right, count, lane)).store(out, count, lane);
      });
}

template <typename Number>
TIMELESS_INLINE inline void add(std::size_t count, const double* time, double amount, const double* cost, double* out) {
  for_each_lane(
      count, [=](std::size_t lane) __attribute__((always_inline)) {
        Number::load(time, count, lane).plus(amount * cost[lane]).store(out, count, lane);
      });
}

template <typename Number>
TIMELESS_INLINE inline void receive(std::size_t count, const LaneRates& rates, const LaneTime& own,
                                    const LaneTime& sent, const LaneTransfer& transfer, const LaneCounters& counters,
                                    double* out) {
  for_each_lane(
      count, [ count, rates, own, sent, transfer, counters, out ](std::size_t lane) __attribute__((always_inline)) {
        receive_in<Number>(count, rates, own, sent, transfer, counters, out, lane);
      });
}

TIMELESS_INLINE inline double work_in(const LaneWork& work, std::size_t lane) {
  return work.amount == 0 ? 0 : work.amount * work.cost[lane];
}

/// Exchanges two arrivals in the lanes where the left one ends later. Returns whether any lane did.
TIMELESS_INLINE inline bool order(std::size_t count, double* left_start, double* left_middle, double* left_end,
                                  double* right_start, double* right_middle, double* right_end) {
  unsigned long long exchanged = 0;
  for_each_lane(
      count, [ =, &exchanged ](std::size_t lane) __attribute__((always_inline)) {
        const double ls = left_start[lane];
        const double lm = left_middle[lane];
        const double le = left_end[lane];
        const double rs = right_start[lane];
        const double rm = right_middle[lane];
        const double re = right_end[lane];
        const bool exchange = le > re;
        left_start[lane] = exchange ? rs : ls;
        left_middle[lane] = exchange ? rm : lm;
        left_end[lane] = exchange ? re : le;
        right_start[lane] = exchange ? ls : rs;
        right_middle[lane] = exchange ? lm : rm;
        right_end[lane] = exchange ? le : re;
        exchanged |= exchange ? 1ULL : 0ULL;
      });
  return exchanged != 0;
}

/// Where one arrival's numbers stand, by lane.
struct ArrivalLists {
  double* start;
  double* middle;
  double* end;
  double* work;
  std::uint64_t* place; ///< in the list of arrivals
};

template <std::size_t most_lanes>
struct ArrivalsByLane {
  alignas(64) double start[most_together][most_lanes];
  alignas(64) double middle[most_together][most_lanes];
  alignas(64) double end[most_together][most_lanes];
  alignas(64) double work[most_together][most_lanes];
  alignas(64) std::uint64_t place[most_together][most_lanes];

  TIMELESS_INLINE ArrivalLists of(std::size_t index) {
    return {start[index], middle[index], end[index], work[index], place[index]};
  }
};

/// Exchanges two arrivals in the lanes where the left one ends later. Returns whether any lane did.
TIMELESS_INLINE inline bool order(std::size_t count, const ArrivalLists& left, const ArrivalLists& right) {
  unsigned long long exchanged = 0;
  for_each_lane(
      count, [ left, right, &exchanged ](std::size_t lane) __attribute__((always_inline)) {
        const ArrivalLists& l = left;
        const ArrivalLists& r = right;
        const double ls = l.start[lane], rs = r.start[lane];
        const double lm = l.middle[lane], rm = r.middle[lane];
        const double le = l.end[lane], re = r.end[lane];
        const double lw = l.work[lane], rw = r.work[lane];
        const std::uint64_t lp = l.place[lane], rp = r.place[lane];
        const bool exchange = le > re;
        l.start[lane] = exchange ? rs : ls;
        r.start[lane] = exchange ? ls : rs;
        l.middle[lane] = exchange ? rm : lm;
        r.middle[lane] = exchange ? lm : rm;
        l.end[lane] = exchange ? re : le;
        r.end[lane] = exchange ? le : re;
        l.work[lane] = exchange ? rw : lw;
        r.work[lane] = exchange ? lw : rw;
        l.place[lane] = exchange ? rp : lp;
        r.place[lane] = exchange ? lp : rp;
        exchanged |= exchange ? 1ULL : 0ULL;
      });
  return exchanged != 0;
}

/// Which of several arrivals decides the path, lane by lane: the one with the largest e, the first listed of equals, if
/// that is later than the rank's own time. That needs no sorting; and only the paths of those that win are looked at.
template <typename Number, std::size_t most_lanes>
struct Winners {
  alignas(64) double latest[most_lanes];
  alignas(64) std::uint64_t winner[most_lanes]; ///< a place in the list, or own
  static constexpr std::uint64_t own = most_together;

  TIMELESS_INLINE void begin(std::size_t width, const double* time) {
    double* const best = latest;
    std::uint64_t* const by = winner;
    for_each_lane(
        width, [=](std::size_t lane) __attribute__((always_inline)) {
          best[lane] = time[lane];
          by[lane] = own;
        });
  }

  TIMELESS_INLINE void consider(std::size_t width, std::uint64_t index, const double* end) {
    double* const best = latest;
    std::uint64_t* const by = winner;
    for_each_lane(
        width, [=](std::size_t lane) __attribute__((always_inline)) {
          const double before = best[lane];
          const std::uint64_t earlier = by[lane];
          const bool wins = end[lane] > before;
          best[lane] = wins ? end[lane] : before;
          by[lane] = wins ? index : earlier;
        });
  }

  /// Takes the next of sorted arrivals now.
  TIMELESS_INLINE void wait(std::size_t width, const double* now, const ArrivalLists& next) {
    std::uint64_t* const by = winner;
    for_each_lane(
        width, [=](std::size_t lane) __attribute__((always_inline)) {
          by[lane] = next.end[lane] > now[lane] ? next.place[lane] : by[lane];
        });
  }

  TIMELESS_INLINE void store(std::size_t count, std::size_t first, std::size_t width, const LaneRates& rates,
                             const LaneTime& time, const LaneArrival* list, const double* /*now*/, double* out) const {
    const std::uint64_t* const by = winner;
    for_each_lane(
        width, [ count, first, rates, time, out ](std::size_t lane) __attribute__((always_inline)) {
          time_in<Number>(count, rates, time, first + lane).store(out, count, first + lane);
        });
    std::uint64_t won = 0;
    for (std::size_t lane = 0; lane < width; ++lane)
      won |= std::uint64_t{1} << by[lane];
    for (std::size_t index = 0; index < own; ++index) {
      if ((won >> index & 1U) == 0) continue;
      const LaneTime sent = list[index].sent;
      const LaneTransfer transfer = list[index].transfer;
      for_each_lane(
          width,
          [ count, first, rates, sent, transfer, index, by, out ](std::size_t lane) __attribute__((always_inline)) {
            const Number before = Number::load(out, count, first + lane);
            const Number end = way_in<Number>(count, rates, sent, transfer, first + lane).end;
            chosen(by[lane] == index, end, before).store(out, count, first + lane);
          });
    }
  }
};

/// Times alone have no paths.
template <std::size_t most_lanes>
struct Winners<TimeOnly, most_lanes> {
  TIMELESS_INLINE void begin(std::size_t, const double*) {}
  TIMELESS_INLINE void consider(std::size_t, std::uint64_t, const double*) {}
  TIMELESS_INLINE void wait(std::size_t, const double*, const ArrivalLists&) {}
  TIMELESS_INLINE void store(std::size_t, std::size_t first, std::size_t width, const LaneRates&, const LaneTime&,
                             const LaneArrival*, const double* now, double* out) const {
    std::copy_n(now, width, out + first);
  }
};

template <typename Number>
TIMELESS_INLINE inline void receive_together(std::size_t count, const LaneRates& rates, const LaneTime& own,
                                             std::size_t arrivals, const LaneArrival* list,
                                             const LaneCounters& counters, double* out) {
  // Start, middle and end of every arrival, for as many lanes as the first-level cache holds.
  constexpr std::size_t most_lanes = 32;
  alignas(64) double start[most_together][most_lanes];
  alignas(64) double middle[most_together][most_lanes];
  alignas(64) double end[most_together][most_lanes];
  alignas(64) double now[most_lanes];
  Winners<Number, most_lanes> winners;
  for (std::size_t first = 0; first < count; first += most_lanes) {
    const std::size_t width = count - first < most_lanes ? count - first : most_lanes;
    double* const begun = now;
    for_each_lane(
        width, [ count, rates, own, first, begun ](std::size_t lane) __attribute__((always_inline)) {
          begun[lane] = time_in<TimeOnly>(count, rates, own, first + lane).time;
        });
    winners.begin(width, begun);
    std::size_t left = 0;
    for (std::size_t index = 0; index < arrivals; ++index) {
      const LaneTime sent = list[index].sent;
      const LaneTransfer transfer = list[index].transfer;
      double* const s = start[left];
      double* const a = middle[left];
      double* const e = end[left];
      unsigned long long late = 0;
      for_each_lane(
          width, [ =, &late ](std::size_t lane) __attribute__((always_inline)) {
            const MessageTimes<TimeOnly> way = way_in<TimeOnly>(count, rates, sent, transfer, first + lane);
            s[lane] = way.start.time;
            a[lane] = way.middle.time;
            e[lane] = way.end.time;
            late |= e[lane] > begun[lane] ? 1ULL : 0ULL;
          });
      if (late != 0) winners.consider(width, index, e);
      // What is over by now in every lane changes nothing, wherever it stands in the order.
      if (late != 0) ++left;
    }
    bool exchanged = true;
    for (std::size_t unsettled = left; exchanged && unsettled > 1; --unsettled) {
      exchanged = false;
      for (std::size_t right = 1; right < unsettled; ++right)
        exchanged |=
            order(width, start[right - 1], middle[right - 1], end[right - 1], start[right], middle[right], end[right]);
    }
    const LaneCounters here{counters.wait + first, counters.first + first, counters.second + first};
    for (std::size_t index = 0; index < left; ++index) {
      const double* const s = start[index];
      const double* const a = middle[index];
      const double* const e = end[index];
      for_each_lane(
          width, [=](std::size_t lane) __attribute__((always_inline)) {
            begun[lane] = divide(begun[lane], s[lane], a[lane], e[lane], here, lane);
          });
    }
    winners.store(count, first, width, rates, own, list, begun, out);
  }
}

/// Does as receive_together(), where some arrivals have work. What is over by now matters, too: its work delays the
/// rest. So all are sorted, by places in the list, and the path is that of the last one the rank had to wait for.
template <typename Number>
TIMELESS_INLINE inline void receive_and_work(std::size_t count, const LaneRates& rates, const LaneTime& own,
                                             std::size_t arrivals, const LaneArrival* list,
                                             const LaneCounters& counters, double* out) {
  constexpr std::size_t most_lanes = 32;
  ArrivalsByLane<most_lanes> lists;
  alignas(64) double now[most_lanes];
  Winners<Number, most_lanes> winners;
  for (std::size_t first = 0; first < count; first += most_lanes) {
    const std::size_t width = count - first < most_lanes ? count - first : most_lanes;
    double* const begun = now;
    for_each_lane(
        width, [ count, rates, own, first, begun ](std::size_t lane) __attribute__((always_inline)) {
          begun[lane] = time_in<TimeOnly>(count, rates, own, first + lane).time;
        });
    winners.begin(width, begun);
    for (std::size_t index = 0; index < arrivals; ++index) {
      const LaneArrival arrival = list[index];
      const ArrivalLists to = lists.of(index);
      for_each_lane(
          width, [ count, rates, first, arrival, index, to ](std::size_t lane) __attribute__((always_inline)) {
            const MessageTimes<TimeOnly> way =
                way_in<TimeOnly>(count, rates, arrival.sent, arrival.transfer, first + lane);
            to.start[lane] = way.start.time;
            to.middle[lane] = way.middle.time;
            to.end[lane] = way.end.time;
            to.work[lane] = work_in(arrival.work, first + lane);
            to.place[lane] = index;
          });
    }
    bool exchanged = true;
    for (std::size_t unsettled = arrivals; exchanged && unsettled > 1; --unsettled) {
      exchanged = false;
      for (std::size_t right = 1; right < unsettled; ++right)
        exchanged |= order(width, lists.of(right - 1), lists.of(right));
    }
    const LaneCounters here{counters.wait + first, counters.first + first, counters.second + first};
    for (std::size_t index = 0; index < arrivals; ++index) {
      const ArrivalLists next = lists.of(index);
      winners.wait(width, begun, next);
      for_each_lane(
          width, [=](std::size_t lane) __attribute__((always_inline)) {
            begun[lane] =
                divide(begun[lane], next.start[lane], next.middle[lane], next.end[lane], here, lane) + next.work[lane];
          });
    }
    winners.store(count, first, width, rates, own, list, begun, out);
    // The path's own time is when it arrived; the rank has worked since.
    std::copy_n(begun, width, out + first);
  }
}

template <typename Number>
struct Arriving {
  MessageTimes<Number> way;
  const LaneArrival* arrival;
};

/// Fills `sorted` with one lane's arrivals in the order of their ends, equals as listed.
template <typename Number>
TIMELESS_INLINE inline void sort_arriving(std::vector<Arriving<Number>>& sorted, std::size_t count,
                                          const LaneRates& rates, const LaneArrival* list, std::size_t lane) {
  for (std::size_t index = 0; index < sorted.size(); ++index)
    sorted[index] = {way_in<Number>(count, rates, list[index].sent, list[index].transfer, lane), list + index};
  std::ranges::stable_sort(sorted, {}, [](const Arriving<Number>& one) { return one.way.end.time; });
}

template <typename Number>
TIMELESS_INLINE inline void receive_many(std::size_t count, const LaneRates& rates, const LaneTime& own,
                                         std::size_t arrivals, const LaneArrival* list, const LaneCounters& counters,
                                         double* out) {
  std::vector<Arriving<Number>> sorted(arrivals);
  for (std::size_t lane = 0; lane < count; ++lane) {
    sort_arriving(sorted, count, rates, list, lane);
    Number now = time_in<Number>(count, rates, own, lane);
    for (const auto& [way, arrival] : sorted) {
      divide(now.time, way.start.time, way.middle.time, way.end.time, counters, lane);
      now = later(now, way.end).plus(work_in(arrival->work, lane));
    }
    now.store(out, count, lane);
  }
}

/// Adds the part of a transfer that is bytes to a number.
template <typename Number>
TIMELESS_INLINE inline Number plus_bytes(Number number, double seconds, double graded, bool bytes_first) {
  return bytes_first ? number.plus_first(seconds, graded) : number.plus_second(seconds, graded);
}

/// Returns when a message that comes to the port at `come`, and would be in at `in`, is in.
template <typename Number>
TIMELESS_INLINE inline Number pass(const LaneEntrance& port, std::size_t count, std::size_t lane, Number come,
                                   Number in, double seconds, double graded, bool bytes_first) {
  const Number begin = Number::load(port.begin, count, lane);
  const Number end = Number::load(port.end, count, lane);
  if (in.time <= begin.time) return in;
  const bool idle = come.time >= end.time;
  const bool early = come.time < begin.time;
  const Number entry = idle ? come : early ? end.moved(begin, come) : end;
  if (idle || early) come.store(port.begin, count, lane);
  plus_bytes(entry, port.share * seconds, graded, bytes_first).store(port.end, count, lane);
  return plus_bytes(entry, seconds, graded, bytes_first);
}

template <typename Number>
TIMELESS_INLINE inline void receive_through_port(std::size_t count, const LaneRates& rates, const LaneTime& own,
                                                 std::size_t arrivals, const LaneArrival* list,
                                                 const LaneEntrance& port, bool bytes_first,
                                                 const LaneCounters& counters, double* out) {
  std::vector<Arriving<Number>> sorted(arrivals);
  for (std::size_t lane = 0; lane < count; ++lane) {
    sort_arriving(sorted, count, rates, list, lane);
    Number now = time_in<Number>(count, rates, own, lane);
    for (const auto& [way, arrival] : sorted) {
      const LaneTransfer& transfer = arrival->transfer;
      Number middle = way.middle;
      Number end = way.end;
      if (arrival->port && transfer.graded != 0) {
        const double first = transfer.first * transfer.first_cost[lane];
        const double second = transfer.second * transfer.second_cost[lane];
        const Number come = bytes_first ? way.start.plus_second(second, transfer.graded) : way.middle;
        end = pass(port, count, lane, come, way.end, bytes_first ? first : second, transfer.graded, bytes_first);
        if (bytes_first) middle.time += end.time - way.end.time;
      }
      divide(now.time, way.start.time, middle.time, end.time, counters, lane);
      now = later(now, end).plus(work_in(arrival->work, lane));
    }
    now.store(out, count, lane);
  }
}

template <typename Number>
TIMELESS_INLINE inline void leave(std::size_t count, const LaneRates& rates, const LaneTime& sent,
                                  const LaneTime& posted, const double* held, double* out) {
  for_each_lane(
      count, [ count, rates, sent, posted, held, out ](std::size_t lane) __attribute__((always_inline)) {
        const Number start = time_in<Number>(count, rates, sent, lane);
        const Number both = later(start, time_in<Number>(count, rates, posted, lane));
        (held[lane] != 0 ? both : start).store(out, count, lane);
      });
}

template <typename Number>
TIMELESS_INLINE inline void advance(std::size_t count, const LaneRates& rates, const LaneTime& own, const double* base,
                                    const double* end, double* out) {
  for_each_lane(
      count, [ count, rates, own, base, end, out ](std::size_t lane) __attribute__((always_inline)) {
        const Number now = time_in<Number>(count, rates, own, lane);
        Number::load(base, count, lane).moved(now, Number::load(end, count, lane)).store(out, count, lane);
      });
}

template <typename Number>
TIMELESS_INLINE inline void begin_transfer(std::size_t count, const LaneRates& rates, const LaneTime& own,
                                           const LaneTransfer& transfer, bool bytes_last, const LanePort& port,
                                           const LaneTransit& way) {
  for_each_lane(
      count, [ count, rates, own, transfer, bytes_last, port, way ](std::size_t lane) __attribute__((always_inline)) {
        const Number now = time_in<Number>(count, rates, own, lane);
        const Number was_free = Number::load(port.free, count, lane);
        const bool idle = now.time >= was_free.time;
        const Number began = idle ? now : Number::load(port.began, count, lane);
        const Number from = idle ? now : was_free;
        const double first = transfer.first * transfer.first_cost[lane];
        const double second = transfer.second * transfer.second_cost[lane];
        const Number free =
            bytes_last ? from.plus_second(second, transfer.graded) : from.plus_first(first, transfer.graded);
        const Number middle = bytes_last ? began.plus_first(first, transfer.graded) : free;
        const Number end =
            bytes_last ? free.plus_first(first, transfer.graded) : free.plus_second(second, transfer.graded);
        began.store(port.began, count, lane);
        free.store(port.free, count, lane);
        began.store(way.start, count, lane);
        middle.store(way.middle, count, lane);
        end.store(way.end, count, lane);
      });
}

template <typename Number>
TIMELESS_INLINE inline void last_to_end(std::size_t count, const LaneTransit& left, const LaneTransit& right,
                                        const LaneTransit& out) {
  for_each_lane(
      count, [=](std::size_t lane) __attribute__((always_inline)) {
        const bool first = left.end[lane] >= right.end[lane];
        for (const auto part : {&LaneTransit::start, &LaneTransit::middle, &LaneTransit::end}) {
          const Number one = Number::load(left.*part, count, lane);
          const Number other = Number::load(right.*part, count, lane);
          (first ? one : other).store(out.*part, count, lane);
        }
      });
}

template <typename Number>
TIMELESS_INLINE inline void finish(std::size_t count, const LaneRates& rates, const LaneTime& own,
                                   const LaneTransit& way, const LaneCounters& counters, double* out) {
  for_each_lane(
      count, [ count, rates, own, way, counters, out ](std::size_t lane) __attribute__((always_inline)) {
        const Number now = time_in<Number>(count, rates, own, lane);
        divide(now.time, way.start[lane], way.middle[lane], way.end[lane], counters, lane);
        later(now, Number::load(way.end, count, lane)).store(out, count, lane);
      });
}

// ---- one wrapper for each kernel and instruction set

template <auto kernel>
struct Baseline;
template <typename... Arguments, void (*kernel)(Arguments...)>
struct Baseline<kernel> {
  static void call(Arguments... arguments) { kernel(arguments...); }
};

#ifdef TIMELESS_X86_64
template <auto kernel>
struct Avx2;
template <typename... Arguments, void (*kernel)(Arguments...)>
struct Avx2<kernel> {
  __attribute__((target("arch=x86-64-v3"))) static void call(Arguments... arguments) { kernel(arguments...); }
};

template <auto kernel>
struct Avx512;
template <typename... Arguments, void (*kernel)(Arguments...)>
struct Avx512<kernel> {
  __attribute__((target("arch=x86-64-v4"))) static void call(Arguments... arguments) { kernel(arguments...); }
};
#endif

template <template <auto> typename Set, typename Number>
constexpr LaneKernels kernels{.fold = Set<fold<Number>>::call,
                              .latest = Set<latest<Number>>::call,
                              .add = Set<add<Number>>::call,
                              .receive = Set<receive<Number>>::call,
                              .receive_together = Set<receive_together<Number>>::call,
                              .receive_and_work = Set<receive_and_work<Number>>::call,
                              .receive_many = Set<receive_many<Number>>::call,
                              .receive_through_port = Set<receive_through_port<Number>>::call,
                              .leave = Set<leave<Number>>::call,
                              .advance = Set<advance<Number>>::call,
                              .begin_transfer = Set<begin_transfer<Number>>::call,
                              .last_to_end = Set<last_to_end<Number>>::call,
                              .finish = Set<finish<Number>>::call,
                              .planes = Number::planes};

template <template <auto> typename Set>
const LaneKernels& choose(bool graded) {
  return graded ? kernels<Set, Graded> : kernels<Set, TimeOnly>;
}

} // namespace

const LaneKernels& traced_lane_kernels() {
  return kernels<Baseline, Traced>;
}

const LaneKernels& lane_kernels(InstructionSet set, bool graded) {
#ifdef TIMELESS_X86_64
  if (set == InstructionSet::avx512) return choose<Avx512>(graded);
  if (set == InstructionSet::avx2) return choose<Avx2>(graded);
#endif
  static_cast<void>(set);
  return choose<Baseline>(graded);
}

} // namespace timeless::replay
