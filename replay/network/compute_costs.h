#pragma once

#include "trace/model/run.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What computation costs on a machine, of whatever program: seconds for each thing that a profile of memory counts.
namespace timeless::replay {

/// The things that cost time: instructions, loads and stores, divisions, cycles that dependent operations wait,
/// branches guessed wrongly; lines that come from the second cache, from the last one and from memory, in the order of
/// their neighbours, at random, or at an address that comes from such a line; and lines never used before, whose page
/// the system has to give.
inline constexpr std::array<std::string_view, 16> compute_cost_names = {
    "instruction",     "load",          "store",          "division",      "wait_cycle",  "branch_miss",
    "second_in_order", "second_random", "second_chained", "last_in_order", "last_random", "last_chained",
    "memory_in_order", "memory_random", "memory_chained", "new_line"};
using ComputeCosts = std::array<double, compute_cost_names.size()>;

/// Bytes of data that the caches hold, of one core; the last may be shared.
struct CacheSizes {
  double first = 32768;
  double second = 0;
  double last = 0;
  bool operator==(const CacheSizes&) const = default;
};

/// Returns how many of each there are among what has been counted of trace::memory_events(). A line whose reuse
/// distance is at least a cache's size has to come from behind it (trace::lines_beyond).
ComputeCosts compute_quantities(std::span<const double> events, const CacheSizes& caches);

/// A machine as a file of the format timeless.machine/1 says it (docs/calibration.md).
struct MachineCosts {
  std::filesystem::path file = {};
  std::string source = {}; ///< where its figures come from
  CacheSizes caches = {};
  std::uint32_t processors = 1;     ///< that compute at once at `busy`
  std::uint32_t last_shared_by = 1; ///< processors that have a last cache together
  ComputeCosts alone = {};          ///< seconds each, while the others do nothing
  ComputeCosts busy = {};

  /// Returns the costs with this many ranks on the node, at least 1: on a line between the two.
  ComputeCosts costs(std::uint32_t ranks) const;
  /// Returns the caches that one of these ranks has: a last cache is divided among those that share it.
  CacheSizes caches_of(std::uint32_t ranks) const;
  /// Returns the seconds that these events, counted of trace::memory_events(), take with this many ranks on the node.
  double seconds(std::span<const double> events, std::uint32_t ranks) const;
};

/// Reads a file. Throws Error(invalid_input) naming file, key, what is wrong and what to write.
MachineCosts read_machine(const std::filesystem::path& file);

/// Returns what the kernels of a run have counted of trace::memory_events(), by KernelId, all ranks together; nothing
/// for those that no rank has counted. Empty when the run was recorded without a profile of memory.
std::vector<std::vector<double>> counted_of_memory(const trace::Run& run);

/// How fast the kernels of a run are on a machine.
struct ComputedSpeeds {
  double units_per_second = 0;        ///< of all kernels together
  std::vector<double> kernel_factors; ///< see kernel_factors() in compute_rates.h; 1 for those without a profile
};

/// Computes speeds with this many ranks on a node. Throws Error(usage) when the run was recorded without a profile of
/// memory.
ComputedSpeeds computed_speeds(const MachineCosts& machine, const trace::Run& run, std::uint32_t ranks);

} // namespace timeless::replay
