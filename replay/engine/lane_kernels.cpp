#include "replay/engine/lane_kernels.h"

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

LANE_KERNEL bool arrival(std::size_t count, const LaneRates& rates, const LaneTime& sent, const LaneTransfer& transfer,
                         const double* now, double* start, double* middle, double* end) {
  unsigned long long late = 0;
  for_each_lane(
      count,
      [ rates, sent, transfer, now, start, middle, end, &late ](std::size_t lane) __attribute__((always_inline)) {
        const double s = time_in(rates, sent, lane);
        const double a = s + transfer.first * transfer.first_cost[lane];
        const double e = a + transfer.second * transfer.second_cost[lane];
        start[lane] = s;
        middle[lane] = a;
        end[lane] = e;
        late |= e > now[lane] ? 1ULL : 0ULL;
      });
  return late != 0;
}

LANE_KERNEL void take(std::size_t count, const double* start, const double* middle, const double* end,
                      const LaneCounters& counters, double* now) {
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

LANE_KERNEL bool order(std::size_t count, double* left_start, double* left_middle, double* left_end,
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

} // namespace timeless::replay
