#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What a profile of memory (record --profile memory) counts per kernel, whatever the machine: accesses, what the order
/// of instructions costs, and by reuse distance the cache lines fetched. docs/acquisition.md defines each.
namespace timeless::trace {

inline constexpr std::size_t memory_line_bytes = 64;

/// Returns the thresholds that class reuse distances by the number of other lines fetched since the line was: class 0
/// below the first threshold, class i from threshold i - 1, and behind them all a class of lines that were never seen
/// before.
std::span<const std::uint64_t> distance_thresholds();
std::size_t distance_classes();

/// Indexes of the events in memory_events().
enum MemoryEvent : std::size_t {
  memory_instructions,
  memory_loads,
  memory_stores,
  memory_divisions,   ///< and square roots
  memory_waits,       ///< cycles that chains of dependent operations take beyond four instructions a cycle
  memory_misguesses,  ///< conditional branches that are not foreseen from their own history
  memory_first_class, ///< lines in the order of their neighbours, by class; then, likewise, all others but those of
                      ///< addresses that were loaded the round before; then these
};

/// Returns the names of what is counted, in the order of Run::profile_events: INSTRUCTIONS, LOADS, ..., SEQ_LINES_512,
/// ..., CHAIN_LINES_NEW.
const std::vector<std::string>& memory_events();

/// In the order of their neighbours, all others, and those whose address was loaded the round before.
enum class FetchOrder : std::uint8_t { sequential, random, chained };

/// Returns, of counted events, the lines fetched in this order whose reuse distance is at least this many bytes, those
/// never seen before left out: what a cache of this size misses. Of a class of distances that the size divides, a
/// share, on a logarithmic scale. `bytes` is at least a line.
double lines_beyond(std::span<const double> events, FetchOrder order, double bytes);
/// Returns the lines never seen before, in whatever order.
double new_lines(std::span<const double> events);

} // namespace timeless::trace
