#pragma once

#include <cstdint>
#include <string>

/// What makes a counter's figures worth storing.
namespace timeless::tracer {

using ReadCounter = std::uint64_t (*)() noexcept;

/// Executes a loop of known_loop_instructions an iteration (exactly, on x86-64 and AArch64); iterations > 0.
void known_loop(std::uint64_t iterations) noexcept;
inline constexpr std::uint64_t known_loop_instructions = 2;

/// Returns why this counter of instructions is not to be trusted, or nothing: it went backwards, or was off by more
/// than a factor of `tolerated_factor` on a known loop, as some machines' counters are (icl-utk-edu/papi#160: 16
/// times).
std::string distrust_of_instruction_counter(ReadCounter read);
inline constexpr double tolerated_factor = 2.5;

/// Returns why this counter of whatever it counts is not to be trusted, or nothing: it went backwards.
std::string distrust_of_counter(ReadCounter read);

/// Returns the least difference of two reads back to back, of many: what reading itself adds to every interval.
std::uint64_t calibrate_skew(ReadCounter read) noexcept;

} // namespace timeless::tracer
