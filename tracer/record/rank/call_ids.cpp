#include "tracer/record/rank/call_ids.h"

#include <cstddef>

namespace timeless::tracer {

namespace {

constexpr const char* names[] = {
#define MPI_CALL(name, family) "MPI_" #name,
#include "call_ids.inc"
#undef MPI_CALL
#define THREAD_CALL(name) #name,
#include "tracer/record/rank/thread_calls.def"
#undef THREAD_CALL
};

/// The families of calls.def, as far as threads are concerned: what is recorded of the first few shares nothing that is
/// not safe to share.
namespace at_once {
constexpr bool point_to_point = true;
constexpr bool completion = true;
constexpr bool request = true;
constexpr bool persistent = true;
constexpr bool collective = true;
constexpr bool communicator = false;
constexpr bool process = false;
constexpr bool window = false;
constexpr bool one_sided = true;
constexpr bool file = false;
constexpr bool lifecycle = false;
} // namespace at_once

constexpr bool at_once_by_call[] = {
#define MPI_CALL(name, family) at_once::family,
#include "call_ids.inc"
#undef MPI_CALL
#define THREAD_CALL(name) true,
#include "tracer/record/rank/thread_calls.def"
#undef THREAD_CALL
};

} // namespace

std::span<const char* const> call_names() {
  return names;
}

const char* mpi_name(CallId call) {
  return names[static_cast<std::size_t>(call)];
}

bool recorded_at_once(CallId call) {
  return at_once_by_call[static_cast<std::size_t>(call)];
}

} // namespace timeless::tracer
