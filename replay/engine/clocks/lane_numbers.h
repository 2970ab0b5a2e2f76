#pragma once

#include <cstddef>

/// What the lane kernels compute with: a kernel is written once, for any of these numbers.
///
/// A number's parts lie in planes: in a list of numbers of `lanes` lanes, part p of lane l stands at p * lanes + l.
/// Everything here is inlined always, so that a kernel's instructions are those of the instruction set it is for.
namespace timeless::replay {

#define TIMELESS_INLINE __attribute__((always_inline))

TIMELESS_INLINE inline double larger(double left, double right) {
  return left > right ? left : right;
}

/// A time alone.
struct TimeOnly {
  static constexpr std::size_t planes = 1;

  double time;

  TIMELESS_INLINE static TimeOnly load(const double* values, std::size_t /*lanes*/, std::size_t lane) {
    return {values[lane]};
  }
  TIMELESS_INLINE void store(double* values, std::size_t /*lanes*/, std::size_t lane) const { values[lane] = time; }

  /// Returns this number, so many seconds later, for a reason that no attribution asks for.
  TIMELESS_INLINE TimeOnly plus(double seconds) const { return {time + seconds}; }
  TIMELESS_INLINE TimeOnly plus_computation(double seconds) const { return {time + seconds}; }
  TIMELESS_INLINE TimeOnly plus_first(double seconds, double /*graded*/) const { return {time + seconds}; }
  TIMELESS_INLINE TimeOnly plus_second(double seconds, double /*graded*/) const { return {time + seconds}; }
  /// Returns this number moved by as much as `to` is from `from`; when these are equal, not a bit changes.
  TIMELESS_INLINE TimeOnly moved(TimeOnly from, TimeOnly to) const { return {time + (to.time - from.time)}; }
};

/// A time, and how much of the path that led to it, from the beginning of the run, were the first and the second parts
/// of transfers and computation. The path's other seconds are nobody's.
struct Graded {
  static constexpr std::size_t planes = 4;

  double time;
  double first;
  double second;
  double computation;

  TIMELESS_INLINE static Graded load(const double* values, std::size_t lanes, std::size_t lane) {
    return {values[lane], values[lanes + lane], values[2 * lanes + lane], values[3 * lanes + lane]};
  }
  TIMELESS_INLINE void store(double* values, std::size_t lanes, std::size_t lane) const {
    values[lane] = time;
    values[lanes + lane] = first;
    values[2 * lanes + lane] = second;
    values[3 * lanes + lane] = computation;
  }

  TIMELESS_INLINE Graded plus(double seconds) const { return {time + seconds, first, second, computation}; }
  TIMELESS_INLINE Graded plus_computation(double seconds) const {
    return {time + seconds, first, second, computation + seconds};
  }
  /// Returns this number, so many seconds later; the seconds count as a transfer's where `graded` is 1, and not where
  /// it is 0.
  TIMELESS_INLINE Graded plus_first(double seconds, double graded) const {
    return {time + seconds, first + graded * seconds, second, computation};
  }
  TIMELESS_INLINE Graded plus_second(double seconds, double graded) const {
    return {time + seconds, first, second + graded * seconds, computation};
  }
  TIMELESS_INLINE Graded moved(Graded from, Graded to) const {
    return {time + (to.time - from.time), first + (to.first - from.first), second + (to.second - from.second),
            computation + (to.computation - from.computation)};
  }
};

/// As Graded; and which node of the path came last (path_tracer.h).
struct Traced {
  static constexpr std::size_t planes = 5;

  double time;
  double first;
  double second;
  double computation;
  double node;

  TIMELESS_INLINE static Traced load(const double* values, std::size_t lanes, std::size_t lane) {
    return {values[lane], values[lanes + lane], values[2 * lanes + lane], values[3 * lanes + lane],
            values[4 * lanes + lane]};
  }
  TIMELESS_INLINE void store(double* values, std::size_t lanes, std::size_t lane) const {
    values[lane] = time;
    values[lanes + lane] = first;
    values[2 * lanes + lane] = second;
    values[3 * lanes + lane] = computation;
    values[4 * lanes + lane] = node;
  }

