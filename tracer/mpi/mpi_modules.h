#pragma once

namespace timeless::tracer {

/// Returns true when this code is part of the MPI library: what it calls are no calls of the program. A callback that
/// the program has given to MPI is not.
bool is_of_mpi(const void* code) noexcept;

} // namespace timeless::tracer
