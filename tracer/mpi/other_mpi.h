#pragma once

#include <string_view>

namespace timeless::tracer {

/// Returns true for a library that the program has loaded by itself and whose MPI cannot be recorded; says so the first
/// time.
bool is_of_another_mpi(std::string_view path);

} // namespace timeless::tracer
