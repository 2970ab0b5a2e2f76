#pragma once

#include "tracer/counters/counter.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Further events, counted beside the volumes: PAPI's, as cycles, cache misses, and what else a processor counts; or,
/// of icount, what the order of instructions and memory accesses costs.
namespace timeless::tracer {

inline constexpr std::size_t most_papi_events = 16;
inline constexpr std::size_t most_profile_events = 96;

/// Starts to count the events of this list ("PAPI_TOT_CYC,PAPI_L2_TCM", or "memory") in the threads that call MPI,
/// beside the counter that has been started; returns their names. Multiplexing is not used: what is counted is counted
/// all the time.
///
/// Throws Error(usage) when the list makes no sense, Error(missing_capability) naming the event that PAPI cannot count
/// here, or not together with those before it or with the volumes.
std::vector<std::string> start_profile(std::string_view list, const ActiveCounter& counter);

/// Which end of a computation is being counted at: it ends where a call begins.
enum class Boundary : std::uint8_t { call_begins, call_ends };

/// Reads what the calling thread has counted so far, one value per event. Returns false when it cannot be read.
bool read_profile(std::uint64_t* values, Boundary boundary) noexcept;

/// Returns up to `most` of PAPI's predefined events that this machine has. Throws as load_papi() does.
std::vector<std::string> available_events(std::size_t most);

} // namespace timeless::tracer
