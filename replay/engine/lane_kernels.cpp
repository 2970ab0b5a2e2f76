#include "replay/engine/lane_kernels.h"

#include <algorithm>
#include <vector>

// One binary for every x86-64: the loader picks the clone. Sanitizers instrument the resolver, which runs too early.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__gnu_linux__) &&                       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LANE_KERNEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define LANE_KERNEL
#endif

namespace timeless::replay {

namespace {

inline __attribute__((always_inline)) double larger(double left, double right) {
  return left > right ? left : right;
}

inline __attribute__((always_inline)) double time_in(const LaneRates& rates, const LaneTime& time, std::size_t lane) {
  return time.base[lane] + time.work * rates.compute_scale[lane] + time.copied * rates.memory_copy[lane] +
         time.overhead;
}

/// Calls step(lane) for every lane; the rounding tells the compiler that no loop needs a remainder.
template <typename Step>
inline __attribute__((always_inline)) void for_each_lane(std::size_t count, Step step) {
  if (count == 1) {
    step(0);
    return;
  }
  const std::size_t whole = count / lane_group * lane_group;
#pragma GCC ivdep
  for (std::size_t lane = 0; lane < whole; ++lane)
    step(lane);
}

/// receive() with the arrival already known and the rank's time in `now`, which moves on.
inline __attribute__((always_inline)) void take(std::size_t count, const double* start, const double* middle,
                                                const double* end, const LaneCounters& counters, double* now) {
  for_each_lane(
      count, [=](std::size_t lane) __attribute__((always_inline)) {
        const double t = now[lane];
        const double x = larger(t, start[lane]);
        const double y = larger(x, middle[lane]);
        const double z = larger(y, end[lane]);
        counters.wait[lane] += x - t;
        counters.first[lane] += y - x;
        counters.second[lane] += z - y;
        now[lane] = z;
      });
}

/// Exchanges two arrivals in the lanes where the left one ends later. Returns whether any lane did.
inline __attribute__((always_inline)) bool order(std::size_t count, double* left_start, double* left_middle,
                                                 double* left_end, double* right_start, double* right_middle,
                                                 double* right_end) {
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

} // namespace

LANE_KERNEL void fold(std::size_t count, const LaneRates& rates, const LaneTime& time, double* out) {
  for_each_lane(
      count, [ rates, time, out ](std::size_t lane)
                 __attribute__((always_inline)) { out[lane] = time_in(rates, time, lane); });
}

LANE_KERNEL void latest(std::size_t count, const double* left, const double* right, double* out) {
  for_each_lane(
      count, [=](std::size_t lane) __attribute__((always_inline)) { out[lane] = larger(left[lane], right[lane]); });
}

LANE_KERNEL void add(std::size_t count, double amount, const double* cost, double* out) {
  for_each_lane(
      count, [=](std::size_t lane) __attribute__((always_inline)) { out[lane] = out[lane] + amount * cost[lane]; });
}

LANE_KERNEL void receive(std::size_t count, const LaneRates& rates, const LaneTime& own, const LaneTime& sent,
                         const LaneTransfer& transfer, const LaneCounters& counters, double* out) {
  for_each_lane(
      count, [ rates, own, sent, transfer, counters, out ](std::size_t lane) __attribute__((always_inline)) {
        const double t = time_in(rates, own, lane);
        const double s = time_in(rates, sent, lane);
        const double a = s + transfer.first * transfer.first_cost[lane];
        const double e = a + transfer.second * transfer.second_cost[lane];
        const double x = larger(t, s);
        const double y = larger(x, a);
        const double z = larger(y, e);
        counters.wait[lane] += x - t;
        counters.first[lane] += y - x;
        counters.second[lane] += z - y;
        out[lane] = z;
      });
}

LANE_KERNEL void receive_together(std::size_t count, const LaneRates& rates, const LaneTime& own, std::size_t arrivals,
                                  const LaneArrival* list, const LaneCounters& counters, double* out) {
  // Start, middle and end of every arrival, for as many lanes as the first-level cache holds.
  constexpr std::size_t most_lanes = 32;
  alignas(64) double start[most_together][most_lanes];
  alignas(64) double middle[most_together][most_lanes];
  alignas(64) double end[most_together][most_lanes];
  for (std::size_t first = 0; first < count; first += most_lanes) {
    const std::size_t width = count - first < most_lanes ? count - first : most_lanes;
    double* const now = out + first;
    for_each_lane(
        width, [ rates, own, first, now ](std::size_t lane)
                   __attribute__((always_inline)) { now[lane] = time_in(rates, own, first + lane); });
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
            s[lane] = time_in(rates, sent, first + lane);
            a[lane] = s[lane] + transfer.first * transfer.first_cost[first + lane];
            e[lane] = a[lane] + transfer.second * transfer.second_cost[first + lane];
            late |= e[lane] > now[lane] ? 1ULL : 0ULL;
          });
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
    for (std::size_t index = 0; index < left; ++index)
      take(width, start[index], middle[index], end[index],
           {counters.wait + first, counters.first + first, counters.second + first}, now);
  }
}

void receive_many(std::size_t count, const LaneRates& rates, const LaneTime& own, std::size_t arrivals,
                  const LaneArrival* list, const LaneCounters& counters, double* out) {
  struct Times {
    double start;
    double middle;
    double end;
  };
  std::vector<Times> sorted(arrivals);
  for (std::size_t lane = 0; lane < count; ++lane) {
    for (std::size_t index = 0; index < arrivals; ++index) {
      const LaneTransfer& transfer = list[index].transfer;
      Times& times = sorted[index];
      times.start = time_in(rates, list[index].sent, lane);
      times.middle = times.start + transfer.first * transfer.first_cost[lane];
      times.end = times.middle + transfer.second * transfer.second_cost[lane];
    }
    std::ranges::stable_sort(sorted, {}, &Times::end);
    out[lane] = time_in(rates, own, lane);
    for (const Times& times : sorted)
      take(1, &times.start, &times.middle, &times.end,
           {counters.wait + lane, counters.first + lane, counters.second + lane}, out + lane);
  }
}

} // namespace timeless::replay
