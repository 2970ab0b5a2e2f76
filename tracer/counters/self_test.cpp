#include "tracer/counters/self_test.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#if defined(__x86_64__)
// Written in assembly so that its length in instructions is a fact and not a compiler's choice.
asm(R"(
  .text
  .p2align 4
  .globl timeless_known_loop
  .hidden timeless_known_loop
  .type timeless_known_loop, @function
timeless_known_loop:
  dec %rdi
  jne timeless_known_loop
  ret
  .size timeless_known_loop, . - timeless_known_loop
)");
extern "C" __attribute__((visibility("hidden"))) void timeless_known_loop(std::uint64_t iterations) noexcept;
#elif defined(__aarch64__)
asm(R"(
  .text
  .p2align 4
  .globl timeless_known_loop
  .hidden timeless_known_loop
  .type timeless_known_loop, %function
timeless_known_loop:
  subs x0, x0, #1
  b.ne timeless_known_loop
  ret
  .size timeless_known_loop, . - timeless_known_loop
)");
extern "C" __attribute__((visibility("hidden"))) void timeless_known_loop(std::uint64_t iterations) noexcept;
#else
static void timeless_known_loop(std::uint64_t iterations) noexcept {
  do
    asm volatile("" : "+r"(iterations));
  while (--iterations != 0);
}
#endif

namespace timeless::tracer {
namespace {

constexpr std::uint64_t self_test_iterations = 20'000;
constexpr int self_test_rounds = 3;
constexpr int skew_samples = 1000;

struct Interval {
  std::uint64_t begin;
  std::uint64_t end;
  bool backwards() const { return end < begin; }
};

Interval over_known_loop(ReadCounter read) {
  const std::uint64_t begin = read();
  known_loop(self_test_iterations);
  return {.begin = begin, .end = read()};
}

std::string went_backwards(Interval interval) {
  return "it went backwards, from " + std::to_string(interval.begin) + " to " + std::to_string(interval.end);
}

} // namespace

void known_loop(std::uint64_t iterations) noexcept {
  timeless_known_loop(iterations);
}

std::string distrust_of_instruction_counter(ReadCounter read) {
  constexpr auto expected = self_test_iterations * known_loop_instructions;
  for (int round = 0; round < self_test_rounds; ++round) {
    const Interval interval = over_known_loop(read);
    if (interval.backwards()) return went_backwards(interval);
    const auto counted = static_cast<double>(interval.end - interval.begin);
    if (counted > tolerated_factor * expected || counted * tolerated_factor < expected)
      return "it counted " + std::to_string(interval.end - interval.begin) + " in a loop of " +
             std::to_string(expected) + " instructions";
  }
  return {};
}

std::string distrust_of_counter(ReadCounter read) {
  for (int round = 0; round < self_test_rounds; ++round) {
    const Interval interval = over_known_loop(read);
    if (interval.backwards()) return went_backwards(interval);
  }
  return {};
}

std::uint64_t calibrate_skew(ReadCounter read) noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int sample = 0; sample < skew_samples; ++sample) {
    const std::uint64_t begin = read();
    const std::uint64_t end = read();
    least = std::min(least, end >= begin ? end - begin : 0);
  }
  return least;
}

} // namespace timeless::tracer
