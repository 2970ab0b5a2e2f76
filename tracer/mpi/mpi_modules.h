#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace timeless::tracer {

/// Returns the path of the file that holds this code; empty where that is not known.
std::string_view path_of_code(const void* code) noexcept;

/// Returns a path without its directories.
std::string_view file_name(std::string_view path) noexcept;

/// Returns true for a file that by its name is a library of MPI's own functions, or of its Fortran ones.
bool is_mpi_library(std::string_view path) noexcept;

/// Returns the paths of those that this process has loaded, however; those of all its libraries where none is called so.
std::vector<std::string> loaded_mpi_libraries();

/// Returns true when this code is part of the MPI library: what it calls are no calls of the program. A callback that
/// the program has given to MPI is not.
bool is_of_mpi(const void* code) noexcept;

} // namespace timeless::tracer
