#pragma once

namespace timeless::tracer {

/// A binary interface of MPI: what its handles, constants and statuses are (abi.def).
enum class Abi { none, open_mpi, mpich, standard };

/// Finds the interface of the MPI library that this process is linked with, or has loaded for all to see; none where
/// there is no MPI. Not by the library's name alone: MPICH's and Open MPI's were, and will be, called the same.
Abi abi_of_process() noexcept;

/// Returns whose interface it is, in words.
const char* name_of(Abi abi) noexcept;

} // namespace timeless::tracer
