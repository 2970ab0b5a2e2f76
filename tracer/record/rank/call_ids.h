#pragma once

#include <cstdint>
#include <span>

namespace timeless::tracer {

/// The calls of calls.def, and those by which threads wait for each other.
enum class CallId : std::uint16_t {
#define MPI_CALL(name, family) name,
#include "call_ids.inc"
#undef MPI_CALL
#define THREAD_CALL(name) name,
#include "tracer/record/rank/thread_calls.def"
#undef THREAD_CALL
};

/// Returns the call's name as the program calls it: "MPI_Send".
const char* mpi_name(CallId call);
/// Returns the names of all calls, by CallId.
std::span<const char* const> call_names();

/// Returns true when what is recorded of the call shares nothing that is not safe to share between threads.
bool recorded_at_once(CallId call);

} // namespace timeless::tracer