  TIMELESS_INLINE Traced plus(double seconds) const { return {time + seconds, first, second, computation, node}; }
  TIMELESS_INLINE Traced plus_computation(double seconds) const {
    return {time + seconds, first, second, computation + seconds, node};
  }
  TIMELESS_INLINE Traced plus_first(double seconds, double graded) const {
    return {time + seconds, first + graded * seconds, second, computation, node};
  }
  TIMELESS_INLINE Traced plus_second(double seconds, double graded) const {
    return {time + seconds, first, second + graded * seconds, computation, node};
  }
  TIMELESS_INLINE Traced moved(Traced from, Traced to) const {
    return {time + (to.time - from.time), first + (to.first - from.first), second + (to.second - from.second),
            computation + (to.computation - from.computation), to.node};
  }
};

/// Returns the later of two times, with its path; the left one's where they are equal.
TIMELESS_INLINE inline TimeOnly later(TimeOnly left, TimeOnly right) {
  return {larger(left.time, right.time)};
}
TIMELESS_INLINE inline Graded later(Graded left, Graded right) {
  const bool take = right.time > left.time;
  return {take ? right.time : left.time, take ? right.first : left.first, take ? right.second : left.second,
          take ? right.computation : left.computation};
}

TIMELESS_INLINE inline Traced later(Traced left, Traced right) {
  return right.time > left.time ? right : left;
}

/// Returns `left` where the condition holds, else `right`.
TIMELESS_INLINE inline Graded chosen(bool condition, Graded left, Graded right) {
  return {condition ? left.time : right.time, condition ? left.first : right.first,
          condition ? left.second : right.second, condition ? left.computation : right.computation};
}
TIMELESS_INLINE inline Traced chosen(bool condition, Traced left, Traced right) {
  return condition ? left : right;
}

/// Returns the later of two times; of paths that take equally long, the one with the most first parts, then second
/// parts, then computation. Any number of times have one latest, in whatever order they are compared.
TIMELESS_INLINE inline TimeOnly latest_of(TimeOnly left, TimeOnly right) {
  return {larger(left.time, right.time)};
}
TIMELESS_INLINE inline Graded latest_of(Graded left, Graded right) {
  // Without && and ||, which would be branches.
  const bool last =
      (right.second > left.second) | ((right.second == left.second) & (right.computation > left.computation));
  const bool path = (right.first > left.first) | ((right.first == left.first) & last);
  const bool take = (right.time > left.time) | ((right.time == left.time) & path);
  return {take ? right.time : left.time, take ? right.first : left.first, take ? right.second : left.second,
          take ? right.computation : left.computation};
}

/// Returns the later of both, as for Graded; where that does not decide, that of the lower rank, by which nodes are
/// numbered first.
TIMELESS_INLINE inline Traced latest_of(Traced left, Traced right) {
  if (right.time != left.time) return right.time > left.time ? right : left;
  if (right.first != left.first) return right.first > left.first ? right : left;
  if (right.second != left.second) return right.second > left.second ? right : left;
  if (right.computation != left.computation) return right.computation > left.computation ? right : left;
  return right.node < left.node ? right : left;
}

inline constexpr std::size_t lane_group = 8;

/// Returns the number of lanes to hold so that kernels need no remainder: 1, or a multiple of lane_group.
constexpr std::size_t padded_lanes(std::size_t lanes) {
  return lanes == 1 ? 1 : (lanes + lane_group - 1) / lane_group * lane_group;
}

/// Calls step(lane) for every lane; the rounding tells the compiler that no loop needs a remainder.
template <typename Step>
TIMELESS_INLINE inline void for_each_lane(std::size_t count, Step step) {
  if (count == 1) {
    step(0);
    return;
  }
  const std::size_t whole = count / lane_group * lane_group;
#pragma GCC ivdep
  for (std::size_t lane = 0; lane < whole; ++lane)
    step(lane);
}

} // namespace timeless::replay
