#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace timeless::tracer {

/// A binary interface of MPI: what its handles, constants and statuses are (abi.def).
enum class Abi { none, open_mpi, mpich, standard, unknown };

/// The constants of one interface.
struct AbiConstants {
#define ABI_INTEGER(member, expression, open_mpi, mpich, standard) int member;
#define ABI_ADDRESS(member, name, open_mpi, mpich, standard) void* member;
#define ABI_WEIGHTS(member, name, open_mpi, standard) int* member;
#include "tracer/mpi/abi.def"
#undef ABI_INTEGER
#undef ABI_ADDRESS
#undef ABI_WEIGHTS
};

/// Returns the constants of an interface; those of Open MPI where there is none.
AbiConstants constants_of(Abi abi) noexcept;

/// Finds the interface of the MPI library that this process is linked with, or has loaded; none where there is no MPI,
/// unknown where it has neither, or no profiling interface. Not by the library's name alone: MPICH's and Open MPI's
/// were, and will be, called the same.
Abi abi_of_process() noexcept;

/// Returns the path of that library; empty where there is none.
std::string_view mpi_of_process() noexcept;

/// Finds the interface of a library that this process has loaded.
Abi abi_of_library(std::string_view path) noexcept;

/// An MPI library that this process has loaded.
struct LoadedMpi {
  Abi abi;
  std::string path;
};

/// Returns the MPI libraries that this process has loaded, one for each interface, in the order they are searched.
std::vector<LoadedMpi> loaded_interfaces();

/// Returns whose interface it is, in words.
const char* name_of(Abi abi) noexcept;

} // namespace timeless::tracer
