#pragma once

#include <string_view>

namespace timeless::tracer {

/// Returns true for a library that the program has loaded by itself and whose MPI cannot be recorded; says so the first
/// time.
bool is_of_another_mpi(std::string_view path);

/// Says, the first time, that the program's MPI is not known and not recorded.
void say_not_known(std::string_view path);

} // namespace timeless::tracer
